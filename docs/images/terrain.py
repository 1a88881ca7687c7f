# SPDX-License-Identifier: Apache-2.0
"""Makes the picture of all kinds of terrain again: ``python docs/images/terrain.py``."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

from PIL import Image

from deepsim import CameraView, Euler, Pose, World, open_simulator
from deepsim_spawn import Terrain, TerrainKind, WorldDescription
from deepsim_spawn.terrain_kinds import (
    boxes,
    flat,
    gaps,
    rubble,
    slopes,
    stairs,
    stepping_stones,
    waves,
)

KINDS: list[TerrainKind] = [
    flat,
    slopes,
    partial(slopes, down=True),
    stairs,
    partial(stairs, down=True),
    boxes,
    rubble,
    waves,
    gaps,
    stepping_stones,
]

world = World(open_simulator(WorldDescription("kinds")))
world.spawn(Terrain.generate(KINDS, rows=4, border=1.0, seed=1).model(), "terrain", Pose())
eye = Pose((0.0, -58.0, 40.0), Euler(0.0, math.radians(37.0), math.pi / 2))
picture = world.render(CameraView(eye, 1.12, 1600, 560))
Image.fromarray(picture).save(Path(__file__).with_name("terrain.webp"), quality=60)

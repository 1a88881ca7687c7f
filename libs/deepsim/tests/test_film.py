# SPDX-License-Identifier: Apache-2.0
"""A film shows the world as it is at that instant."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from deepsim import CameraView, ModelSpawner, MujocoSimulator, Pose, Transform, World
from deepsim.film import Film

BALL = """<sdf version="1.6"><model name="ball"><static>true</static><link name="link">
  <visual name="v"><geometry><sphere><radius>0.5</radius></sphere></geometry></visual>
</link></model></sdf>"""


def test_a_change_that_was_not_sent_yet_is_in_the_picture(tmp_path: Path) -> None:
    camera = CameraView.from_above(0.0, 0.0, 3.0, size=(32, 24))
    world = World(MujocoSimulator())
    ModelSpawner(BALL).spawn(world, "ball", Pose())
    shown, gone = (Film(world, camera, tmp_path / "film.gif") for _ in range(2))
    shown.shoot()
    Transform(world, "ball").pose = Pose((100.0, 0.0, 0.0))
    gone.shoot()
    world.close()
    assert not np.array_equal(shown.frames[0], gone.frames[0])

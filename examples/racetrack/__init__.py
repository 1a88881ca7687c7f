# SPDX-License-Identifier: Apache-2.0
"""Two cars race around a closed course past crates that slide across the road."""

from __future__ import annotations

import math

from deepsim import CameraView, Environment, Euler, MujocoSimulator, Pose, Task, World

from .area import FOLDER, LOADER, RaceArea
from .policies import pursuit_policy, random_policy

FRAME_SKIP = 25
"""Physics steps of 2 ms per environment step: cars act 20 times a second."""
STEPS_PER_TICK = 5
"""Physics steps per tick: the drive and the crates move 100 times a second."""
MAX_STEPS = 800
"""Environment steps of the longest episode: 40 s."""


def make(seed: int) -> Environment:
    """The task on the embedded engine."""
    description = LOADER.load_world(FOLDER / "racetrack.world")
    world = World(MujocoSimulator(description), seed=seed, steps_per_tick=STEPS_PER_TICK)
    return Environment(
        RaceArea(world), frame_skip=FRAME_SKIP, max_episode_steps=MAX_STEPS, seed=seed
    )


TASK = Task(
    name="racetrack",
    make=make,
    policies={"random": random_policy, "pursuit": pursuit_policy},
    film=CameraView(
        Pose((-0.4, -12.0, 8.2), Euler(0.0, 0.65, math.pi / 2)),
        horizontal_fov=1.05,
        width=400,
        height=240,
    ),
    map_view=CameraView.from_above(-0.5, -0.2, 13.0, horizontal_fov=1.1, size=(900, 600)),
)

# SPDX-License-Identifier: Apache-2.0
"""Two cars race around a closed course, past slow traffic."""

from __future__ import annotations

import math

from deepsim_envs import Environment
from deepsim_math import Euler, Pose
from deepsim_spawn import open_simulator
from deepsim_sync import CameraView, World
from deepsim_train import Task

from .area import FOLDER, LOADER, RaceArea
from .cars import PurePursuit, RandomActions

FRAME_SKIP = 25  # physics steps of 2 ms per environment step: cars act 20 times a second
STEPS_PER_TICK = 5  # physics steps per tick: cars and vans move 100 times a second
MAX_STEPS = 800  # environment steps of the longest episode: 40 s


def make(worlds: int = 1, seed: int = 0, *, looks: bool = True) -> Environment:
    """Makes the task, on whichever simulator it is run.

    Args:
        worlds: Number of worlds.
        seed: Seed of the random numbers; world w has seed + w.
        looks: Whether colours and light are drawn anew for each episode, and cars that are hit
            blink. The race of a seed is the same without; training needs none of it.
    """
    description = LOADER.load_world(FOLDER / "racetrack.world")
    simulator = open_simulator(description, worlds)
    world = World(simulator, seed=seed, steps_per_tick=STEPS_PER_TICK)
    return Environment(
        RaceArea(world, looks=looks),
        frame_skip=FRAME_SKIP,
        max_episode_steps=MAX_STEPS,
        seed=seed,
    )


# A second ahead is enough to see a crash coming; rarer rewards would only teach to stand still.
TRAINING = {
    "steps": 400_000, "worlds": 8, "game_over": "any", "rollout": 128, "minibatch": 512,
    "learning_rate": 5e-4, "gamma": 0.95, "log_std": -0.5, "make": {"looks": False},
}  # fmt: skip
TASK = Task(
    name="racetrack",
    make=make,
    policies={"random": RandomActions(), "pursuit": PurePursuit()},
    film=CameraView(Pose((-0.4, -12.0, 8.2), Euler(0.0, 0.65, math.pi / 2)), 1.1, 960, 540),
    map_view=CameraView.from_above(-0.5, -0.2, 13.0, horizontal_fov=1.1, size=(900, 600)),
    training=TRAINING,
)

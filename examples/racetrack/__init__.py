# SPDX-License-Identifier: Apache-2.0
"""Two cars race around a closed course, past slow traffic."""

from __future__ import annotations

import math

from deepsim import CameraView, Environment, Euler, Pose, Task, World, open_simulator
from deepsim_envs import BatchEnvironment
from deepsim_sync import ManyWorlds, Simulator, SimulatorsInTurn, Worlds

from .area import FOLDER, LOADER, RaceArea
from .batch import RaceBatch
from .policies import RandomBatch, pursuit_policy, random_policy

FRAME_SKIP = 25
"""Physics steps of 2 ms per environment step: cars act 20 times a second."""
STEPS_PER_TICK = 5
"""Physics steps per tick: cars and vans move 100 times a second."""
MAX_STEPS = 800
"""Environment steps of the longest episode: 40 s."""


def make(seed: int, *, looks: bool = True) -> Environment:
    """The task, on whichever physics it is run.

    Args:
        seed: Of the world's random numbers.
        looks: Whether colours and light are drawn anew for each episode, and cars that are hit
            blink. The race of a seed is the same without; training needs none of it.
    """
    description = LOADER.load_world(FOLDER / "racetrack.world")
    world = World(open_simulator(description), seed=seed, steps_per_tick=STEPS_PER_TICK)
    return Environment(
        RaceArea(world, looks=looks),
        frame_skip=FRAME_SKIP,
        max_episode_steps=MAX_STEPS,
        seed=seed,
    )


def make_batch(worlds: int) -> BatchEnvironment:
    """The task in many worlds, stepped as one batch.

    Each gives the bits that `make` gives without looks.
    """
    description = LOADER.load_world(FOLDER / "racetrack.world")

    def filled() -> Simulator:
        world = World(open_simulator(description))
        RaceArea(world, looks=False)
        return world.simulator

    first = filled()
    batch = (
        first.copies(worlds)
        if isinstance(first, ManyWorlds)
        else SimulatorsInTurn([first, *(filled() for _ in range(worlds - 1))])
    )
    return BatchEnvironment(
        RaceBatch(Worlds(batch, steps_per_tick=STEPS_PER_TICK)),
        frame_skip=FRAME_SKIP,
        max_episode_steps=MAX_STEPS,
    )


TASK = Task(
    name="racetrack",
    make=make,
    policies={"random": random_policy, "pursuit": pursuit_policy},
    film=CameraView(
        Pose((-0.4, -12.0, 8.2), Euler(0.0, 0.65, math.pi / 2)),
        horizontal_fov=1.05,
        width=480,
        height=288,
    ),
    map_view=CameraView.from_above(-0.5, -0.2, 13.0, horizontal_fov=1.1, size=(900, 600)),
    # A second ahead is enough to see a crash coming; rarer rewards would only teach to stand still.
    training={
        "steps": 400_000,
        "envs": 8,
        "game_over": "any",
        "rollout": 128,
        "minibatch": 512,
        "learning_rate": 5e-4,
        "gamma": 0.95,
        "log_std": -0.5,
        "make": {"looks": False},
    },
    make_batch=make_batch,
    batch_policies={"random": RandomBatch},
)

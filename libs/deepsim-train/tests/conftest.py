# SPDX-License-Identifier: Apache-2.0
"""A race of two pucks on arrays, on the table simulator."""

from __future__ import annotations

import doctest
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import deepsim_envs
import deepsim_math
import deepsim_sync
import deepsim_sync.testing
import deepsim_train
from deepsim_envs import Environment
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableSimulator

sys.path.insert(0, str(Path(__file__).parent))  # where the workers of pools find it, too
from rollout_tasks import RinkArea

GOALS = {"a": 0.5, "b": 1.0}
"""Where each puck has arrived [m]."""


class RaceArea(RinkArea):
    """Pucks move as their actions say [m/s], and earn the metres that they make along x."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.goals = np.array(list(GOALS.values()))
        self.earned = np.zeros((len(world), 2))

    def reset(self, worlds: Any) -> None:
        pose = np.tile(np.asarray(Pose()), (len(worlds), 2, 1))
        pose[..., 1] = self.world.uniform(-1.0, 1.0, 2, worlds)
        self.pucks.put(worlds, pose=pose)

    def act(self, actions: Any) -> None:
        super().act(actions)
        self.earned[:] = 0.0

    def fixed_update(self, delta_time: float) -> None:
        self.earned += self.pucks.twist[..., 0] * delta_time

    def terminated(self) -> Any:
        return self.pucks.pose[..., 0] >= self.goals - 1e-6

    def reward(self) -> Any:
        return self.earned

    def info(self) -> dict[str, Any]:
        x = self.pucks.pose[..., 0]
        return {name: {"x": x[:, row]} for row, name in enumerate(GOALS)}


@pytest.fixture
def make_race_on_arrays() -> Iterator[Callable[..., Environment]]:
    """Makes a race in some worlds, which is cut off after 7 steps, with changed attributes."""
    made = []

    def make(
        worlds: int = 1,
        seed: int | None = None,
        max_episode_steps: int | None = 7,
        frame_skip: int = 2,
        **changes: Any,
    ) -> Environment:
        world = World(TableSimulator(worlds=worlds, timestep=0.1))
        area = type("Race", (RaceArea,), changes)(world)
        made.append(
            Environment(area, frame_skip=frame_skip, max_episode_steps=max_episode_steps, seed=seed)
        )
        return made[-1]

    yield make
    for environment in made:
        environment.close()


@pytest.fixture(scope="session")
def names_of_examples() -> dict[str, Any]:
    """The names that a reader has imported, and those of the task in the example of `Area`."""
    modules = (
        deepsim_math, deepsim_sync, deepsim_sync.testing, gymnasium.spaces, deepsim_envs,
        deepsim_train,
    )  # fmt: skip
    found = {name: getattr(module, name) for module in modules for name in module.__all__}
    (example,) = doctest.DocTestFinder(recurse=False).find(deepsim_envs.Area, globs=found)
    assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
    return example.globs

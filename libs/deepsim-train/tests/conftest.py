# SPDX-License-Identifier: Apache-2.0
"""A rink of two pucks on arrays, on the table simulator."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box

import deepsim_envs
import deepsim_math
import deepsim_sync
import deepsim_sync.testing
import deepsim_train
from deepsim_envs import Agents, Area, Environment
from deepsim_math import Pose
from deepsim_sync import World
from deepsim_sync.testing import TableModel, TableSimulator


class RinkArea(Area):
    """Agents "a" and "b" move as their actions say [m/s], and have arrived at x = 1 m."""

    agents = Agents(["a", "b"], Box(-10.0, 10.0, (2,)), Box(-1.0, 1.0, (2,)))

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.pucks = world.models.select(["a", "b"])
        self.earned = np.zeros((len(world), 2))

    def reset(self, worlds: Any) -> None:
        pose = np.tile(np.asarray(Pose()), (len(worlds), 2, 1))
        pose[..., 1] = self.world.uniform(-1.0, 1.0, 2, worlds)
        self.pucks.put(worlds, pose=pose)

    def act(self, actions: Any) -> None:
        twist = self.pucks.twist
        twist[self.live, :2] = actions[self.live]
        self.pucks.twist = twist
        self.earned[:] = 0.0

    def fixed_update(self, delta_time: float) -> None:
        self.earned += self.pucks.twist[..., 0] * delta_time

    def observe(self) -> Any:
        return self.pucks.pose[..., :2]

    def terminated(self) -> Any:
        return self.pucks.pose[..., 0] >= 1.0 - 1e-9

    def reward(self) -> Any:
        return self.earned

    def info(self) -> dict[str, Any]:
        worlds = len(self.world)
        y = self.pucks.pose[..., 1]
        return {"a": {"laps": np.full(worlds, 2), "y": y[:, 0]}, "wind": np.full(worlds, 0.5)}


@pytest.fixture
def make_rink() -> Callable[..., Environment]:
    """Makes the environment of a rink, with a limit of 7 steps."""

    def make(worlds: int = 1, seed: int | None = None) -> Environment:
        world = World(TableSimulator(worlds=worlds, timestep=0.1))
        for name in "ab":
            world.spawn(TableModel(), name, Pose())
        return Environment(RinkArea(world), frame_skip=2, max_episode_steps=7, seed=seed)

    return make


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

# SPDX-License-Identifier: Apache-2.0
"""The task of `benchmarks/ude.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from deepsim import Agents, Area, Environment, GazeboXMLLoader, MujocoSimulator, World

EMPTY = '<sdf version="1.7"><world name="w"/></sdf>'


class Echo(Area):
    """Two agents that see what they did."""

    agents = Agents(["a", "b"], Box(-9.0, 9.0, (8,), np.float32), Box(-1.0, 1.0, (8,), np.float32))

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._last = np.zeros((len(world), 2, 8), np.float32)

    def reset(self, worlds: NDArray[np.intp]) -> None:
        self._last[worlds] = 0.0

    def act(self, actions: Any) -> None:
        self._last[:] = actions

    def observe(self) -> NDArray[np.float32]:
        return self._last.copy()

    def reward(self) -> NDArray[np.float64]:
        return np.ones(self._last.shape[:2])


def echo(worlds: int = 1) -> Environment:
    simulator = MujocoSimulator(GazeboXMLLoader().load_world(EMPTY), worlds=worlds)
    return Environment(Echo(World(simulator)))


def actions(environment: Environment, seed: int) -> Mapping[str, NDArray[np.float32]]:
    rng = np.random.default_rng(seed)
    return {name: rng.uniform(-1, 1, 8).astype(np.float32) for name in environment.slots}

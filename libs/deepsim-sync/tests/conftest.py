# SPDX-License-Identifier: Apache-2.0
"""A world of three models: a ball and a robot that move freely, and a wall that stands still."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deepsim_math import Pose
from deepsim_sync import SpawnRequest, World
from deepsim_sync.testing import TableModel, TableSimulator


@pytest.fixture
def simulator() -> TableSimulator:
    """The models are in place, and the log is empty."""
    simulator = TableSimulator(timestep=0.01)
    robot = TableModel(links=("base", "arm"), offsets={"arm": Pose((1, 0, 0))}, lights=("lamp",))
    simulator.spawn([SpawnRequest(TableModel(), "ball", Pose((0, 0, 1)))])
    simulator.spawn([SpawnRequest(robot, "robot", Pose((5, 0, 0)))])
    simulator.spawn([SpawnRequest(TableModel(static=True), "wall", Pose((9, 0, 0)))])
    simulator.log.clear()
    return simulator


@pytest.fixture
def world(simulator: TableSimulator) -> Iterator[World]:
    """It is the current one."""
    with World(simulator) as world:
        yield world


class TableSpawner:
    """Spawns a model; where no pose is given, 7 m up."""

    def __init__(self, model: TableModel | None = None) -> None:
        self.model = model or TableModel()

    def spawn(self, world: World, name: str, pose: Pose | None = None) -> None:
        world.spawn(self.model, name, pose if pose is not None else Pose((0, 0, 7)))

    def delete(self, world: World, name: str) -> None:
        world.delete(name)


@pytest.fixture
def spawner() -> type[TableSpawner]:
    """The class of a spawner of table models."""
    return TableSpawner

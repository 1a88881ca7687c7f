# SPDX-License-Identifier: Apache-2.0
"""Manages the robots of a world."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import PerWorld, UnknownEntityError, World, WorldNumbers

if TYPE_CHECKING:
    from .robot import Robot


class RobotManager(PerWorld):
    """Runs the controllers of a world's robots in each tick, and resets the robots.

    The manager is a tracker of normal priority as soon as a robot has controllers. If the model of
    a robot is deleted, the manager drops the robot.

    >>> world = World(MujocoSimulator(), steps_per_tick=10)
    >>> robot = Robot.load(world, "arm")  # adds itself to the manager of its world
    >>> robot.set_action([[0, 0, 0, 0, 0, 0, 1]])  # opens the gripper
    >>> for _ in range(100):
    ...     world.tick()
    >>> robot.parts["gripper"].joints.rows.position[0].round(2).tolist()
    [0.04, 0.04]

    Args:
        world: The world.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._robots: dict[str, Robot] = {}
        self._order: tuple[Robot, ...] = ()
        self._entities = world.entities  # the entities for which `_robots` is up to date

    def __iter__(self) -> Iterator[Robot]:
        return iter(self._present())

    def __len__(self) -> int:
        return len(self._present())

    def __contains__(self, name: object) -> bool:
        return any(robot.name == name for robot in self._present())

    def __getitem__(self, name: str) -> Robot:
        """Returns a robot by name; raises UnknownEntityError if it does not exist."""
        self._present()
        if name not in self._robots:
            raise UnknownEntityError("robot", name, self._robots)
        return self._robots[name]

    def add(self, robot: Robot) -> None:
        """Adds a robot; called by the constructor of `Robot`."""
        if robot.is_driven and self not in self.world.trackers:
            self.world.trackers.add(self)
        self._robots[robot.name] = robot
        self._order = tuple(self._robots.values())

    def remove(self, robot: Robot) -> None:
        """Removes a robot from the manager, but not its model from the world."""
        if self._robots.get(robot.name) is robot:
            del self._robots[robot.name]
            self._order = tuple(self._robots.values())

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Runs the controllers of all robots."""
        worlds = self.world.ticking
        for robot in self._present():
            robot.update(delta_time, worlds)

    def reset(self, worlds: WorldNumbers) -> None:
        """Resets all robots in some worlds."""
        for robot in self._present():
            robot.reset(worlds)

    def get_state(self) -> Any:
        """Returns the memory of all controllers."""
        return {robot.name: robot.memory for robot in self._present()}

    def set_state(self, state: Any) -> None:
        """Restores the memory of all controllers; raises ValueError if the robots differ."""
        robots = self._present()
        names = sorted(robot.name for robot in robots)
        if sorted(state) != names:
            raise ValueError(f"the state has robots {sorted(state)}, but there are {names}")
        for robot in robots:
            robot.memory = state[robot.name]

    def _present(self) -> tuple[Robot, ...]:
        entities = self.world.entities
        if entities is not self._entities:
            self._entities, models = entities, entities.models
            self._robots = {name: each for name, each in self._robots.items() if name in models}
            self._order = tuple(self._robots.values())
        return self._order

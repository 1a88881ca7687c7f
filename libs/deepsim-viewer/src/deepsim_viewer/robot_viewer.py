# SPDX-License-Identifier: Apache-2.0
"""A live view in which a robot is driven by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import ArrayLike, NDArray

from deepsim_envs import Agents, Area, Environment
from deepsim_sync import World, WorldNumbers

from .environment_viewer import EnvironmentViewer


class Drivable(Protocol):
    """A robot that can be driven, such as `deepsim_robots.Robot`.

    >>> class Still:
    ...     name, world = "still", World(MujocoSimulator())
    ...     lower, upper = np.array([-1.0]), np.array([1.0])
    ...     def set_action(self, actions):
    ...         '''Does nothing.'''
    ...     def observe(self):
    ...         '''Returns one number.'''
    ...         return np.zeros((1, 1))
    >>> robot: Drivable = Still()
    >>> robot.name
    'still'

    Attributes:
        name: The name of its model.
        world: Its world.
        lower: Lowest action, (n,).
        upper: Highest action, (n,).
    """

    name: str
    world: World
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    def set_action(self, actions: ArrayLike) -> None:
        """Applies actions, (W, n), until the next ones."""

    def observe(self) -> NDArray[np.float64]:
        """Returns observations, (W, k)."""
        ...


class RobotViewer(EnvironmentViewer):
    """A viewer that ticks the world of a robot, and whose page drives the robot.

    The sliders of the folder "Drive" are the entries of the robot's action. At first, each action
    is 0, or the bound that is nearest to it.

    Example:
        `Robot.load(world, "arm")` is such a robot, and so is this one:

        >>> world = World(MujocoSimulator(), steps_per_tick=10)
        >>> robot = SimpleNamespace(
        ...     name="rod", world=world, lower=-np.ones(1), upper=np.ones(1),
        ...     set_action=lambda actions: None, observe=lambda: np.zeros((1, 1)),
        ... )
        >>> with RobotViewer(robot, port=0, speed=None) as viewer:
        ...     viewer.run(steps=2)
        >>> world.time.tolist()
        [0.02]

    Args:
        robot: The robot.
        settings: Other arguments of `EnvironmentViewer`.

    Raises:
        ValueError: The robot has no actions.
    """

    def __init__(self, robot: Drivable, **settings: Any) -> None:
        if not len(robot.lower):
            raise ValueError(f"robot {robot.name!r} has no part that can be driven")
        rest = np.clip(0.0, robot.lower, robot.upper)

        def policy(observations: Mapping[str, Any]) -> Mapping[str, Any]:
            return dict.fromkeys(observations, rest)

        environment = Environment(_Yard(robot), frame_skip=robot.world.steps_per_tick)
        super().__init__(environment, policy, driven=environment.slots[0], **settings)


class _Yard(Area):
    """A world with one robot, whose action is the agent's."""

    agents: Agents

    def __init__(self, robot: Drivable) -> None:
        super().__init__(robot.world)
        self._robot = robot
        size = robot.observe().shape[1]
        self.agents = Agents(
            [robot.name],
            Box(-np.inf, np.inf, (size,)),
            Box(robot.lower.astype(np.float32), robot.upper.astype(np.float32)),
        )

    def reset(self, worlds: WorldNumbers) -> None:
        """Leaves the robot where the reset of the world has put it."""

    def act(self, actions: Any) -> None:
        """Passes the actions on."""
        self._robot.set_action(actions[:, 0])

    def observe(self) -> Any:
        """Returns the observations of the robot, (W, 1, k)."""
        return self._robot.observe()[:, None]

    def reward(self) -> NDArray[np.float64]:
        """Returns 0."""
        return np.zeros((len(self.world), 1))

# SPDX-License-Identifier: Apache-2.0
"""Live views that step an environment, or in which a robot is driven by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from math import nan
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import ArrayLike, NDArray

from deepsim_envs import Agents, Area, Environment, Recorder
from deepsim_sync import World, WorldNumbers

from .panel.drive_folder import DriveFolder
from .panel.plots import LivePlot, ObservationPlot
from .viewer import Viewer

SlotPolicy: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""A function from observations to actions, both by slot."""


class EnvironmentViewer(AbstractContextManager["EnvironmentViewer"]):
    """A viewer that runs episodes of an environment and shows them in the browser.

    >>> environment = make()  # as in the example of `deepsim_envs.Area`
    >>> def policy(observations):
    ...     return {slot: [0.5] for slot in observations}
    >>> with EnvironmentViewer(environment, policy, port=0, speed=None) as viewer:
    ...     viewer.run(steps=4)
    >>> viewer.episodes  # its episodes have two steps
    2

    `viewer.url` is the address of the page; without `steps`, `run` goes on until interrupted.

    Args:
        environment: The environment; the viewer must be created in its thread.
        policy: Selects the actions of the live agents from their observations.
        seed: Seed of the first episode; later episodes continue with its random numbers.
        speed: As in `Viewer`.
        demonstrations: A new file for all episodes, including those driven by hand, in the format
            of `deepsim_envs.Recorder`; `deepsim_envs.replay` repeats them bit for bit. Episode n
            then has the seed ``seed + n``.
        driven: The slot that is driven by hand from the start; by default none.
        settings: Other arguments of `Viewer`; `trees` defaults to the area's attribute ``trees``,
            if there is one, and `follow` to the model that is named like an agent.

    Attributes:
        environment: The environment.
        viewer: The view of its world.
        url: The address of the page.
        episodes: Number of episodes begun.
    """

    def __init__(
        self,
        environment: Environment,
        policy: SlotPolicy,
        *,
        seed: int | None = 0,
        speed: float | None = 1.0,
        demonstrations: str | Path | None = None,
        driven: str | None = None,
        **settings: Any,
    ) -> None:
        self.environment = environment
        self.episodes = 0
        self._policy = policy
        self._observation: Mapping[str, Any] = {}
        self._lock = threading.Lock()
        self._wanted: int | None = None  # seed of a requested reset
        self._recorder = (
            Recorder(environment, demonstrations) if demonstrations is not None else None
        )
        self._seed = seed if seed is not None else 0
        self._begin(seed)
        settings.setdefault("trees", getattr(environment.area, "trees", None))
        settings.setdefault("follow", _model_of_an_agent(environment))
        self.viewer = Viewer(environment.world, speed=speed, reset=self._ask, **settings)
        self.url = self.viewer.url
        self._drive = DriveFolder(self.viewer.server, environment, driven)
        gui = self.viewer.server.gui
        self._rewards = LivePlot(gui, "Plot the rewards", "rewards", environment.slots)
        self._observations = ObservationPlot(gui, environment.slots)

    def run(self, steps: int | None = None) -> None:
        """Steps the environment.

        Args:
            steps: Number of environment steps; None runs until interrupted.
        """
        done = 0
        while steps is None or done < steps:
            self.step()
            done += 1

    def step(self) -> None:
        """Steps the environment once, after beginning an episode if needed or requested."""
        with self._lock:
            seed, self._wanted = self._wanted, None
        if seed is not None:
            self._begin(seed)
            self.viewer.control.let_pass(False)
            self.viewer.show()
        elif not self.environment.live_agents:
            self._begin(None)
        actions = self._drive.override(self._policy(self._observation))
        result = (self._recorder or self.environment).step(actions)
        now = float(self.environment.world.time[0])
        slots = self.environment.slots
        self._rewards.add(now, lambda: [result.reward.get(slot, nan) for slot in slots])
        self._observations.add(now, result.observation)
        self._observation = {
            slot: result.observation[slot] for slot in self.environment.live_agents
        }

    def close(self) -> None:
        """Closes the view but not the environment."""
        self.viewer.close()
        if self._recorder is not None:
            self._recorder.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _begin(self, seed: int | None) -> None:
        if self._recorder is None:
            self._observation, _ = self.environment.reset(seed)
        else:
            self._observation, _ = self._recorder.reset(
                seed if seed is not None else self._seed + self.episodes
            )
        self.episodes += 1

    def _ask(self, seed: int) -> None:
        """Requests a reset before the next step, and lets a paused step finish."""
        with self._lock:
            self._wanted = seed
        self.viewer.control.let_pass(True)


def _model_of_an_agent(environment: Environment) -> str | None:
    """Returns the model that has the name of the first agent that names one."""
    agents = (slot.partition("/")[0] for slot in environment.slots)
    return next((name for name in agents if name in environment.world.entities.models), None)


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

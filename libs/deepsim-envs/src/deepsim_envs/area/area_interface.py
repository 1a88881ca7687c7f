# SPDX-License-Identifier: Apache-2.0
"""The base class of tasks with an object for each agent, in one world."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from .agent import AbstractAgent
from .area import StatefulArea

if TYPE_CHECKING:
    from gymnasium.spaces import Space

Spaces: TypeAlias = "Mapping[str, Space[Any]]"
"""The space of each agent, by name."""


class AreaInterface(StatefulArea, ABC):
    """A task in the style of the DeepSim paper: agents as objects, in one world.

    A subclass lists the agents and their spaces, and begins episodes. Use `Area` for many worlds.
    `observation_space` and `action_space` may be properties, methods (as in the paper) or class
    attributes. The environment reads them, and the list of agents, once.

    Example:
        The puck is the agent from the `AbstractAgent` example:

        >>> class Rink(AreaInterface):
        ...     observation_space = {"puck": Box(-10.0, 10.0, (1,))}
        ...     action_space = {"puck": Box(-1.0, 1.0, (1,))}
        ...
        ...     def __init__(self, world):
        ...         world.spawn(TableModel(), "puck", Pose())
        ...         self.agents = [Puck("puck", world=world)]
        ...
        ...     def get_agents(self):
        ...         return self.agents
        ...
        ...     def get_info(self):
        ...         return {}
        ...
        ...     def reset(self):
        ...         pass
        >>> environment = Environment(Rink(World(TableSimulator(timestep=0.125))), frame_skip=4)
        >>> observation, info = environment.reset(seed=7)
        >>> environment.step({"puck": [1.0]}).reward
        {'puck': 0.5}
    """

    level: int
    """The level of the episode, if the area has the hook `next_level`."""

    @abstractmethod
    def get_agents(self) -> Sequence[AbstractAgent]:
        """Returns all agents of the task; every call must return the same agents."""

    @abstractmethod
    def get_info(self) -> Mapping[str, Any]:
        """Returns further values at the end of a step: plain data by name.

        The environment copies containers and arrays. The key ``"deepsim"`` is reserved for it.
        """

    @abstractmethod
    def reset(self) -> None:
        """Begins a new episode; the world has been reset, so models are at their spawn poses.

        Random numbers must come from ``world.rng``; then a seed repeats the episode.
        """

    def next_level(self) -> int:
        """Returns the level of the next episode; see `Area.next_level`."""
        return self.level

    @property
    @abstractmethod
    def observation_space(self) -> Spaces | Callable[[], Spaces]:
        """The space of each agent's observations."""

    @property
    @abstractmethod
    def action_space(self) -> Spaces | Callable[[], Spaces]:
        """The space of each agent's actions."""

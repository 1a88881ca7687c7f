# SPDX-License-Identifier: Apache-2.0
"""An area: the agents of a task, and what surrounds them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from deepsim_sync import plain_attributes, restore_attributes

from .agent import AbstractAgent

if TYPE_CHECKING:
    from gymnasium.spaces import Space

Spaces: TypeAlias = "Mapping[str, Space[Any]]"
"""A space for each agent, by name."""


class AreaInterface(ABC):
    """The agents of a task, their spaces, and how an episode begins.

    A subclass may write the two spaces as properties, as methods (the paper does) or as plain
    attributes of the class. The environment asks for them, and for the agents, once.
    """

    @abstractmethod
    def get_agents(self) -> Sequence[AbstractAgent]:
        """All agents of the task, the same ones for as long as the area lives."""

    @abstractmethod
    def get_info(self) -> Mapping[str, Any]:
        """Whatever else is worth knowing at the end of a step.

        Returns:
            Plain data by name; ``"deepsim"`` is the environment's own. The environment hands out
            a copy of containers and arrays.
        """

    @abstractmethod
    def reset(self) -> None:
        """Begins a new episode; the world was reset, and models are at their spawn poses.

        Random numbers come from ``world.rng``, so that a seed repeats the episode.
        """

    @property
    @abstractmethod
    def observation_space(self) -> Spaces | Callable[[], Spaces]:
        """What each agent observes."""

    @property
    @abstractmethod
    def action_space(self) -> Spaces | Callable[[], Spaces]:
        """How each agent may act."""

    def get_state(self) -> Any:
        """What the area remembers, for `Environment.get_state`; agents remember on their own.

        Here it is copies of all attributes that hold plain values, as in `Behaviour.get_state`. An
        area that remembers more, as within objects of its own, adds that.
        """
        return plain_attributes(self)

    def set_state(self, state: Any) -> None:
        """Remembers what it did at an instant; the world and its behaviours are there already.

        Args:
            state: What `get_state` returned.
        """
        restore_attributes(self, state)

    def close(self) -> None:  # noqa: B027 (most areas hold nothing)
        """Frees what the area holds; the environment closes the world itself."""

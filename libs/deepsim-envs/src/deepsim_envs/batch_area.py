# SPDX-License-Identifier: Apache-2.0
"""The agents of a task in many worlds at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Worlds, plain_attributes, restore_attributes

if TYPE_CHECKING:
    from gymnasium.spaces import Space

Bools = NDArray[np.bool_]
Chosen = NDArray[np.intp]
"""Some of the worlds: their numbers, (k,), ascending and each once."""
Spaces: TypeAlias = "Mapping[str, Space[Any]]"
"""A space of one world for each agent, by name."""


class Judgement(NamedTuple):
    """What the agents of all worlds earned in a step, and whose episode it ends."""

    reward: NDArray[np.float64]
    """(W, A) by world and agent; what is not live earns nothing, whatever stands there."""
    terminated: Bools
    """(W, A) whether the step ended the episode of an agent."""


class BatchArea(ABC):
    """A task given by arrays with a leading axis of worlds.

    What `AreaInterface` and `AbstractAgent` say of one world, it says of all W at once.

    The hooks of a step are called in the order in which they stand here. ``live`` is (W, A) bool:
    the agents, in the order of `agents`, that take part in the step. It is False for an agent that
    is done, and in all worlds that do not step; what a hook does there is void, but it must not
    draw random numbers of such a world.

    To give the bits of the same task written for one world, a hook keeps the order of operations,
    takes a function such as the sine from the same library, and draws from `Worlds.rngs` in the
    same order. Rows of a sum or of a product of matrices may depend on how many rows there are, so
    that terms are better added one by one.

    Args:
        worlds: Where the task takes place.

    Attributes:
        worlds: As given.
    """

    def __init__(self, worlds: Worlds) -> None:
        self.worlds = worlds

    @property
    @abstractmethod
    def agents(self) -> Sequence[str]:
        """Names of the A agents, the same for ever."""

    @property
    @abstractmethod
    def observation_space(self) -> Spaces | Callable[[], Spaces]:
        """What each agent observes in one world: a `Box`, or a discrete space without parts."""

    @property
    @abstractmethod
    def action_space(self) -> Spaces | Callable[[], Spaces]:
        """How each agent may act in one world; likewise."""

    @abstractmethod
    def reset(self, chosen: Chosen) -> None:
        """Begins new episodes in some worlds; these were reset, all others are to stay as they are.

        Random numbers of world w come from ``worlds.rngs[w]``, so that a seed repeats its episode.
        """

    @abstractmethod
    def act(self, actions: Mapping[str, NDArray[Any]], live: Bools) -> None:
        """Acts upon actions, before the physics advances.

        Args:
            actions: Of each agent, (W, ...) in the type of its space; of agents that are not live
                anything may stand there.
            live: Who acts.
        """

    def fixed_update(  # noqa: B027 (not every task moves something)
        self, delta_time: NDArray[np.float64], sim_time: NDArray[np.float64], live: Bools
    ) -> None:
        """One tick.

        Args:
            delta_time: Simulated time since the previous tick of each world [s], (W,); 0 in the
                first one.
            sim_time: Simulated time of each world now [s], (W,).
            live: Who takes part in the step.
        """

    @abstractmethod
    def judge(self, live: Bools) -> Judgement:
        """Judges the step, once the physics has advanced."""

    @abstractmethod
    def observe(self) -> Mapping[str, Any]:
        """What each agent observes now, (W, ...) by name.

        It is called after every step and reset, so that it changes nothing and draws nothing.
        """

    def get_info(self) -> Mapping[str, Any]:
        """Whatever else is worth knowing: an array (W, ...) by name.

        An entry under an agent's name is a dict of such arrays, which are that agent's own.
        """
        return {}

    def get_state(self) -> Any:
        """What the area remembers, for `BatchEnvironment.get_state`: see `AreaInterface`."""
        return plain_attributes(self)

    def set_state(self, state: Any) -> None:
        """Remembers what it did at an instant; the worlds are there already."""
        restore_attributes(self, state)

    def close(self) -> None:  # noqa: B027 (most areas hold nothing)
        """Frees what the area holds; the environment closes the worlds itself."""

# SPDX-License-Identifier: Apache-2.0
"""Groups of agents that have equal spaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymnasium.spaces import Space


@dataclass(frozen=True)
class Agents:
    """A group of agents that observe and act in equal spaces.

    Attributes:
        names: The agents, in the order of their rows in arrays.
        observation_space: The space of one agent's observation, in one world.
        action_space: The space of one agent's action, in one world.

    Raises:
        TypeError: A name is not a str.
        ValueError: A name is missing, or occurs twice.

    Example:
        >>> cars = Agents(["red", "blue"], Box(-1.0, 1.0, (8,)), Discrete(3))
        >>> cars.names, len(cars)
        (('red', 'blue'), 2)
    """

    names: Sequence[str]
    observation_space: Space[Any]
    action_space: Space[Any]

    def __post_init__(self) -> None:
        names = (self.names,) if isinstance(self.names, str) else tuple(self.names)
        object.__setattr__(self, "names", names)
        if not names:
            raise ValueError("a group of agents needs at least one name")
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"an agent's name must be a str, got {name!r}")
        _require_unique(names)

    def __len__(self) -> int:
        """Returns the number of agents."""
        return len(self.names)


def slot_name(agent: str, world: int, worlds: int) -> str:
    """Returns the name of an agent's slot: ``"car/3"`` in world 3 of several, else ``"car"``."""
    return agent if worlds == 1 else f"{agent}/{world}"


def declared_groups(owner: str, declared: Any) -> tuple[Agents, ...]:
    """Returns the groups in an area's attribute `agents` as a tuple.

    Args:
        owner: The name of the area's class, for messages.
        declared: The attribute: one group, or a sequence of groups.

    Raises:
        TypeError: The attribute is neither a group nor a sequence of groups.
        ValueError: There is no group, or an agent is in two groups.
    """
    groups = (declared,) if isinstance(declared, Agents) else declared
    if not isinstance(groups, Sequence) or not all(isinstance(each, Agents) for each in groups):
        raise TypeError(f"{owner}.agents must be Agents, or a sequence of them, got {declared!r}")
    if not groups:
        raise ValueError(f"{owner}.agents lists no agents: an environment needs at least one")
    _require_unique([name for group in groups for name in group.names])
    return tuple(groups)


def _require_unique(names: Sequence[str]) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise ValueError(f"agent {name!r} is listed twice")

# SPDX-License-Identifier: Apache-2.0
"""Worlds of a task that are made, compared and closed together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import Protocol, TypeVar

from .environment import Environment


class Closable(Protocol):
    """An environment, or a view of one."""

    def close(self) -> object:
        """Frees what it holds."""


C = TypeVar("C", bound=Closable)


@contextmanager
def made_all(makers: Iterable[Callable[[], C]], what: str) -> Iterator[list[C]]:
    """What the makers make; closed if one of them raises, or what is done with it does.

    Args:
        makers: Make one world each.
        what: Needs them, for the message.

    Raises:
        ValueError: There are no makers.
    """
    made: list[C] = []
    with ExitStack() as stack:
        for make in makers:
            made.append(stack.enter_context(closing(make())))
        if not made:
            raise ValueError(f"{what} needs at least one world, got no makers")
        yield made
        stack.pop_all()


def close_all(worlds: Iterable[Closable]) -> None:
    """Closes every one, the last one first; what one of them raises is raised in the end."""
    with ExitStack() as stack:
        for world in worlds:
            stack.callback(world.close)


def same_agents(environments: Sequence[Environment]) -> list[str]:
    """The agents that all environments have, in their order.

    Raises:
        ValueError: One has others.
    """
    first = list(environments[0].agents)
    for world, environment in enumerate(environments):
        if list(environment.agents) != first:
            raise ValueError(
                f"the agents of world {world} are {list(environment.agents)}, "
                f"those of world 0 are {first}"
            )
    return first

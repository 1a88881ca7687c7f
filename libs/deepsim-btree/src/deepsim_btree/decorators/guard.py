# SPDX-License-Identifier: Apache-2.0
"""Guard: a decorator with a condition that must hold all along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deepsim_btree.leaves.function import truth
from deepsim_btree.status import FAILURE, Status

from .decorator import Decorator

if TYPE_CHECKING:
    from collections.abc import Callable

    from deepsim_btree.behaviour import Behaviour


class Guard(Decorator):
    """Ticks its child while a condition holds; otherwise halts it and fails.

    The same as a `ReactiveSequence` of a `Check` and the child.

    Args:
        child: The node below.
        name: Name of the node; that of its class if None.
        condition: Called without arguments at each tick, before the child; returns True or False.

    Raises:
        TypeError: `condition` is not callable.
    """

    __slots__ = ("condition",)

    def __init__(
        self, child: Behaviour, name: str | None = None, *, condition: Callable[[], bool]
    ) -> None:
        super().__init__(child, name)
        if not callable(condition):
            raise TypeError(f"condition must be callable, got {condition!r}")
        self.condition = condition

    def update(self) -> Status:
        """Asks the condition, then ticks the child or halts it."""
        if truth(self.condition()):
            return self.tick_child(self.child)
        self.child.halt()
        return FAILURE

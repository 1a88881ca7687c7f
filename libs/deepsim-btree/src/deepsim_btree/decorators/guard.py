# SPDX-License-Identifier: Apache-2.0
"""Guard: a decorator with a condition that must hold at every tick."""

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

    It answers like a `ReactiveSequence` of a `Check` and the child.

    >>> from deepsim_btree import Running, Tree
    >>> battery = [0.9]
    >>> tree = Tree(Guard(Running("drive"), condition=lambda: battery[0] > 0.2))
    >>> tree.tick().name
    'RUNNING'
    >>> battery[0] = 0.1
    >>> tree.tick().name, tree.root.child.status.name
    ('FAILURE', 'INVALID')

    Args:
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
        """Tests the condition, then ticks the child or halts it."""
        if truth(self.condition()):
            return self.tick_child(self.child)
        self.child.halt()
        return FAILURE

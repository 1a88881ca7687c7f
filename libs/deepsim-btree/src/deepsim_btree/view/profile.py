# SPDX-License-Identifier: Apache-2.0
"""Profile, which measures how long the ticks of each node take."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.status import Status
    from deepsim_btree.tree import Tree


class Profile:
    """A stopwatch for each node of a tree, from `start` until `stop`.

    Args:
        tree: The tree.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._is_on = False
        self._spent: dict[Behaviour, list[float]] = {}  # ticks and time [s]

    def switch(self, is_on: bool) -> None:
        """Starts or stops the measurement; called by the thread of the tree."""
        if is_on is not self._is_on:
            self._is_on = is_on
            (self._tree.wrap if is_on else self._tree.unwrap)(self._measure)

    def spent(self) -> list[list[float]]:
        """Returns the number of ticks and their total time [s] for each node, in tree order."""
        nodes = self._tree.root.walk()
        return [list(self._spent.get(node, (0, 0.0))) for node in nodes]

    def _measure(self, node: Behaviour, tick: Callable[[], Status]) -> Status:
        start = perf_counter()
        try:
            return tick()
        finally:
            spent = self._spent.setdefault(node, [0, 0.0])
            spent[0] += 1
            spent[1] += perf_counter() - start

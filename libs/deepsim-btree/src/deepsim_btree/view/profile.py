# SPDX-License-Identifier: Apache-2.0
"""Profile, which measures how long the ticks of each node take."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from deepsim_btree.watching import watched_class

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour
    from deepsim_btree.status import Status
    from deepsim_btree.tree import Tree


class Profile:
    """A stopwatch for each node of a tree, from the first `update` until `stop`.

    Meanwhile the class of each node is replaced with a subclass that measures its ticks, so that
    trees without a profile are not slowed. Copies of the nodes have the original classes.

    Args:
        tree: The tree.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._revision = -1
        self._nodes: list[Behaviour] = []
        self._spent: dict[int, list[float]] = {}
        self._classes: dict[type[Any], type[Any]] = {}

    def update(self) -> None:
        """Begins to measure nodes that are new in the tree; called by the thread of the tree."""
        if self._tree._revision == self._revision:
            return
        self._revision = self._tree._revision
        nodes = list(self._tree.root.walk())
        kept = {id(node) for node in nodes}
        self._restore([node for node in self._nodes if id(node) not in kept])
        self._spent = {id(node): self._spent.get(id(node), [0, 0.0]) for node in nodes}
        for node in nodes:
            if type(node) not in self._classes.values():
                node.__class__ = self._measured(type(node))
        self._nodes = nodes

    def stop(self) -> None:
        """Ends the measurement and restores the classes of all nodes."""
        self._restore(self._nodes)
        self._nodes = []
        self._revision = -1

    def spent(self) -> list[list[float]]:
        """Returns the number of ticks and their total time [s] for each node, in tree order."""
        return [list(self._spent[id(node)]) for node in self._nodes]

    def _restore(self, nodes: list[Behaviour]) -> None:
        for node in nodes:
            cls = type(node)
            if cls in self._classes.values():
                node.__class__ = cls.__bases__[0]

    def _measured(self, cls: type[Any]) -> type[Any]:
        if cls in self._classes:
            return self._classes[cls]
        profile = self

        def tick(node: Any) -> Status:
            start = perf_counter()
            try:
                status: Status = cls.tick(node)
                return status
            finally:
                spent = profile._spent.get(id(node))
                if spent is not None:
                    spent[0] += 1
                    spent[1] += perf_counter() - start

        measured = watched_class(cls, tick)
        self._classes[cls] = measured
        return measured

# SPDX-License-Identifier: Apache-2.0
"""The base of the nodes with any number of children."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from deepsim_btree.behaviour import Behaviour
from deepsim_btree.leaves.constant import Constant
from deepsim_btree.parent import Parent
from deepsim_btree.status import INVALID, RUNNING, Status


class Composite(Parent):
    """A node with any number of children, which decides which of them run.

    Children can be changed while the composite is not RUNNING and its tree is not inside a tick.
    Each change takes effect as a whole or not at all. Methods that add nodes raise TypeError for a
    value that is not a node, StructureError for a node with another parent, for the root of a
    `Tree` and for a node above this one, and BusyError if children cannot be changed now.

    To write a composite, override `update` and tick children with ``self.tick_child(child)``.
    Before it returns a status other than RUNNING, it must halt every RUNNING child.

    >>> from deepsim_btree import Failure, Success, Tree
    >>> class Last(Composite):
    ...     def update(self):
    ...         return self.tick_child(self.children[-1])
    >>> Tree(Last([Success("first"), Failure("last")])).tick().name
    'FAILURE'

    Args:
        children: The nodes below, in order.
        name: Name of the node; the class name if None.
    """

    __slots__ = ("_current",)

    go_on: ClassVar[Status] = INVALID
    """The answer of a child after which the next one is ticked; INVALID in other composites."""

    def __init__(self, children: Iterable[Behaviour] = (), name: str | None = None) -> None:
        super().__init__(children, name)
        self._current = 0  # position of the child of this tick, if the node keeps one

    @property
    def current_child(self) -> Behaviour | None:
        """The first child that is RUNNING, or None."""
        return next((child for child in self._children if child.status is RUNNING), None)

    def problems(self) -> Iterator[str]:
        """Yields problems with the setup of the node; `Tree.validate` collects them."""
        yield from super().problems()
        for child in self._children[:-1] if self.go_on is not INVALID else ():
            if isinstance(child, Constant) and child.answer is not self.go_on:
                answer = child.answer.name
                yield f"children after {child.name} never run: it always answers {answer}"
                break

    def add_child(self, child: Behaviour) -> None:
        """Adds a node after the other children."""
        count = len(self._children)
        self._splice(count, count, [child])

    def add_children(self, children: Iterable[Behaviour]) -> None:
        """Adds nodes after the other children; after an error, none of them is added."""
        count = len(self._children)
        self._splice(count, count, list(children))

    def prepend_child(self, child: Behaviour) -> None:
        """Adds a node before the other children."""
        self._splice(0, 0, [child])

    def insert_child(self, child: Behaviour, index: int) -> None:
        """Adds a node before the child at `index`, which may be negative as in a list.

        Raises:
            IndexError: `index` is out of range.
        """
        count = len(self._children)
        if not -count <= index <= count:
            raise IndexError(f"{self.path} has {count} children: no place {index} to insert at")
        self._splice(index, index, [child])

    def remove_child(self, child: Behaviour) -> int:
        """Removes a child, which may then get another parent, and returns its former position.

        Raises:
            ValueError: `child` is not a child of this node.
        """
        index = self._index(child)
        self._splice(index, index + 1, [])
        return index

    def remove_all_children(self) -> None:
        """Removes every child."""
        self._adopt([])

    def replace_child(self, child: Behaviour, replacement: Behaviour) -> int:
        """Replaces a child by another node, and returns the position of both.

        Raises:
            ValueError: `child` is not a child of this node.
        """
        index = self._index(child)
        self._splice(index, index + 1, [replacement])
        return index

    def _index(self, child: Behaviour) -> int:
        for index, candidate in enumerate(self._children):
            if candidate is child:
                return index
        raise ValueError(f"{child!r} is no child of {self.path}")

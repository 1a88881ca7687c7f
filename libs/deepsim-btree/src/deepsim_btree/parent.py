# SPDX-License-Identifier: Apache-2.0
"""The bases of the nodes with children, which adopt, tick and halt them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Iterable

from .behaviour import Behaviour
from .errors import BusyError, StructureError, TickError
from .leaves.plain import Constant
from .status import INVALID, RUNNING, Status

if TYPE_CHECKING:
    from .blackboard import Blackboard
    from .tree import Around, Tree

Children = Iterable[Behaviour]


class Parent(Behaviour):
    """A node with children, the base of `Decorator` and `Composite`."""

    __slots__ = ("_around", "_children")

    # The blackboard of the nodes below, if it is a separate one; only a SubTree has it.
    _scope: Blackboard | None = None

    def __init__(self, children: Iterable[Behaviour], name: str | None = None) -> None:
        super().__init__(name)
        self._children: list[Behaviour] = []
        self._around: Around | None = None  # while the tree has such a callback
        if isinstance(children, Behaviour):
            raise TypeError(f"children must be an iterable of nodes: write [{children.name}]")
        self._adopt(list(children))

    @property
    def children(self) -> tuple[Behaviour, ...]:
        """The nodes below, in order; only methods of this node change them."""
        return tuple(self._children)

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        if not self._children:
            yield f"{type(self).__name__} has no children"

    def tick_child(self, child: Behaviour) -> Status:
        """Ticks one child and returns its status, for the `update` of a control node.

        Raises:
            TickError: The child raised an exception or did not return a `Status`.
        """
        child.last_tick = self.last_tick
        try:
            if self._around is not None:
                status = self._around(child)
            elif child._has_hooks:
                status = child.tick()
            else:
                status = child.update()
        except Exception as error:
            child._fail(error)
        if status.__class__ is not Status:
            raise child._no_status(status)
        child.status = status
        return status

    def _set_around(self, around: Around | None) -> None:
        self._around = around

    def _adopt(self, children: list[Behaviour]) -> None:
        """Replaces all children of this node; raises the errors of `_splice`."""
        self._splice(0, len(self._children), children)

    def _splice(self, start: int, stop: int, children: list[Behaviour]) -> None:
        """Replaces the children from `start` to `stop`; `children` may contain some of them.

        Nothing changes if an error is raised. Other children are not visited, so that a node with
        many children can be built and taken apart child by child.

        Raises:
            TypeError: A new child is not a `Behaviour`.
            StructureError: A new child is given twice, has another parent, is the root of a `Tree`,
                or is this node or above it.
            BusyError: This node or a new child is RUNNING, or the tree is inside a tick.
        """
        tree = self._check_free()
        replaced = self._children[start:stop]
        kept = {id(child) for child in replaced}
        given = set()
        for child in children:
            if not isinstance(child, Behaviour):
                raise TypeError(f"a child of {self.path} must be a Behaviour, got {_told(child)}")
            is_kept = id(child) in kept
            if id(child) in given or (child._owner is self and not is_kept):
                raise StructureError(f"{child!r} cannot be a child of {self.path} twice")
            given.add(id(child))
            if not is_kept:
                self._check_newcomer(child)
        for child in replaced:
            if id(child) not in given:
                child._owner = None
                child._forget_entries()
        for child in children:
            child._owner = self
        self._children[start:stop] = children
        if tree is not None:
            tree._on_edit()
            for child in replaced if self._around is not None else ():
                for node in child.walk() if child._owner is None else ():
                    node._set_around(None)

    def _check_free(self) -> Tree | None:
        if self.status is RUNNING:
            raise BusyError(f"{self.path} is RUNNING: halt() it before changing its children")
        tree = self._find_tree()
        if tree is not None and tree.is_busy:
            raise BusyError(
                f"{self.path} cannot change its children inside a tick or a halt of its tree"
            )
        return tree

    def _check_newcomer(self, child: Behaviour) -> None:
        ancestor: Parent | None = self
        while ancestor is not None:
            if ancestor is child:
                raise StructureError(f"{child!r} cannot be below itself: it is above {self.path}")
            ancestor = ancestor.parent
        if child.parent is not None:
            raise StructureError(
                f"{child!r} is a child of {child.parent.path} already: "
                "remove it there first, or add its copy()"
            )
        if child._owner is not None:
            raise StructureError(f"{child!r} is the root of a Tree: add its copy()")
        if child.status is RUNNING:
            raise BusyError(f"{child!r} is RUNNING: halt() it before adding it to {self.path}")


def _told(child: object) -> str:
    if isinstance(child, type) and issubclass(child, Behaviour):
        return f"{child!r}: call it, {child.__name__}(...)"
    return repr(child)


def halt_all(root: Behaviour) -> tuple[TickError, ...]:
    """Terminates every node that is RUNNING, children first, and returns their errors.

    `Behaviour.halt` only descends from nodes that are RUNNING. After an interrupted tick this does
    not suffice, because the status of a parent is stored only when it returns.
    """
    nodes, stack, errors = [], [root], []
    while stack:
        node = stack.pop()
        nodes.append(node)
        stack.extend(node.children)
    for node in reversed(nodes):
        if node.status is RUNNING:
            node.status = INVALID
            try:
                node.terminate(INVALID)
            except Exception as error:
                tick_error = node._failed(error)
                tick_error.__cause__ = error
                errors.append(tick_error)
    return tuple(errors)


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

    def __init__(self, children: Children = (), name: str | None = None) -> None:
        super().__init__(children, name)
        self._current = 0  # position of the child of this tick, if the node keeps one

    @property
    def current_child(self) -> Behaviour | None:
        """The first child that is RUNNING, or None."""
        return next((child for child in self._children if child.status is RUNNING), None)

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        for child in self._children[:-1] if self.go_on is not INVALID else ():
            if isinstance(child, Constant) and child.answer is not self.go_on:
                answer = child.answer.name
                yield f"children after {child.name} never run: it always answers {answer}"
                break

    def add_child(self, child: Behaviour) -> None:
        """Adds a node after the other children."""
        self.add_children([child])

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


_TICKS = frozenset({"tick_child", "tick"})


class Decorator(Parent):
    """A node with one child, which changes its child's status or decides when it runs.

    To write a decorator, override `update` and tick the child with ``self.tick_child(self.child)``.
    Before it returns a status other than RUNNING, it must halt a RUNNING child:
    ``self.child.halt()``.

    >>> from deepsim_btree import Failure, Status, Tree
    >>> class Optional(Decorator):
    ...     def update(self):
    ...         status = self.tick_child(self.child)
    ...         return Status.SUCCESS if status is Status.FAILURE else status
    >>> Tree(Optional(Failure("knock"))).tick().name
    'SUCCESS'

    Args:
        child: The node below.
        name: Name of the node; the class name if None.

    Raises:
        StructureError: The child has a parent already.
    """

    __slots__ = ()

    def __init__(self, child: Behaviour, name: str | None = None) -> None:
        super().__init__((child,), name)

    @property
    def child(self) -> Behaviour:
        """The node below; assign another one to replace it.

        Raises:
            StructureError: The assigned child has a parent already.
            BusyError: The decorator is RUNNING when a child is assigned.
        """
        return self._children[0]

    @child.setter
    def child(self, child: Behaviour) -> None:
        self._adopt([child])

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        cls = type(self)
        if cls.update is not Behaviour.update and not _ticks(cls):
            yield f"update() of {cls.__name__} never ticks its child: self.tick_child(self.child)"


def _ticks(cls: type) -> bool:
    for base in cls.__mro__[: cls.__mro__.index(Decorator)]:
        for value in vars(base).values():
            code = getattr(value, "__code__", None)
            if code is not None and not _TICKS.isdisjoint(code.co_names):
                return True
    return False

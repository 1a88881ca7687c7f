# SPDX-License-Identifier: Apache-2.0
"""Control nodes of BehaviorTree.CPP: a child a tick, a clean-up after a failure, a queue."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from deepsim_btree.arguments import check_status
from deepsim_btree.behaviour import Behaviour
from deepsim_btree.blackboard import Key, key, read_bool
from deepsim_btree.parent import Children, Composite, Decorator
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SKIPPED, SUCCESS, Status
from deepsim_btree.tag import Attribute, OutputEntry, Queue, Tag


class Stepwise(Composite):
    """The base of composites that end a tick after each child that finishes in its first tick."""

    __slots__ = ("_skipped",)
    _skipped: int  # children, in this run
    keeps_place: ClassVar[bool] = False

    def update(self) -> Status:
        """Ticks the current child; if it was RUNNING already, goes on with the next one at once."""
        if self.status is not RUNNING:
            self._skipped = 0
            if not self.keeps_place:
                self._current = 0
        children = self._children
        while self._current < len(children):
            child = children[self._current]
            was_running = child.status is RUNNING
            status = self.tick_child(child)
            if status is RUNNING:
                return RUNNING
            if status is SKIPPED:
                self._skipped += 1
                self._current += 1
                continue
            status = FAILURE if status is INVALID else status
            if status is not self.go_on:
                return status
            self._current += 1
            if not was_running and self._current < len(children):
                return RUNNING
        self._current = 0
        return SKIPPED if self._skipped and self._skipped == len(children) else self.go_on

    def reset(self) -> None:
        super().reset()
        self._current = 0


class AsyncSequence(Stepwise):
    """A `Sequence` that answers RUNNING after each child that succeeds in its first tick.

    >>> from deepsim_btree import Success, Tree
    >>> tree = Tree(AsyncSequence([Success("open"), Success("enter")]))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'SUCCESS')
    """

    __slots__ = ()
    xml_tags = (Tag("AsyncSequence"),)
    go_on = SUCCESS


class AsyncSelector(Stepwise):
    """A `Selector` that answers RUNNING after each child that fails in its first tick.

    >>> from deepsim_btree import Failure, Success, Tree
    >>> tree = Tree(AsyncSelector([Failure("door"), Success("window")]))
    >>> tree.tick().name, tree.tick().name
    ('RUNNING', 'SUCCESS')
    """

    __slots__ = ()
    xml_tags = (Tag("AsyncFallback"),)
    go_on = FAILURE


class SequenceWithMemory(AsyncSequence):
    """An `AsyncSequence` that begins its next run at the child that failed or was halted.

    >>> from deepsim_btree import Tree
    >>> from deepsim_btree.testing import Scripted
    >>> root = SequenceWithMemory([Scripted("S", "open"), Scripted("FS", "enter")])
    >>> tree = Tree(root)
    >>> [tree.tick().name for _ in range(3)]
    ['RUNNING', 'FAILURE', 'SUCCESS']
    >>> root.children[0].log
    ['start', 'S', 'end S']
    """

    __slots__ = ()
    xml_tags = (Tag("SequenceWithMemory"),)
    keeps_place = True


class TryCatch(Composite):
    """Runs all children but the last as a `Sequence`; after a failure runs the last, and fails.

    >>> from deepsim_btree import Failure, Success, Tree
    >>> tree = Tree(TryCatch([Success("open"), Failure("enter"), Success("close")]))
    >>> tree.tick().name, tree.root.tip().name
    ('FAILURE', 'enter')
    >>> tree.root.children[2].status.name
    'SUCCESS'

    Args:
        children: The nodes below, at least two.
        catch_on_halt: Whether to tick the last child once even when the node is halted before this
            child has run; or the `key` of an entry with this bool.
    """

    __slots__ = ("_is_catching", "_skipped", "catch_on_halt")
    xml_tags = (
        Tag("TryCatch", catch_on_halt=Attribute("catch_on_halt", bool, False, takes_key=True)),
    )

    def __init__(
        self, children: Children = (), name: str | None = None, *, catch_on_halt: bool = False
    ) -> None:
        super().__init__(children, name)
        self.catch_on_halt = catch_on_halt
        self._skipped = 0
        self._is_catching = False

    def update(self) -> Status:
        if self.status is not RUNNING:
            self._current = self._skipped = 0
            self._is_catching = False
        while not self._is_catching and self._current < len(self._children) - 1:
            status = self.tick_child(self._children[self._current])
            if status is RUNNING:
                return RUNNING
            self._skipped += status is SKIPPED
            self._is_catching = status is FAILURE or status is INVALID
            self._current += 1
        if self._is_catching:
            status = self.tick_child(self._children[-1])
            return RUNNING if status is RUNNING else FAILURE
        return SKIPPED if self._skipped and self._skipped == self._current else SUCCESS

    def terminate(self, new_status: Status) -> None:
        """Ticks the last child after a halt, if `catch_on_halt` is set."""
        if new_status is not INVALID or self._is_catching:
            return
        if read_bool(self, "catch_on_halt", self.catch_on_halt):
            child = self._children[-1]
            if self.tick_child(child) is RUNNING:
                child.halt()

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        if len(self._children) == 1:
            yield "TryCatch needs a child to try and one to clean up"


class Loop(Decorator):
    """Runs its child once for each element of a queue; fails when the child fails.

    >>> from deepsim_btree import Action, Status, Tree, key
    >>> def visit(place, seen):
    ...     seen.append(place)
    ...     return Status.SUCCESS
    >>> seen = []
    >>> tree = Tree(Loop(Action(visit, key("place"), seen), queue=["door", "desk"], entry="place"))
    >>> [tree.tick().name for _ in range(3)], seen
    (['RUNNING', 'RUNNING', 'SUCCESS'], ['door', 'desk'])

    Args:
        queue: The elements, which every run takes from the beginning; or the `key` of an entry with
            the elements. They are removed from an entry that is a `collections.deque`; other
            sequences stay unchanged. A text is no queue of its characters and is refused.
        entry: Name of the entry that gets the current element before the child runs; None for no
            entry.
        if_empty: Answer when no element is left.

    Raises:
        TypeError: `entry` is not a str, `if_empty` not a `Status`, or `queue` neither a key nor
            iterable, or a str.
    """

    __slots__ = ("_entry_key", "_left", "if_empty", "queue")
    xml_tags = tuple(
        Tag(
            f"Loop{name}",
            queue=Attribute("queue", Queue(element), takes_key=True),
            entry=Attribute("value", OutputEntry, None),
        )
        for name, element in (("Int", int), ("Bool", bool), ("Double", float), ("String", str))
    )

    def __init__(
        self,
        child: Behaviour,
        name: str | None = None,
        *,
        queue: Iterable[Any] | Key,
        entry: str | None = None,
        if_empty: Status = SUCCESS,
    ) -> None:
        super().__init__(child, name)
        self.queue = queue if isinstance(queue, Key) else tuple(_elements(queue))
        self._entry_key: Key | None = None if entry is None else key(entry)
        self.if_empty = check_status("if_empty", if_empty)
        self._left: deque[Any] = deque()

    @property
    def entry(self) -> str | None:
        """Name of the entry that gets the current element, or None."""
        return None if self._entry_key is None else self._entry_key.name

    def update(self) -> Status:
        """Takes an element unless the child is in a run, and ticks the child."""
        if self.status is not RUNNING:
            queue = self.queue.read(self) if isinstance(self.queue, Key) else self.queue
            self._left = queue if isinstance(queue, deque) else deque(_elements(queue))
        if self.status is not RUNNING or self.child.status is not RUNNING:
            if not self._left:
                return self.if_empty
            element = self._left.popleft()
            if self._entry_key is not None:
                self._entry_key.write(self, element)
        status = self.tick_child(self.child)
        return FAILURE if status is FAILURE or status is INVALID else RUNNING


def _elements(queue: Iterable[Any]) -> Iterable[Any]:
    """Returns `queue`, which must not be a text, or raises TypeError."""
    if isinstance(queue, str):
        raise TypeError(f"queue must be the elements, got the text {queue!r}: split it")
    return queue

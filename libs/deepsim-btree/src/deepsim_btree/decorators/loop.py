# SPDX-License-Identifier: Apache-2.0
"""Loop: runs its child for each element of a queue."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from deepsim_btree.arguments import check_status
from deepsim_btree.blackboard.key import Key, key
from deepsim_btree.status import FAILURE, INVALID, RUNNING, SUCCESS, Status
from deepsim_btree.tag import Attribute, OutputEntry, Queue, Tag

from .decorator import Decorator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from deepsim_btree.behaviour import Behaviour


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
    """Returns `queue`, which must not be a text.

    Raises:
        TypeError: `queue` is a str.
    """
    if isinstance(queue, str):
        raise TypeError(f"queue must be the elements, got the text {queue!r}: split it")
    return queue

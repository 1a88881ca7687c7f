# SPDX-License-Identifier: Apache-2.0
"""Entries of a blackboard, and the cache of those that a node uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .blackboard import Blackboard


class _Nothing:
    """The value of an entry that was deleted or never written; copies are the same object."""

    __slots__ = ()

    def __reduce__(self) -> str:
        return "NOTHING"


NOTHING: Any = _Nothing()


class Entry:
    """The place on a blackboard that holds the value of a name.

    Code that has an entry reads `value` without another look-up, and writes it by ``entry.value =
    value; entry.writes += 1``, which takes 30 ns.

    Attributes:
        board: The blackboard of the entry.
        name: Name of the entry.
        value: The value; NOTHING if this blackboard itself lacks it.
        writes: Number of writes, by which `WasEntryUpdated` detects them.
    """

    __slots__ = ("board", "name", "value", "writes")

    def __init__(self, board: Blackboard, name: str, value: object = NOTHING) -> None:
        self.board = board
        self.name = name
        self.value: Any = value
        self.writes = 0 if value is NOTHING else 1

    def inherited(self) -> Any:
        """Returns the value of the name on the parent blackboard, or raises KeyError."""
        return self.board.from_parent(self.name)

    def source(self) -> Entry | None:
        """Returns the entry that holds the value, here or on a blackboard above, or None."""
        entry = self
        while entry.value is NOTHING:
            parent = entry.board.parent
            if parent is None:
                return None
            entry = parent.entry(self.name)
        return entry


class KnownEntries:
    """A node's cache of the entries that it uses.

    The node resolves its blackboard and the remaps of subtrees only once. It drops the cache when
    it, or a node above it, gets another parent. Copies start without a cache.

    Attributes:
        board: The blackboard of the node.
        found: The entries that the node uses, by the name of a key or by the port.
        inside: For a `SubTree`, the entries that nodes below it use, by their names below it.
        arguments: For a function leaf, the entries of its positional arguments; None until needed.
    """

    __slots__ = ("arguments", "board", "found", "inside")

    def __init__(self, board: Blackboard) -> None:
        self.board = board
        self.found: dict[object, Entry] = {}
        self.inside: dict[str, Entry] = {}
        self.arguments: list[Entry] | None = None

    def constant(self, value: object) -> Entry:
        """Returns an entry that holds a constant, so that constants are read like other values."""
        return Entry(self.board, "", value)

    def __deepcopy__(self, memo: object) -> None:
        return None

    def __reduce__(self) -> tuple[Any, ...]:
        return _none, ()


def _none() -> None:
    return None

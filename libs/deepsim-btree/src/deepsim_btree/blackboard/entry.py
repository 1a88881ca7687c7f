# SPDX-License-Identifier: Apache-2.0
"""Entries of a blackboard, and what a node knows about those that it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .blackboard import Blackboard


class _Nothing:
    """The value of an entry that was deleted, or not written yet; the same one in copies."""

    __slots__ = ()

    def __reduce__(self) -> str:
        return "NOTHING"


NOTHING: Any = _Nothing()


class Entry:
    """The place of the value of a name.

    Whoever found it once reads `value` without looking at the blackboard again, and writes it by
    ``entry.value = value; entry.writes += 1``, which takes 30 ns.

    Attributes:
        board: The blackboard that it is in.
        name: Its name there.
        value: The value; NOTHING if this blackboard itself lacks it.
        writes: How often it was written, by which `WasEntryUpdated` sees that it was.
    """

    __slots__ = ("board", "name", "value", "writes")

    def __init__(self, board: Blackboard, name: str, value: object = NOTHING) -> None:
        self.board = board
        self.name = name
        self.value: Any = value
        self.writes = 0 if value is NOTHING else 1

    def inherited(self) -> Any:
        """Returns the value that the parent of the blackboard has.

        Raises:
            KeyError: It has none.
        """
        return self.board.from_parent(self.name)

    def source(self) -> Entry | None:
        """Returns the entry with the value, of this blackboard or one above; None for no value."""
        entry = self
        while entry.value is NOTHING:
            parent = entry.board.parent
            if parent is None:
                return None
            entry = parent.entry(self.name)
        return entry


class KnownEntries:
    """The entries that a node uses.

    The way up to the blackboard and through the remaps of subtrees is walked once. A node forgets
    them when it, or a node above it, gets another parent. Copies start without.

    Attributes:
        board: The blackboard of the node.
        found: The entries that the node uses, by the name of a key or by the port.
        inside: Those that the nodes below a `SubTree` use, by their names there.
        arguments: Those of the positional arguments of a function leaf.
    """

    __slots__ = ("arguments", "board", "found", "inside")

    def __init__(self, board: Blackboard) -> None:
        self.board = board
        self.found: dict[object, Entry] = {}
        self.inside: dict[str, Entry] = {}
        self.arguments: list[Entry] | None = None

    def constant(self, value: object) -> Entry:
        """Returns an entry for a value that nobody writes, which is read as fast as others."""
        return Entry(self.board, "", value)

    def __deepcopy__(self, memo: object) -> None:
        return None

    def __reduce__(self) -> tuple[Any, ...]:
        return _none, ()


def _none() -> None:
    return None

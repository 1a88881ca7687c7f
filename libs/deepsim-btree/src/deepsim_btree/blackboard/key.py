# SPDX-License-Identifier: Apache-2.0
"""Entries of a blackboard, and keys: their names, which a node accepts in place of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deepsim_btree.arguments import check_int, check_seconds, read_number

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour

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

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


class Key(NamedTuple):
    """The name of an entry of the blackboard, to be looked up at each tick."""

    name: str
    """Name of the entry; an @ in front means the blackboard of the tree, above all subtrees."""

    def __repr__(self) -> str:
        return f"key({self.name!r})"

    def entry(self, node: Behaviour) -> Entry:
        """Returns the entry that `node` sees under this key."""
        known = node._known
        if known is None:
            known = node._find_known()
        entry = known.found.get(self.name)
        if entry is None:
            entry = known.found[self.name] = (
                node.tree.blackboard.entry(self.name[1:])
                if self.name[0] == "@"
                else known.board.entry(self.name)
            )
        return entry

    def converted(self, value: Any) -> Any:
        """Returns a value of the entry as the node that has this key takes it: unchanged."""
        return value

    def read(self, node: Behaviour) -> Any:
        """Returns the value of the entry as `node` sees it.

        Raises:
            KeyError: No such entry exists.
        """
        try:
            entry = node._known.found[self.name]  # type: ignore[union-attr]
        except (KeyError, AttributeError):  # not found yet
            entry = self.entry(node)
        value = entry.value
        return entry.inherited() if value is NOTHING else value

    def write(self, node: Behaviour, value: object) -> None:
        """Writes the entry that `node` sees under this key."""
        try:
            entry = node._known.found[self.name]  # type: ignore[union-attr]
        except (KeyError, AttributeError):  # not found yet
            entry = self.entry(node)
        entry.value = value
        entry.writes += 1


class ConvertedKey(Key):
    """Base of keys whose entries hold something else than the node takes."""

    __slots__ = ()

    def read(self, node: Behaviour) -> Any:
        """Returns the value of the entry as the node takes it.

        Raises:
            KeyError: No such entry exists.
            TypeError, ValueError: The value cannot be converted.
        """
        return self.converted(super().read(node))


class MillisecondsKey(ConvertedKey):
    """The key of an entry in milliseconds, for a node that expects seconds."""

    __slots__ = ()

    def converted(self, value: Any) -> float:
        """Returns a number of milliseconds, or the text of one, in seconds, or raises TypeError."""
        number = read_number(value) if isinstance(value, str) else value
        return check_seconds(value if number is None else number) / 1000


def read_int(node: Behaviour, argument: str, value: Any) -> int:
    """Returns an int argument of a node, read from the blackboard if it is a key."""
    if not isinstance(value, Key):
        number: int = value
        return number
    found = value.read(node)
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return check_int(argument, found)


def read_bool(node: Behaviour, argument: str, value: Any) -> bool:
    """Returns a bool argument of a node; from the blackboard also a number, as scripts write."""
    if not isinstance(value, Key):
        return bool(value)
    found = value.read(node)
    if not isinstance(found, (bool, int, float)):
        raise TypeError(f"{argument} must be true or false, got {found!r}")
    return bool(found)


def read_seconds(node: Behaviour, value: float) -> float:
    """Returns a duration argument of a node [s], read from the blackboard if it is a key."""
    return check_seconds(value.read(node)) if isinstance(value, Key) else value


def key(name: str) -> Any:
    """Returns a key, which stands for a blackboard entry: ``drive(speed=key("speed"))``.

    The node that has the key reads the value at each tick. A name that starts with an @ means the
    blackboard of the whole tree, even inside a `SubTree`.

    Args:
        name: Name of the entry.

    Returns:
        The key, typed as Any so that it is accepted wherever the value itself is.

    Raises:
        TypeError: `name` is not a str.
        ValueError: `name` is empty or has braces or white space around it.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a key must be a str, got {name!r}")
    if not name.strip("@") or name != name.strip() or "{" in name or "}" in name:
        raise ValueError(f"the name of a key must be a word without braces, got {name!r}")
    return Key(name)

# SPDX-License-Identifier: Apache-2.0
"""The values that the nodes of a tree share, their entries, and keys: names in place of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, MutableMapping, NamedTuple

from .arguments import check_int, check_seconds, read_number

if TYPE_CHECKING:
    from .behaviour import Behaviour


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


class Blackboard(MutableMapping[str, Any]):
    """A mapping from names to values; names that it lacks are looked up in its parent.

    Writes and deletions, including those by `pop`, `popitem` and `clear`, affect this blackboard
    only, never the parent.

    >>> world = Blackboard({"goal": (3, 4)})
    >>> robot = Blackboard(parent=world)
    >>> robot["battery"] = 0.8
    >>> robot["goal"], "battery" in world, sorted(robot)
    ((3, 4), False, ['battery', 'goal'])

    Args:
        values: Initial entries, which are copied.
        parent: Blackboard in which to look up names that this one lacks.
    """

    __slots__ = ("_entries", "_parent")

    def __init__(
        self, values: Mapping[str, Any] | None = None, *, parent: Blackboard | None = None
    ) -> None:
        self._entries = {name: Entry(self, name, value) for name, value in (values or {}).items()}
        self._parent = parent

    @property
    def parent(self) -> Blackboard | None:
        """The blackboard in which names that this one lacks are looked up."""
        return self._parent

    def entry(self, name: str) -> Entry:
        """Returns the entry of a name, after adding one without a value if it is missing."""
        try:
            return self._entries[name]
        except KeyError:
            entry = self._entries[name] = Entry(self, name)
            return entry

    def from_parent(self, name: str) -> Any:
        """Returns the parent's value of a name.

        Raises:
            KeyError: The parent has no value, or there is no parent.
        """
        if self._parent is not None:
            return self._parent[name]
        raise KeyError(f"nothing named {name!r} on the blackboard: write it first, or use get()")

    def __getitem__(self, name: str) -> Any:
        entries = self._entries
        if name in entries:  # an exception would take longer than the whole look-up
            value = entries[name].value
            if value is not NOTHING:
                return value
        return self.from_parent(name)

    def __setitem__(self, name: str, value: Any) -> None:
        try:
            entry = self._entries[name]
        except KeyError:
            entry = self.entry(name)
        entry.value = value
        entry.writes += 1

    def __delitem__(self, name: str) -> None:
        if not self._has(name):
            raise KeyError(f"nothing named {name!r} to delete on this blackboard itself")
        self._entries[name].value = NOTHING  # nodes that cached the entry still use it

    def __iter__(self) -> Iterator[str]:
        # A list, because reading another blackboard may add an entry here.
        yield from [name for name, entry in self._entries.items() if entry.value is not NOTHING]
        if self._parent is not None:
            yield from (name for name in self._parent if not self._has(name))

    def _has(self, name: object) -> bool:
        return name in self._entries and self._entries[name].value is not NOTHING

    def clear(self) -> None:
        """Deletes all entries of this blackboard itself."""
        for entry in self._entries.values():
            entry.value = NOTHING

    def pop(self, name: str, default: Any = NOTHING) -> Any:
        """Deletes an entry of this blackboard itself and returns its value.

        Args:
            name: Name of the entry.
            default: The value for a missing entry, even if the parent has one.

        Raises:
            KeyError: The entry does not exist, and `default` is not given.
        """
        value = self.get(name)
        try:
            del self[name]
        except KeyError:
            if default is NOTHING:
                raise
            return default
        return value

    def popitem(self) -> tuple[str, Any]:
        """Deletes some entry of this blackboard itself and returns its name and value.

        Raises:
            KeyError: This blackboard has no entry, apart from those of its parent.
        """
        for name in self:
            with suppress(KeyError):  # an entry of the parent
                return name, self.pop(name)
        raise KeyError("nothing to delete on this blackboard itself")

    def __contains__(self, name: object) -> bool:
        return self._has(name) or (self._parent is not None and name in self._parent)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Blackboard({dict(self)!r})"


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

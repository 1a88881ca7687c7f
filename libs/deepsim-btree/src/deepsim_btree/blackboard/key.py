# SPDX-License-Identifier: Apache-2.0
"""Keys: names of blackboard entries that a node accepts in place of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from deepsim_btree.arguments import check_int, check_seconds, read_number

from .entry import NOTHING

if TYPE_CHECKING:
    from deepsim_btree.behaviour import Behaviour

    from .entry import Entry


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
    """Returns an int argument of a node, read from the blackboard if it is a key.

    Raises:
        KeyError: No such entry exists.
        TypeError: The value is not a whole number.
    """
    if not isinstance(value, Key):
        number: int = value
        return number
    found = value.read(node)
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return check_int(argument, found)


def read_bool(node: Behaviour, argument: str, value: Any) -> bool:
    """Returns a bool argument of a node, read from the blackboard if it is a key.

    Raises:
        KeyError: No such entry exists.
        TypeError: The value is neither a bool nor a number, which scripts write for bools.
    """
    if not isinstance(value, Key):
        return bool(value)
    found = value.read(node)
    if not isinstance(found, (bool, int, float)):
        raise TypeError(f"{argument} must be true or false, got {found!r}")
    return bool(found)


def read_seconds(node: Behaviour, value: float) -> float:
    """Returns a duration argument of a node [s], read from the blackboard if it is a key.

    Raises:
        KeyError: No such entry exists.
        TypeError: The value is not a number.
    """
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

# SPDX-License-Identifier: Apache-2.0
"""The values that the nodes of one tree share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, MutableMapping

from .key import NOTHING, Entry


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

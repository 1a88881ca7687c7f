# SPDX-License-Identifier: Apache-2.0
"""The values that the nodes of one tree share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, MutableMapping

if TYPE_CHECKING:
    from .places import Place

_NOTHING: Any = object()


class Blackboard(MutableMapping[str, Any]):
    """A mapping from names to values; names that it lacks are looked up in its parent.

    Writing, deleting and taking out (`pop`, `popitem`, `clear`) affect this blackboard only, never
    the parent.

    >>> world = Blackboard({"goal": (3, 4)})
    >>> robot = Blackboard(parent=world)
    >>> robot["battery"] = 0.8
    >>> robot["goal"], "battery" in world, sorted(robot)
    ((3, 4), False, ['battery', 'goal'])

    Args:
        values: What it holds at first, copied.
        parent: Where to look up names that are not here.
    """

    __slots__ = ("_parent", "_values")

    def __init__(
        self, values: Mapping[str, Any] | None = None, *, parent: Blackboard | None = None
    ) -> None:
        self._values: dict[str, Any] = dict(values or {})
        self._parent = parent

    @property
    def parent(self) -> Blackboard | None:
        """The blackboard where names are looked up that are not here."""
        return self._parent

    def place(self, name: str) -> Place:
        """Return where an entry of this name is kept, or would be."""
        return self._values, name, self

    def __getitem__(self, name: str) -> Any:
        values = self._values
        if name in values:  # not by an exception, which would take longer than the whole rest
            return values[name]
        if self._parent is not None:
            return self._parent[name]
        raise KeyError(f"nothing named {name!r} on the blackboard: write it first, or use get()")

    def __setitem__(self, name: str, value: Any) -> None:
        self._values[name] = value

    def __delitem__(self, name: str) -> None:
        if name not in self._values:
            raise KeyError(f"nothing named {name!r} to delete on this blackboard itself")
        del self._values[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._values
        if self._parent is not None:
            yield from (name for name in self._parent if name not in self._values)

    def pop(self, name: str, default: Any = _NOTHING) -> Any:
        """Delete an entry of this blackboard itself and return its value.

        Args:
            name: Name of the entry.
            default: What to return if there is none, also if the parent has one.

        Raises:
            KeyError: There is none, and no default.
        """
        value = self.get(name)
        try:
            del self[name]
        except KeyError:
            if default is _NOTHING:
                raise
            return default
        return value

    def popitem(self) -> tuple[str, Any]:
        """Delete some entry of this blackboard itself and return its name and value.

        Raises:
            KeyError: There is none; the parent may have some.
        """
        for name in self:
            with suppress(KeyError):  # of the parent
                return name, self.pop(name)
        raise KeyError("nothing to delete on this blackboard itself")

    def __contains__(self, name: object) -> bool:
        return name in self._values or (self._parent is not None and name in self._parent)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Blackboard({dict(self)!r})"

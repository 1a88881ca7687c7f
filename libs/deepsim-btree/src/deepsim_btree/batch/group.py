# SPDX-License-Identifier: Apache-2.0
"""Run-time support for generated numpy code: groups of agents at the same place in a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from .node import Numbers

EVERYONE: Any = None
"""Stands for all indices of a group."""
NOBODY: Numbers = np.empty(0, np.intp)


class Group:
    """Agents at the same place in a rule; their indices are computed when needed.

    Args:
        size: Number of agents.
        numbers: Numbers of the agents, (size,); None to take them from `above`.
        above: The group that this one is a part of.
        chosen: Indices of the agents in `above`, (size,).
    """

    __slots__ = ("_above", "_chosen", "_numbers", "_rows", "size")

    def __init__(
        self,
        size: int,
        numbers: Numbers | None = None,
        above: Group | None = None,
        chosen: Any = EVERYONE,
    ) -> None:
        self.size = size
        self._numbers = numbers
        self._above = above
        self._chosen = chosen
        self._rows: Numbers | None = None

    def __len__(self) -> int:
        return self.size

    @property
    def numbers(self) -> Numbers:
        """Numbers of the agents, (size,)."""
        if self._numbers is None:
            self._numbers = self._above.numbers[self._chosen]  # type: ignore[union-attr]
        return self._numbers

    @property
    def rows(self) -> Any:
        """Indices of the agents among all that the node is ticked for, (size,), or EVERYONE."""
        if self._rows is None and self._above is not None:
            rows = self._above.rows
            self._rows = self._chosen if rows is EVERYONE else rows[self._chosen]
        return self._rows

    def part(self, chosen: Numbers) -> Group:
        """Returns the agents at some indices of this group."""
        return self if chosen is EVERYONE else Group(len(chosen), None, self, chosen)

    def union(self, other: Group) -> Group:
        """Returns the agents of this group and of another."""
        if not other.size:
            return self
        if not self.size:
            return other
        both = Group(self.size + other.size, np.concatenate((self.numbers, other.numbers)))
        both._rows = np.concatenate((self.rows, other.rows))
        return both

    def starting(self, starts: Any, place: int, everyone: Group) -> Group:
        """Returns this group with those agents of `everyone` whose loop starts at a place."""
        return self.union(everyone.part(where(starts == place)))

    def of(self, values: Any) -> Any:
        """Returns the group's part of `values`, which are one value for all or one per row."""
        if values.__class__ is not np.ndarray or self.rows is EVERYONE:
            return values
        return values[self.rows]

    def put(self, values: Any, new: Any) -> None:
        """Writes the group's new values into the values of all rows."""
        rows = self.rows
        values[slice(None) if rows is EVERYONE else rows] = new

    def written(self, values: Any, new: Any, count: int) -> Any:
        """Returns the values of all rows, in which the group's values are replaced by new ones."""
        if values.__class__ is not np.ndarray:
            frame = np.empty(count, np.result_type(new))
            frame[:] = 0 if values is None else values
            values = frame
        self.put(values, new)
        return values


def where(mask: Any) -> Numbers:
    """Returns the indices at which a mask, or a single bool, is true."""
    if mask.__class__ is not np.ndarray:
        return EVERYONE if mask else NOBODY
    indices: Numbers = mask.nonzero()[0]
    return EVERYONE if len(indices) == len(mask) else indices


def split(mask: Any) -> tuple[Numbers, Numbers]:
    """Returns the indices at which a mask, or a single bool, is true, and the other indices."""
    indices = where(mask)
    if indices is EVERYONE:
        return EVERYONE, NOBODY
    return (indices, (~mask).nonzero()[0]) if len(indices) else (NOBODY, EVERYONE)


def pick(values: Any, indices: Numbers) -> Any:
    """Returns the values at some indices; a single value is returned unchanged."""
    return values if indices is EVERYONE or values.__class__ is not np.ndarray else values[indices]


def choose(mask: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """Returns values of one function where a mask is true, and of another elsewhere."""
    if mask.__class__ is not np.ndarray:
        return yes() if mask else no()
    count = np.count_nonzero(mask)
    if count == len(mask):
        return yes()
    return np.where(mask, yes(), no()) if count else no()


def mapped(function: Callable[[Any], Any], values: Any) -> Any:
    """Returns a function's results for values, with one call for each different value."""
    different, which = np.unique(values, return_inverse=True)
    return np.array([function(value) for value in different.tolist()])[which]


def negated(mask: Any) -> Any:
    """Returns the opposite of a mask, or of a single bool."""
    return ~mask if mask.__class__ is np.ndarray else not mask


RUNTIME = {
    "nobody": Group(0, NOBODY),
    "negated": negated,
    "where": where,
    "split": split,
    "pick": pick,
    "choose": choose,
    "mapped": mapped,
}

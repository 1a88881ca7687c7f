# SPDX-License-Identifier: Apache-2.0
"""One row of a world that stands alone, as Python numbers: the path of transforms."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from deepsim_sync.port.changes import UNIT, checked_cells
from deepsim_sync.port.entities import Entities, Kind, Names

from .state_cache import StateCache

if TYPE_CHECKING:
    from .world import World


class SingleRow:
    """Reads and changes one row of world 0, looked up by name at each use.

    Values get here one by one, from objects, so that a few operations on floats replace those on
    arrays: a fifth of the time, and the same bits (tested).

    Args:
        world: The world.
        kind: The table.
        name: The entity, which need not be there yet.
    """

    __slots__ = ("_cache", "_entities", "_kind", "_name", "_number")

    def __init__(self, world: World, kind: Kind, name: str) -> None:
        self._cache: StateCache = world.cache
        self._kind = kind
        self._name = name
        self._entities: Entities | None = None
        self._number = 0

    def get(self, column: str) -> list[float]:
        """Returns the numbers of one cell.

        Raises:
            UnknownEntityError: There is no such entity.
        """
        memory = self._cache.column((self._kind, column))
        if self._cache.entities is not self._entities:
            self._find()
        numbers: list[float] = memory[0, self._number].tolist()
        return numbers

    def put(self, column: str, value: Any) -> None:
        """Changes one cell; see `Rows.put`.

        Raises:
            UnknownEntityError: There is no such entity.
            ValueError: The value is not fit for the column; nothing was changed.
        """
        numbers = value[:]  # once, where `tuple` would ask a value for its length too
        fit = isfinite(sum(numbers))
        if fit and column == "pose":
            x, y, z, w = numbers[3:]
            fit = abs(x * x + y * y + z * z + w * w - 1.0) <= UNIT
        self._find()
        row = self._number
        if not fit:
            names = Names(self._kind, [self._name])
            numbers = checked_cells(names, column, np.zeros(1, np.intp), [value])[0]
        self._cache.put((self._kind, column), slice(row, row + 1), numbers)

    def _find(self) -> None:
        entities = self._cache.follow_entities()
        if entities is not self._entities:
            self._number = entities.names(self._kind).row(self._name)
            self._entities = entities

# SPDX-License-Identifier: Apache-2.0
"""Batches of changed cells, and the rows that a simulator refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .column_type import Array
from .entities import Kind, Names


class Cells(NamedTuple):
    """New values for some cells of one column.

    >>> Cells(worlds=np.array([0, 1]), rows=np.array([3, 3]), values=np.array([0.5, 1.0])).rows
    array([3, 3])
    """

    worlds: NDArray[np.intp]
    """World of each cell, (k,)."""
    rows: NDArray[np.intp]
    """Row of each cell, (k,)."""
    values: Array
    """Checked values, (k, ...): finite, quaternions of unit length, colours in 0..1."""


class Changes(NamedTuple):
    """One batch of changed cells.

    >>> pose = Cells(np.array([0]), np.array([0]), np.array([[1.0, 0, 0, 0, 0, 0, 1]]))
    >>> Changes(1, {("models", "pose"): pose}).generation
    1

    A simulator applies models before links, and refuses single rows rather than the batch.
    """

    generation: int
    """Generation of the entities that the rows refer to."""
    cells: Mapping[tuple[Kind, str], Cells]
    """Changed cells by (table, column), such as ``("models", "pose")``."""


class Refusal(NamedTuple):
    """A row that a simulator did not accept.

    >>> world = World(TableSimulator())
    >>> world.spawn(TableModel(static=True), "wall", Pose())
    >>> try:
    ...     world.models.put(twist=(1, 0, 0, 0, 0, 0))
    ...     world.flush()
    ... except WriteRefusedError as error:
    ...     [refusal] = error.refusals
    ...     print(refusal.name, refusal.column, "-", refusal.reason)
    wall twist - a static model has no velocity: set its pose
    """

    kind: Kind
    column: str
    name: str
    """Name of the entity."""
    reason: str
    world: int = 0

    def __str__(self) -> str:
        return f"{self.column} of {self.kind[:-1]} {self.name!r}: {self.reason}"


def checked_rows(names: Names, rows: Iterable[int]) -> NDArray[np.intp]:
    """Returns rows of a table as an array, (k,).

    Raises:
        ValueError: A row is not an integer, or does not exist.
    """
    chosen = rows if isinstance(rows, np.ndarray) else np.asarray(list(rows))
    if chosen.size and not (chosen.ndim == 1 and chosen.dtype.kind in "iu"):
        raise ValueError(f"rows of {names.kind} must be a list of int, got {rows!r}")
    if chosen.size and not (chosen.min() >= 0 and chosen.max() < len(names)):
        raise ValueError(f"{names.kind} have rows 0 to {len(names) - 1}, got {chosen.tolist()}")
    return chosen.astype(np.intp, copy=False)

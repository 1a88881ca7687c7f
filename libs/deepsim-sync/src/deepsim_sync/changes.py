# SPDX-License-Identifier: Apache-2.0
"""What is to be written to a simulator in one batch, and what it refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .entities import Kind, Names
from .tables import COLUMNS, Array

_SMALLEST_NORM = 1e-6  # below this a quaternion's direction is noise


class Cells(NamedTuple):
    """New values for some cells of one column."""

    worlds: NDArray[np.intp]
    """(k,) index of the world of each cell."""
    rows: NDArray[np.intp]
    """(k,) row of each cell."""
    values: Array
    """(k, ...) checked values: finite, quaternions of unit length, colours in 0..1."""


@dataclass(frozen=True, slots=True)
class Changes:
    """One batch of changed cells.

    A simulator applies models before links, and refuses single rows rather than the batch.

    Attributes:
        generation: The generation of entities that the rows were found under.
        cells: Changed cells by (table, column), such as ``("models", "pose")``.
    """

    generation: int
    cells: Mapping[tuple[Kind, str], Cells]


class Refusal(NamedTuple):
    """A row that a simulator did not accept."""

    kind: Kind
    column: str
    name: str
    """The entity."""
    reason: str
    world: int = 0

    def __str__(self) -> str:
        return f"{self.column} of {self.kind[:-1]} {self.name!r}: {self.reason}"


def checked_cells(
    kind: Kind, column: str, names: Names, rows: NDArray[np.intp], values: ArrayLike
) -> Array:
    """Values fit to be written to some rows of a column.

    Args:
        kind: The table.
        column: The column.
        names: The names of the table's rows.
        rows: (k,) the rows that the values are for.
        values: Anything that broadcasts to (..., k, width).

    Returns:
        (..., k, width) array, a copy; quaternions have unit length.

    Raises:
        ValueError: A value has the wrong shape, is not finite, is a colour or transparency outside
            0..1, or is a quaternion without direction. The message names the entity.
    """
    spec = COLUMNS[kind][column]
    given = np.asarray(values, dtype=spec.dtype)
    try:
        cells = np.broadcast_to(
            given, np.broadcast_shapes(given.shape, (len(rows), *spec.width))
        ).copy()
    except ValueError:
        raise ValueError(
            f"{column} of {len(rows)} {kind} must have shape {(len(rows), *spec.width)} "
            f"or broadcast to it, got {given.shape}"
        ) from None
    if spec.dtype is np.bool_:
        return cells

    def refuse(bad: NDArray[np.bool_], rule: str) -> None:
        if bad.any():
            flat = cells.reshape(-1, *cells.shape[cells.ndim - len(spec.width) :])
            first = int(np.argmax(bad.reshape(len(flat), -1).any(axis=1)))
            name = names[int(rows[first % len(rows)])]
            raise ValueError(f"{column} of {names.noun} {name!r} must {rule}, got {flat[first]}")

    refuse(~np.isfinite(cells), "be finite")
    if spec.unit_range:
        refuse((cells < 0.0) | (cells > 1.0), "lie in 0..1")
    if column == "pose":
        norm = np.linalg.norm(cells[..., 3:], axis=-1, keepdims=True)
        refuse(norm < _SMALLEST_NORM, "have a quaternion that is not zero")
        # A unit quaternion stays as it was given, bit for bit.
        off_unit = np.abs(norm - 1.0) > 1e-12
        cells[..., 3:] /= np.where(off_unit, norm, 1.0)
    return cells

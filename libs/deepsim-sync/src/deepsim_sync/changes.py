# SPDX-License-Identifier: Apache-2.0
"""What is to be written to a simulator in one batch, and what it refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .entities import Kind, Names
from .tables import COLUMNS, Array

_SMALLEST_NORM = 1e-6  # below this a quaternion's direction is noise
_UNIT = 1e-12  # a quaternion this close to unit length stays as it was given, bit for bit


class Cells(NamedTuple):
    """New values for some cells of one column."""

    worlds: NDArray[np.intp]
    """(k,) index of the world of each cell."""
    rows: NDArray[np.intp]
    """(k,) row of each cell."""
    values: Array
    """(k, ...) checked values: finite, quaternions of unit length, colours in 0..1."""


@dataclass(frozen=True)
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


def checked_rows(names: Names, rows: Iterable[int]) -> NDArray[np.intp]:
    """Rows of a table, (k,).

    Raises:
        ValueError: One is no integer, or the table has no such row.
    """
    chosen = rows if isinstance(rows, np.ndarray) else np.asarray(list(rows))
    if chosen.size and not (chosen.ndim == 1 and chosen.dtype.kind in "iu"):
        raise ValueError(f"rows of {names.kind} must be a list of int, got {rows!r}")
    if chosen.size and not (chosen.min() >= 0 and chosen.max() < len(names)):
        raise ValueError(f"{names.kind} have rows 0 to {len(names) - 1}, got {chosen.tolist()}")
    return chosen.astype(np.intp, copy=False)


def checked_cells(
    names: Names, column: str, rows: NDArray[np.intp], values: ArrayLike, worlds: int = 1
) -> Array:
    """Values fit to be written to some rows of a column.

    Args:
        names: The names of the table's rows.
        column: The column.
        rows: (k,) the rows that the values are for.
        values: Whole cells, of a shape that broadcasts to (worlds, k, ...).
        worlds: How many worlds the table has.

    Returns:
        (k, ...) or (worlds, k, ...) array, a copy; quaternions have unit length.

    Raises:
        ValueError: There is no such column; or a value has the wrong shape, is not finite, is a
            colour or transparency outside 0..1, or is a quaternion without direction. The message
            names the entity.
    """
    spec = COLUMNS[names.kind].get(column)
    if spec is None:
        known = ", ".join(COLUMNS[names.kind])
        raise ValueError(f"{names.kind} have no {column!r}; they have {known}")
    try:
        cells: Array = np.array(values, dtype=spec.dtype)
        exact = spec.dtype is not np.bool_ or _is_bool(np.asarray(values))
    except (TypeError, ValueError):
        exact = False
    if not exact:
        expected = "bool" if spec.dtype is np.bool_ else "numbers, cell by cell"
        owner = ", ".join(repr(names[int(row)]) for row in rows[:3])
        raise ValueError(f"{column} of {names.kind} {owner} must be {expected}, got {values!r}")
    shape = (len(rows), *spec.width)
    if cells.shape != shape:
        if cells.ndim > len(shape):
            shape = (worlds, *shape)
        whole = cells.shape[cells.ndim - len(spec.width) :] == spec.width
        if not whole or not _broadcasts(cells.shape, shape):
            one = len(rows) == 1
            owner = f"{names.noun} {names[int(rows[0])]!r}" if one else f"{len(rows)} {names.kind}"
            raise ValueError(
                f"{column} of {owner} must have shape {shape}, or {spec.width} for each alike, "
                f"got {cells.shape}"
            )
        cells = np.broadcast_to(cells, shape).copy()
    if spec.dtype is np.bool_:
        return cells

    def refuse(bad: NDArray[np.bool_], rule: str) -> NoReturn:
        flat = cells.reshape(-1, *spec.width)
        first = int(np.argmax(bad.reshape(len(flat), -1).any(axis=1)))
        name = names[int(rows[first % len(rows)])]
        raise ValueError(f"{column} of {names.noun} {name!r} must {rule}, got {flat[first]}")

    fit = (cells >= 0.0) & (cells <= 1.0) if spec.unit_range else np.isfinite(cells)
    if np.count_nonzero(fit) < fit.size:  # for a few, `all` takes twice as long
        if not np.isfinite(cells).all():
            refuse(~np.isfinite(cells), "be finite")
        refuse(~fit, "lie in 0..1")
    if column == "pose":
        quaternions = cells[..., 3:]
        square = np.einsum("...i,...i->...", quaternions, quaternions)
        if np.abs(square - 1.0).max(initial=0.0) > _UNIT:
            if (square < _SMALLEST_NORM**2).any():
                refuse(square < _SMALLEST_NORM**2, "have a quaternion that is not zero")
            quaternions /= np.sqrt(square)[..., None]
    return cells


def _is_bool(values: Array) -> bool:
    """Whether every value is a bool, 0 or 1."""
    return values.dtype.kind in "biuf" and bool(np.isin(values, (0, 1)).all())


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False

# SPDX-License-Identifier: Apache-2.0
"""Changed cells, sent to a simulator in one batch, and the rows that it refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, isfinite
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .entities import Kind, Names
from .square_sums import square_sum
from .tables import COLUMNS, Array, Column

_SMALLEST_NORM = 1e-6  # below this a quaternion's direction is noise
_ONES = np.ones(4)
UNIT = 1e-12  # a quaternion this close to unit length stays as it was given, bit for bit


class Cells(NamedTuple):
    """New values for some cells of one column."""

    worlds: NDArray[np.intp]
    """(k,) number of the world of each cell."""
    rows: NDArray[np.intp]
    """(k,) row of each cell."""
    values: Array
    """(k, ...) checked values: finite, quaternions of unit length, colours in 0..1."""


class Changes(NamedTuple):
    """One batch of changed cells.

    A simulator applies models before links, and refuses single rows rather than the batch.
    """

    generation: int
    """The generation of entities that the rows were found under."""
    cells: Mapping[tuple[Kind, str], Cells]
    """Changed cells by (table, column), such as ``("models", "pose")``."""


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
    """Returns rows of a table, (k,).

    Raises:
        ValueError: One is not an integer, or the table has no such row.
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
    """Returns values fit to be written to some rows of a column.

    Args:
        names: The names of the table's rows.
        column: The column.
        rows: (k,) the rows that the values are for.
        values: Whole cells, of a shape that broadcasts to (worlds, k, ...).
        worlds: The number of worlds that the values are for.

    Returns:
        An array that broadcasts to (worlds, k, ...), a copy; quaternions have unit length.

    Raises:
        ValueError: There is no such column, or it is only measured; or a value has the wrong
            shape, is not finite, lies outside the column's bounds, or is a quaternion without
            direction. The message names the entity.
    """
    spec = COLUMNS[names.kind].get(column)
    if spec is None:
        known = ", ".join(COLUMNS[names.kind])
        raise ValueError(f"{names.kind} have no {column!r}; they have {known}")
    if spec.measured:
        raise ValueError(f"{column} of {names.kind} is measured and cannot be put")
    cells = _as_cells(names, spec, rows, values, worlds)
    if spec.dtype is np.bool_:
        return cells
    if not isfinite(square_sum(cells)):
        unfit = np.isnan(cells) if spec.bounds else ~np.isfinite(cells)
        if unfit.any():
            _refuse(names, spec, rows, cells, unfit, "be finite")
    if spec.bounds is not None:
        low, high = spec.bounds
        outside = (cells < low) | (cells > high)
        if outside.any():
            rule = f"be >= {low:g}" if high == inf else f"lie in {low:g}..{high:g}"
            _refuse(names, spec, rows, cells, outside, rule)
    if spec.quaternion_at is not None:
        _make_unit(names, spec, rows, cells)
    return cells


def _as_cells(
    names: Names, spec: Column[Any], rows: NDArray[np.intp], values: ArrayLike, worlds: int
) -> Array:
    """A copy in the column's type, whose shape broadcasts to (worlds, k, ...)."""
    try:
        given = np.asarray(values)
        if given.dtype.kind not in ("b" if spec.dtype is np.bool_ else "fiu"):
            given = _as_kind(spec, given)
        cells: Array = given.astype(spec.dtype)
    except (TypeError, ValueError):
        expected = "bool" if spec.dtype is np.bool_ else "numbers, cell by cell"
        owner = ", ".join(repr(names[int(row)]) for row in rows[:3])
        raise ValueError(
            f"{spec.name} of {names.kind} {owner} must be {expected}, got {values!r}"
        ) from None
    shape = (len(rows), *spec.shape)
    if cells.shape == shape or cells.shape == (worlds, *shape):
        return cells
    whole = cells.shape[cells.ndim - len(spec.shape) :] == spec.shape
    if not whole or not _broadcasts(cells.shape, (worlds, *shape)):
        one = len(rows) == 1
        owner = f"{names.noun} {names[int(rows[0])]!r}" if one else f"{len(rows)} {names.kind}"
        wanted = (worlds, *shape) if cells.ndim > len(shape) else shape
        raise ValueError(
            f"{spec.name} of {owner} must have shape {wanted}, or {spec.shape} for each alike, "
            f"got {cells.shape}"
        )
    return cells


def _as_kind(spec: Column[Any], given: Array) -> Array:
    """Numbers out of objects, such as poses; bools out of numbers that are 0 or 1.

    Raises:
        TypeError, ValueError: They cannot be converted.
    """
    if spec.dtype is np.bool_:
        if given.dtype.kind in "iu" and np.isin(given, (0, 1)).all():
            return given
        raise TypeError("no bool")
    if given.dtype.kind == "b":
        return given
    if given.dtype.kind == "O":
        return np.array(given.tolist(), dtype=np.float64)
    raise TypeError("no number")


def _make_unit(names: Names, spec: Column[Any], rows: NDArray[np.intp], cells: Array) -> None:
    """Scales quaternions to unit length, except those that have it to 1e-12."""
    quaternions = cells[..., spec.quaternion_at :]
    squares = quaternions * quaternions
    # A product takes half the time of a sum, but is rounded in another way: far from the limit.
    if square_sum(np.dot(squares, _ONES) - 1.0) <= (0.5 * UNIT) ** 2:  # then each is
        return
    square = np.add.reduce(squares, axis=-1)
    excess = square - 1.0
    zero = square < _SMALLEST_NORM**2
    if zero.any():
        _refuse(names, spec, rows, cells, zero, "have a quaternion that is not zero")
    off = np.abs(excess) > UNIT
    quaternions[off] /= np.sqrt(square[off])[:, None]  # the others keep their bits


def _refuse(
    names: Names,
    spec: Column[Any],
    rows: NDArray[np.intp],
    cells: Array,
    bad: NDArray[np.bool_],
    rule: str,
) -> NoReturn:
    flat = cells.reshape(-1, *spec.shape)
    first = int(np.argmax(bad.reshape(len(flat), -1).any(axis=1)))
    name = names[int(rows[first % len(rows)])]
    raise ValueError(f"{spec.name} of {names.noun} {name!r} must {rule}, got {flat[first]}")


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False

# SPDX-License-Identifier: Apache-2.0
"""The type of a column of a table, which validates values; `tables` declares the columns."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, Generic, NoReturn, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .entities import Names

Array = NDArray[Any]
S = TypeVar("S", bound=np.generic)

UNIT = 1e-12
"""A quaternion whose squared length is this close to 1 is not normalised, and keeps its bits."""
_SMALLEST_NORM = 1e-6  # below this a quaternion's direction is noise
_ONES = np.ones(4)
_FEW = 4096  # for more numbers, BLAS may wake threads that keep spinning after the call


def square_sum(numbers: Array) -> float:
    """Returns the sum of the squares of all numbers, in one pass and without warnings.

    If it is finite, so are all numbers; it may overflow for finite numbers. Its last bits depend on
    the number of summands.

    >>> square_sum(np.array([3.0, 4.0]))
    25.0
    """
    if numbers.size <= _FEW:
        return float(np.vdot(numbers, numbers))
    flat = numbers.reshape(-1)
    return float(np.einsum("i,i", flat, flat))


class Column(Generic[S]):
    """Declaration of one column; on an instance of a table, the attribute is the column's array.

    >>> StateTable.twist.checked(Names("models", ["car"]), np.array([0]), (1, 0, 0))
    Traceback (most recent call last):
    ...
    ValueError: twist of model 'car' must have shape (1, 6), or (6,) for each alike, got (3,)

    Args:
        shape: Shape of one cell.
        default: Value of a cell before it is read.
        dtype: Type of the numbers.
        bounds: Least and largest value of every number; an infinite bound is a valid value.
        quaternion_at: Index of the first of four numbers that form a unit quaternion, or None.
        changes_in_time: Whether the physics changes the column.
        measured: Whether the column is read-only.
    """

    name: str

    def __init__(
        self,
        shape: tuple[int, ...],
        default: Any,
        dtype: type[S],
        *,
        bounds: tuple[float, float] | None = None,
        quaternion_at: int | None = None,
        changes_in_time: bool = False,
        measured: bool = False,
    ) -> None:
        self.shape = shape
        self.default = default
        self.dtype = dtype
        self.bounds = bounds
        self.quaternion_at = quaternion_at
        self.changes_in_time = changes_in_time
        self.measured = measured

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, rows: None, owner: type) -> Column[S]: ...
    @overload
    def __get__(self, rows: Columns, owner: type) -> NDArray[S]: ...
    def __get__(self, rows: Columns | None, owner: type) -> Column[S] | NDArray[S]:
        return self if rows is None else rows.get(self.name)

    def __set__(self, rows: Columns, values: Any) -> None:
        rows.set(self.name, values)

    def allocate(self, worlds: int, rows: int) -> NDArray[S]:
        """Returns an array of default values, (worlds, rows, ...)."""
        array: NDArray[S] = np.empty((worlds, rows, *self.shape), self.dtype)
        array[:] = self.default
        return array

    def checked(
        self, names: Names, rows: NDArray[np.intp], values: ArrayLike, worlds: int = 1
    ) -> Array:
        """Returns valid values for some rows of this column.

        Args:
            names: Names of the table's rows.
            rows: Rows to be written, (k,).
            values: Whole cells, of a shape that broadcasts to (worlds, k, ...).
            worlds: Number of worlds to be written.

        Returns:
            An array that broadcasts to (worlds, k, ...), which may be the given one: do not write
            to it. Quaternions have unit length.

        Raises:
            ValueError: The column is read-only, or a value has the wrong shape, is not finite, lies
                outside the bounds or is a zero quaternion. The message names the entity.
        """
        if self.measured:
            raise ValueError(f"{self.name} of {names.kind} is measured and cannot be put")
        is_bool = self.dtype is np.bool_
        try:
            given = np.asarray(values)
            if given.dtype.kind not in ("b" if is_bool else "fiu"):
                given = self._as_kind(given)
            # A copy where quaternions may be scaled.
            cells: Array = given.astype(self.dtype, copy=self.quaternion_at is not None)
        except (TypeError, ValueError):
            expected = "bool" if is_bool else "numbers, cell by cell"
            owner = ", ".join(repr(names[int(row)]) for row in rows[:3])
            raise ValueError(
                f"{self.name} of {names.kind} {owner} must be {expected}, got {values!r}"
            ) from None
        shape = (len(rows), *self.shape)
        if cells.shape != shape and cells.shape != (worlds, *shape):
            self._require_broadcast(names, rows, cells, worlds)
        if is_bool:
            return cells
        if not isfinite(square_sum(cells)):
            unfit = np.isnan(cells) if self.bounds else ~np.isfinite(cells)
            if unfit.any():
                self._refuse(names, rows, cells, unfit, "be finite")
        if self.bounds is not None:
            low, high = self.bounds
            outside = (cells < low) | (cells > high)
            if outside.any():
                rule = f"be >= {low:g}" if high == inf else f"lie in {low:g}..{high:g}"
                self._refuse(names, rows, cells, outside, rule)
        if self.quaternion_at is not None:
            quaternions = cells[..., self.quaternion_at :]
            squares = quaternions * quaternions
            # A product takes half the time of a sum, but is rounded differently. That is safe far
            # from the limit: a small sum means that each quaternion has unit length.
            if square_sum(np.dot(squares, _ONES) - 1.0) > (0.5 * UNIT) ** 2:
                self._make_unit(names, rows, cells, np.add.reduce(squares, axis=-1))
        return cells

    def _as_kind(self, given: Array) -> Array:
        """Converts objects such as poses to numbers, and 0 or 1 to bools; refuses anything else."""
        if self.dtype is np.bool_:
            if given.dtype.kind in "iu" and np.isin(given, (0, 1)).all():
                return given
            raise TypeError("no bool")
        if given.dtype.kind == "b":
            return given
        if given.dtype.kind == "O":
            return np.array(given.tolist(), dtype=np.float64)
        raise TypeError("no number")

    def _require_broadcast(
        self, names: Names, rows: NDArray[np.intp], cells: Array, worlds: int
    ) -> None:
        """Refuses cells that do not broadcast to (worlds, k, ...)."""
        shape = (worlds, len(rows), *self.shape)
        try:
            if (
                cells.shape[cells.ndim - len(self.shape) :] == self.shape
                and np.broadcast_shapes(cells.shape, shape) == shape
            ):
                return
        except ValueError:
            pass
        one = len(rows) == 1
        owner = f"{names.noun} {names[int(rows[0])]!r}" if one else f"{len(rows)} {names.kind}"
        wanted = shape if cells.ndim >= len(shape) else shape[1:]
        raise ValueError(
            f"{self.name} of {owner} must have shape {wanted}, or {self.shape} for each alike, "
            f"got {cells.shape}"
        )

    def _make_unit(self, names: Names, rows: NDArray[np.intp], cells: Array, square: Array) -> None:
        """Scales quaternions to unit length, given their squared lengths, (..., k)."""
        zero = square < _SMALLEST_NORM**2
        if zero.any():
            self._refuse(names, rows, cells, zero, "have a quaternion that is not zero")
        off = np.abs(square - 1.0) > UNIT
        cells[..., self.quaternion_at :][off] /= np.sqrt(square[off])[:, None]

    def _refuse(
        self,
        names: Names,
        rows: NDArray[np.intp],
        cells: Array,
        bad: NDArray[np.bool_],
        rule: str,
    ) -> NoReturn:
        flat = cells.reshape(-1, *self.shape)
        first = int(np.argmax(bad.reshape(len(flat), -1).any(axis=1)))
        name = names[int(rows[first % len(rows)])]
        raise ValueError(f"{self.name} of {names.noun} {name!r} must {rule}, got {flat[first]}")


class Columns:
    """Named columns of one kind of entity; subclasses declare them as class attributes."""

    __slots__ = ()

    def get(self, column: str) -> Array:
        """Returns the array of a column, (W, n, ...)."""
        raise NotImplementedError

    def set(self, column: str, values: Any) -> None:
        """Sets the values of a column."""
        raise NotImplementedError

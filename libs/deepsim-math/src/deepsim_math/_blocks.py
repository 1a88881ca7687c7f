# SPDX-License-Identifier: Apache-2.0
"""The driver of all batch functions: broadcasting, dtype and cache-sized blocks."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from ._value import Row
from .formulas.elementwise import ZeroLengthError

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Rows per block: the dozen or so temporaries of a formula stay in the cache. Measured at a million
# rows, the same formula runs 2 to 4 times faster in blocks.
_ROWS = 4096

# Up to this many rows, one call per row is faster than NumPy calls on columns: on Python floats, or
# on NumPy's if the formula has trigonometric functions, whose last bits differ.
_FEW, _FEW_INEXACT = 10, 3

_SINGLE = np.dtype(np.float32)
_DOUBLE = np.dtype(np.float64)

Formula = Callable[..., Any]
Kernel = Callable[..., object]


def run(
    formula: Formula,
    arguments: Sequence[Any],
    widths: Sequence[int],
    width: int,
    exact: bool = True,
) -> NDArray[Any]:
    """Applies `formula` to the last axes of `arguments`, broadcasting the leading ones.

    Args:
        formula: takes the components of each argument in turn, as 1-D arrays of equal length or
            of length 1, and returns the `width` components of the result; a single one, not a
            tuple, when `width` is 0.
        arguments: array-likes; the result is float32 if all arrays among them are.
        widths: size of the last axis of each argument; 0 for an argument without one.
        width: size of the last axis of the result; 0 for none.
        exact: False for formulas with trigonometric functions, whose last bits differ between
            Python and NumPy. The bits of a row never depend on the number of rows.

    Raises:
        TypeError: when an argument does not contain numbers.
        ValueError: when shapes do not match, or the formula divides by a length of zero.
    """
    arrays = float_arrays(*arguments)
    few = 0 if arrays[0].dtype is not _DOUBLE else _FEW if exact else _FEW_INEXACT
    columns, rows = _by_columns(formula, width), _by_rows(formula, width, exact)
    return _apply(columns, arrays, widths, width, few, rows)


def run_rows(
    kernel: Kernel, arguments: Sequence[Any], widths: Sequence[int], width: int
) -> NDArray[Any]:
    """Applies `kernel`, which takes rows instead of components; otherwise like `run`.

    The kernel fills its first argument, an array of shape (n, width or 1). The others are blocks
    of the arguments, of shape (n, size or 1), or (1, size) for an argument of one row.
    """
    return _apply(kernel, float_arrays(*arguments), widths, width)


def float_arrays(*arguments: Any) -> list[NDArray[Any]]:
    """Converts to arrays of one float dtype: float32 if all arrays among the arguments have it.

    Numbers, sequences and values take the dtype of the arrays.

    Raises:
        TypeError: for masked arrays, text, complex numbers, sets and other objects.
    """
    for argument in arguments:
        if type(argument) is not np.ndarray or argument.dtype is not _DOUBLE:
            break
    else:  # plain arrays, the common case
        return [*arguments]
    arrays: list[NDArray[Any]] = []
    single = double = False
    for argument in arguments:
        if isinstance(argument, Row):
            array = np.array(argument._row())
        else:
            array = np.asarray(argument)
            if array.dtype is not _DOUBLE and array.dtype.kind not in "fiub":
                raise TypeError(f"expected numbers, got {argument!r}")
            if isinstance(argument, (np.ndarray, np.generic)):
                single |= array.dtype == _SINGLE
                double |= array.dtype != _SINGLE
                if isinstance(argument, np.ma.MaskedArray):
                    raise TypeError("masked arrays are not accepted: fill or compress it first")
        arrays.append(array)
    dtype = _SINGLE if single and not double else _DOUBLE
    return [a if a.dtype is dtype else a.astype(dtype, copy=False) for a in arrays]


def functions_of(names: dict[str, Any]) -> list[str]:
    """Returns the public functions that a module defines, of its globals, for its ``__dir__``."""
    own = names["__name__"]
    functions = [name for name, value in names.items() if getattr(value, "__module__", "") == own]
    return [name for name in functions if not name.startswith("_")]


def refuse(wrong: Any, message: str, values: Any) -> None:
    """Raises ValueError if any row is `wrong`, with the index and value of the first such row."""
    if np.any(wrong):
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        place = f" at index {index}" if index else ""
        raise ValueError(f"{message}, got {np.asarray(values)[index].tolist()}{place}")


def refuse_non_rotations(matrices: NDArray[Any], size: int) -> None:
    """Raises ValueError unless the upper left 3 x 3 of matrices (..., size, size) are rotations."""
    if matrices.shape[-2:] != (size, size):
        raise ValueError(f"expected shape (..., {size}, {size}), got {matrices.shape}")
    turn = matrices[..., :3, :3]
    with np.errstate(invalid="ignore"):  # matrices of NaN flow through
        error = np.abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)).max(axis=(-1, -2))
        wrong = (error > 1e-3) | (np.linalg.det(turn) < 0.0)
    refuse(wrong, "not a rotation matrix (orthonormal, determinant 1)", turn)


def by_matrix(matrix: NDArray[Any], offset: NDArray[Any] | None = None) -> Kernel:
    """Returns the kernel that multiplies rows of three by a matrix (3, 3) and adds an offset (3,).

    Unlike a matrix product by BLAS, it gives a row the same bits for any number of rows.
    """

    def kernel(target: NDArray[Any], rows: NDArray[Any]) -> None:
        x, y, z = rows.T
        for index, (mx, my, mz) in enumerate(matrix):
            column = x * mx
            column += y * my
            column += z * mz
            target[:, index] = column if offset is None else column + offset[index]

    return kernel


def _by_columns(formula: Formula, width: int) -> Kernel:
    def kernel(target: NDArray[Any], *blocks: NDArray[Any]) -> None:
        result = formula(*chain.from_iterable([block.T for block in blocks]))
        for column, values in zip(target.T, result if width else (result,)):
            column[...] = values

    return kernel


def _by_rows(formula: Formula, width: int, exact: bool) -> Kernel:
    def kernel(target: NDArray[Any], *tables: NDArray[Any]) -> None:
        count = len(target)
        lists = [table.tolist() if exact else list(map(list, table)) for table in tables]
        rows = [part if len(part) == count else part * count for part in lists]
        results: list[Any] = []
        try:
            for parts in zip(*rows):
                results.append(formula(*chain.from_iterable(parts)))
        except ZeroLengthError as error:
            raise ZeroLengthError(error.what, len(results)) from None
        if width:  # one list is read three times faster than a list of rows
            results = [*chain.from_iterable(results)]
        if results:
            target[...] = np.array(results).reshape(target.shape)

    return kernel


def _apply(
    kernel: Kernel,
    arrays: list[NDArray[Any]],
    widths: Sequence[int],
    width: int,
    few: int = 0,
    kernel_of_few: Kernel | None = None,
) -> NDArray[Any]:
    leads = []
    for array, size in zip(arrays, widths):
        own = array.shape
        if size and own[-1:] != (size,):
            raise ValueError(f"expected shape (..., {size}), got {own}")
        leads.append(own[:-1] if size else own)
    lead = leads[0]
    if leads.count(lead) < len(leads):
        lead = np.broadcast_shapes(*leads)
    result = np.empty((*lead, width) if width else lead, arrays[0].dtype)
    rows = math.prod(lead)
    target = result.reshape(rows, width or 1)
    tables = [_table(a, own, lead, rows) for a, own in zip(arrays, leads)]
    if kernel_of_few and rows <= few:
        kernel = kernel_of_few
    start = 0
    try:
        with np.errstate(all="ignore"):  # rows that are not finite flow through
            if rows <= _ROWS:
                kernel(target, *tables)
            else:
                for start in range(0, rows, _ROWS):
                    some = slice(start, start + _ROWS)
                    parts = [table if len(table) == 1 else table[some] for table in tables]
                    kernel(target[some], *parts)
    except ZeroLengthError as error:
        index = tuple(int(i) for i in np.unravel_index(start + error.row, lead))
        raise ValueError(f"a {error.what} at index {index} has zero length") from None
    return result


def _table(
    array: NDArray[Any], own: tuple[int, ...], lead: tuple[int, ...], rows: int
) -> NDArray[Any]:
    """Returns an argument as (rows, size or 1), or (1, size) when one row serves all."""
    if own == lead and len(own) == 1 and array.ndim == 2:
        return array
    last = array.shape[len(own) :] or (1,)
    if not own:
        return array.reshape(1, *last)
    if own != lead:
        array = np.broadcast_to(array, (*lead, *array.shape[len(own) :]))
    return array.reshape(rows, *last)

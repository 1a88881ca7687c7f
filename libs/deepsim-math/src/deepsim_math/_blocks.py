# SPDX-License-Identifier: Apache-2.0
"""The driver of all batch functions: broadcasting, dtype, ``out=`` and cache-sized blocks."""

from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from .formulas.elementwise import ZeroLengthError
from .values.value import Row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._typing import ArrayLike, BoolArray, FloatArray

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
    arguments: Sequence[ArrayLike],
    widths: Sequence[int],
    width: int,
    out: FloatArray | None = None,
    exact: bool = True,
) -> FloatArray:
    """Applies `formula` to the last axes of `arguments`, broadcasting the leading ones.

    Args:
        formula: takes the components of each argument in turn, as 1-D arrays of equal length or
            of length 1, and returns the `width` components of the result; a single one, not a
            tuple, when `width` is 0.
        arguments: array-likes; the result is float32 if all arrays among them are.
        widths: size of the last axis of each argument; 0 for an argument without one.
        width: size of the last axis of the result; 0 for none.
        out: array for the result; it may share memory with an argument.
        exact: False for formulas with trigonometric functions, whose last bits differ between
            Python and NumPy. The bits of a row never depend on the number of rows.

    Raises:
        TypeError: when an argument does not contain numbers, or `out` is not an array of floats.
        ValueError: when shapes do not match, or the formula divides by a length of zero.
    """
    if out is None and hasattr(formula, "apply"):  # in C, for plain arrays
        plain: FloatArray | None = formula.apply(arguments)
        if plain is not None:
            return plain
    arrays = float_arrays(*arguments)
    dtype = arrays[0].dtype
    result: FloatArray = _apply(formula, None, arrays, widths, width, dtype, out, exact)
    return result


def run_rows(
    kernel: Kernel,
    arguments: Sequence[ArrayLike],
    widths: Sequence[int],
    width: int,
    out: FloatArray | None = None,
) -> FloatArray:
    """Applies `kernel`, which takes rows instead of components; otherwise like `run`.

    The kernel fills its first argument, an array of shape (n, width or 1). The others are blocks
    of the arguments, of shape (n, size or 1), or (1, size) for an argument of one row.
    """
    arrays = float_arrays(*arguments)
    dtype = arrays[0].dtype
    result: FloatArray = _apply(kernel, kernel, arrays, widths, width, dtype, out, False)
    return result


def decide(
    formula: Formula,
    arguments: Sequence[ArrayLike],
    widths: Sequence[int],
    out: BoolArray | None = None,
) -> BoolArray:
    """Applies a formula with one boolean result; otherwise like `run`."""
    arrays = float_arrays(*arguments)
    kernel = _by_columns(formula, 0)
    return _apply(formula, kernel, arrays, widths, 0, np.dtype(np.bool_), out, False)


def float_arrays(*arguments: ArrayLike) -> list[FloatArray]:
    """Converts to arrays of one float dtype: float32 if all arrays among the arguments have it.

    Numbers, sequences and values take the dtype of the arrays.

    Raises:
        TypeError: for masked arrays, text, complex numbers, sets and other objects.
    """
    for argument in arguments:
        if type(argument) is not np.ndarray or argument.dtype is not _DOUBLE:
            break
    else:  # plain arrays, the common case
        return [*arguments]  # type: ignore[list-item]
    arrays: list[FloatArray] = []
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


def refuse(wrong: Any, message: str, values: Any) -> None:
    """Raises ValueError if any row is `wrong`, with the index and value of the first such row."""
    if np.any(wrong):
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
        place = f" at index {index}" if index else ""
        raise ValueError(f"{message}, got {np.asarray(values)[index].tolist()}{place}")


def fill(out: FloatArray, values: FloatArray) -> FloatArray:
    """Copies `values` into `out`, which must have their shape, and returns it."""
    _checked(out, values.shape, values.dtype)[...] = values
    return out


def by_matrix(matrix: FloatArray, offset: FloatArray | None = None) -> Kernel:
    """Returns the kernel that multiplies rows of three by a matrix (3, 3) and adds an offset (3,).

    Unlike a matrix product by BLAS, it gives a row the same bits for any number of rows.
    """

    def kernel(target: NDArray[Any], rows: FloatArray) -> None:
        x, y, z = rows.T
        for index, (mx, my, mz) in enumerate(matrix):
            column = x * mx
            column += y * my
            column += z * mz
            target[:, index] = column if offset is None else column + offset[index]

    return kernel


def _by_columns(formula: Formula, width: int) -> Kernel:
    def kernel(target: NDArray[Any], *blocks: FloatArray) -> None:
        result = formula(*chain.from_iterable([block.T for block in blocks]))
        for column, values in zip(target.T, result if width else (result,)):
            column[...] = values

    return kernel


def _by_rows(formula: Formula, width: int, exact: bool) -> Kernel:
    def kernel(target: NDArray[Any], *tables: FloatArray) -> None:
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
    formula: Formula,
    kernel: Kernel | None,
    arrays: list[FloatArray],
    widths: Sequence[int],
    width: int,
    dtype: np.dtype[Any],
    out: NDArray[Any] | None,
    exact: bool,
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
    shape = (*lead, width) if width else lead
    in_place = False
    if out is None:
        result = np.empty(shape, dtype)
    else:
        result = _checked(out, shape, dtype)
        overlapping = [np.may_share_memory(a, out) for a in arrays]
        in_place = any(overlapping)
        arrays = [
            a.copy() if overlaps and not _same_rows(a, out) else a
            for a, overlaps in zip(arrays, overlapping)
        ]

    rows = math.prod(lead)
    target = result.reshape(rows, width or 1)
    tables = [_table(a, own, lead, rows) for a, own in zip(arrays, leads)]
    few = 0 if kernel or arrays[0].dtype is not _DOUBLE else _FEW if exact else _FEW_INEXACT
    start = first = 0
    try:
        with np.errstate(all="ignore"):  # rows that are not finite flow through
            if hasattr(formula, "fill") and arrays[0].dtype is _DOUBLE:
                first = formula.fill(target, *tables)
            if first == rows:
                pass
            elif rows <= few:
                _by_rows(formula, width, exact)(target, *tables)
            else:
                work = kernel or _by_columns(formula, width)
                for start in range(first, rows, _ROWS):
                    parts, block = tables, target
                    if start or rows > _ROWS:
                        some = slice(start, start + _ROWS)
                        parts = [table if len(table) == 1 else table[some] for table in tables]
                        block = target[some]
                    if in_place:  # so that the kernel may write while it still reads
                        parts = [part.copy() for part in parts]
                    work(block, *parts)
    except ZeroLengthError as error:
        index = tuple(int(i) for i in np.unravel_index(start + error.row, lead))
        raise ValueError(f"a {error.what} at index {index} has zero length") from None
    if out is not None and not np.may_share_memory(target, out):
        out[...] = target.reshape(shape)
    return result


def _checked(out: NDArray[Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    kind, name = (np.bool_, "bools") if dtype == np.bool_ else (np.floating, "floats")
    if not isinstance(out, np.ndarray) or not np.issubdtype(out.dtype, kind):
        raise TypeError(f"out must be an array of {name}, got {getattr(out, 'dtype', type(out))}")
    if out.shape != shape:
        raise ValueError(f"out must have shape {shape}, got {out.shape}")
    return out


def _same_rows(array: FloatArray, out: NDArray[Any]) -> bool:
    # The very same rows are safe, since a block is read before it is written. Shifted or broadcast
    # overlap is not: a later block would read what an earlier one wrote.
    return (
        array.__array_interface__["data"] == out.__array_interface__["data"]
        and array.shape == out.shape
        and array.strides == out.strides
    )


def _table(array: FloatArray, own: tuple[int, ...], lead: tuple[int, ...], rows: int) -> FloatArray:
    """Returns an argument as (rows, size or 1), or (1, size) when one row serves all."""
    if own == lead and len(own) == 1 and array.ndim == 2:
        return array
    last = array.shape[len(own) :] or (1,)
    if not own:
        return array.reshape(1, *last)
    if own != lead:
        array = np.broadcast_to(array, (*lead, *array.shape[len(own) :]))
    return array.reshape(rows, *last)

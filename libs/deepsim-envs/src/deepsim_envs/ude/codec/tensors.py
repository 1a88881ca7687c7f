# SPDX-License-Identifier: Apache-2.0
"""Encodes arrays of numbers as Arrow's tensor messages."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.ude.errors import PayloadError

from .flatbuffer import Number, Structs, Table, TableReader
from .plan import ArrayColumn
from .schema import TENSOR, message, require_message

_INT, _FLOAT = 2, 3
_PRECISIONS = ("<f2", "<f4", "<f8")


def tensor_message(array: NDArray[Any]) -> tuple[bytes, bytes]:
    """Returns the metadata and the body of an array's message.

    Raises:
        PayloadError: The array holds neither integers nor floats of 16, 32 or 64 bits.
    """
    dtype = array.dtype.newbyteorder("<")
    if dtype.kind in "iu":
        kind = _INT
        parameters: Table = {
            0: Number("i", 8 * dtype.itemsize),
            1: Number("B", dtype.kind == "i"),
        }
    elif dtype.str in _PRECISIONS:
        kind, parameters = _FLOAT, {0: Number("h", _PRECISIONS.index(dtype.str))}
    else:
        raise PayloadError(
            f"an array of {array.dtype} cannot be sent: those of integers and of floats of 16, 32 "
            "and 64 bits can; for bool use int8"
        )
    body = array.astype(dtype, copy=False).tobytes()
    strides = [dtype.itemsize * math.prod(array.shape[axis + 1 :]) for axis in range(array.ndim)]
    tensor: Table = {
        0: Number("B", kind),
        1: parameters,
        2: [{0: Number("q", size)} for size in array.shape],
        3: Structs("q", strides),
        4: Number("qq", 0, len(body)),
    }
    padded = -(-len(body) // 64) * 64
    return message(TENSOR, tensor, padded), body


def read_tensor(
    metadata: TableReader, body_start: int, body_end: int, dimensions: int
) -> ArrayColumn:
    """Returns where an array lies in a payload.

    Args:
        metadata: The metadata of the array's message.
        body_start: The position of the first byte of the message's body.
        body_end: The end of the body (exclusive).
        dimensions: The maximum number of axes.

    Raises:
        PayloadError: The array is not one of numbers, has too many axes, or is not contiguous.
    """
    require_message(metadata, TENSOR)
    tensor = metadata.table(2)
    dtype = _dtype(tensor)
    shape = tuple(size.number(0, "<q") for size in tensor.tables(2, dimensions))
    start, length = tensor.struct(4, "qq")
    if not all(0 <= size < 2**31 for size in shape) or start < 0 or length < 0:
        raise PayloadError("an array has a negative or huge size")
    if math.prod(size or 1 for size in shape) * dtype.itemsize > sys.maxsize:
        raise PayloadError("an array is too large, even though it is empty")
    if start + length > body_end - body_start or length < math.prod(shape) * dtype.itemsize:
        raise PayloadError("an array lies outside its message")
    order = _order(shape, tensor.structs(3, "q"), dtype.itemsize)
    return ArrayColumn(body_start + start, dtype, shape, order)


def _dtype(tensor: TableReader) -> np.dtype[Any]:
    kind, parameters = tensor.number(0, "<B"), tensor.table(1)
    if kind == _INT:
        width, signed = parameters.number(0, "<i"), parameters.number(1, "<B")
        if width in {8, 16, 32, 64}:
            return np.dtype(f"<{'i' if signed else 'u'}{width // 8}")
    elif kind == _FLOAT and 0 <= parameters.number(0, "<h") < len(_PRECISIONS):
        return np.dtype(_PRECISIONS[parameters.number(0, "<h")])
    raise PayloadError("an array must be one of numbers")


def _order(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> Any:
    """Returns "C" for row-major, "F" for column-major; raises a PayloadError for other strides."""
    if not strides or 0 in shape or math.prod(shape) == 1:
        return "C"
    axes = range(len(shape))
    rows = tuple(itemsize * math.prod(shape[axis + 1 :]) for axis in axes)
    columns = tuple(itemsize * math.prod(shape[:axis]) for axis in axes)
    for order, expected in (("C", rows), ("F", columns)):
        if len(strides) == len(shape) and all(
            size == 1 or stride == wanted
            for size, stride, wanted in zip(shape, strides, expected, strict=True)
        ):
            return order
    raise PayloadError("an array must have its rows or its columns together, without gaps")

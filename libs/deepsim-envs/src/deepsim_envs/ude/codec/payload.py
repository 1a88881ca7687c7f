# SPDX-License-Identifier: Apache-2.0
"""Payloads: four counts, an Arrow stream with one batch, then a tensor for each array."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.ude.errors import PayloadError

from .arrow import (
    RECORD_BATCH,
    TENSOR,
    Limits,
    Number,
    Structs,
    Table,
    TableReader,
    message,
    read_schema,
    require_message,
    schema_message,
)
from .union import UnionReader, UnionWriter

_COUNTS = struct.Struct("<4i")  # tensors, sparse tensors, arrays, buffers
_FRAME = struct.Struct("<Ii")  # continuation mark, length of the metadata
_MARK = 0xFFFFFFFF
_TENSOR_ALIGN = 64


def encode(value: Any, limits: Limits = Limits()) -> bytes:  # noqa: B008 (frozen)
    """Returns a value as bytes that UDE can read.

    Args:
        value: None, a bool, 64-bit int, float, str or bytes, a NumPy scalar, an array of numbers,
            or a list, tuple or mapping of these. NumPy integers become ``int``, and a named tuple
            becomes a tuple.
        limits: The limits of the payload.

    Raises:
        PayloadError: The value holds an object of a different type, or is too large.
    """
    arrays: list[NDArray[Any]] = []
    column = UnionWriter(arrays, limits, limits.depth)
    column.add(value)
    nodes: list[int] = []
    buffers: list[bytes] = []
    column.emit(nodes, buffers)
    out = bytearray(_COUNTS.pack(0, 0, len(arrays), 0))
    _write(out, schema_message(column.schema()), b"")
    places: list[int] = []
    body = bytearray()
    for data in buffers:
        places += (len(body), len(data))
        body += data + bytes(-len(data) % 8)
    batch: Table = {0: Number("q", 1), 1: Structs("qq", nodes), 2: Structs("qq", places)}
    _write(out, message(RECORD_BATCH, batch, len(body)), body)
    out += _FRAME.pack(_MARK, 0)  # the end of the stream
    for array in arrays:
        out += bytes(-len(out) % _TENSOR_ALIGN)
        _write(out, *_tensor_message(array), align=_TENSOR_ALIGN)
    out += bytes(-len(out) % _TENSOR_ALIGN)
    if len(out) > limits.message_bytes:
        raise PayloadError(f"a payload has at most {limits.message_bytes} bytes, got {len(out)}")
    return bytes(out)


def decode(
    data: bytes,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    tags: Mapping[str, Callable[[Any], Any]] | None = None,
) -> Any:
    """Returns the value in bytes from UDE or `encode`; its arrays are contiguous and writable.

    Args:
        data: The bytes, which need not be trusted: decoding never runs code from them, and their
            length bounds the size of the value.
        limits: The limits of the payload.
        tags: Functions that make an object from the data of a tagged dict, by tag; other tags are
            not allowed.

    Raises:
        PayloadError: The bytes are not a payload within the limits.
    """
    if len(data) > limits.message_bytes:
        raise PayloadError(f"a payload has at most {limits.message_bytes} bytes, got {len(data)}")
    if len(data) < _COUNTS.size:
        raise PayloadError("a payload begins with four counts")
    tensors, sparse, count, others = _COUNTS.unpack_from(data)
    if (tensors, sparse, others) != (0, 0, 0) or not 0 <= count <= limits.values:
        raise PayloadError("a payload may have arrays besides its values, nothing else")
    stream = _Stream(data)
    union = read_schema(stream.metadata(), limits.depth)
    metadata = TableReader(stream.metadata())
    require_message(metadata, RECORD_BATCH)
    batch = metadata.table(2)
    if batch.number(0, "<q") != 1 or batch.has(3):
        raise PayloadError("a payload is a batch of one row, not compressed")
    body = stream.body(metadata)
    nodes, places = batch.structs(1, "qq"), batch.structs(2, "qq")
    stream.end()
    arrays = [_read_array(data, stream, limits) for _ in range(count)]
    reader = UnionReader(
        data,
        zip(nodes[::2], nodes[1::2], strict=True),
        _buffers(*body, places),
        arrays,
        limits,
        tags or {},
    )
    (value,) = reader.union(union, 1)
    reader.finish()
    return value


def _read_array(data: bytes, stream: _Stream, limits: Limits) -> NDArray[Any]:
    stream.align()
    metadata = TableReader(stream.metadata())
    return _read_tensor(data, metadata, *stream.body(metadata), limits.dimensions)


def _buffers(first: int, last: int, places: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yields the buffers of a batch; they must be in order, so that none is used twice."""
    end = first
    for offset, length in zip(places[::2], places[1::2], strict=True):
        start = first + offset
        if length < 0 or start < end or start + length > last:
            raise PayloadError("buffers overlap, or lie outside their message")
        end = start + length
        yield start, end


def _write(out: bytearray, metadata: bytes, body: bytes | bytearray, align: int = 8) -> None:
    size = len(metadata) + -(len(out) + _FRAME.size + len(metadata)) % align
    out += _FRAME.pack(_MARK, size)
    out += metadata + bytes(size - len(metadata))
    out += body
    out += bytes(-len(body) % align)


class _Stream:
    """Reads messages one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = _COUNTS.size

    def metadata(self) -> bytes:
        start, end = self._take(_FRAME.size)
        mark, size = _FRAME.unpack(self._data[start:end])
        if mark != _MARK or size <= 0:
            raise PayloadError("a message is missing")
        start, end = self._take(size)
        return self._data[start:end]

    def body(self, metadata: TableReader) -> tuple[int, int]:
        """Returns the positions of a message's body: its first byte, and the end (exclusive)."""
        return self._take(metadata.number(3, "<q"))

    def end(self) -> None:
        """Reads the mark at the end of the stream."""
        start, end = self._take(_FRAME.size)
        if self._data[start:end] != _FRAME.pack(_MARK, 0):
            raise PayloadError("a payload has one batch")

    def align(self) -> None:
        self._take(-self._position % _TENSOR_ALIGN)

    def _take(self, size: int) -> tuple[int, int]:
        if size < 0 or self._position + size > len(self._data):
            raise PayloadError("a payload ends too early")
        self._position += size
        return self._position - size, self._position


_INT, _FLOAT = 2, 3
_PRECISIONS = ("<f2", "<f4", "<f8")


def _tensor_message(array: NDArray[Any]) -> tuple[bytes, bytes]:
    """Returns the metadata and the body of an array's message.

    Raises:
        PayloadError: The array holds neither integers nor floats of 16, 32 or 64 bits.
    """
    dtype = array.dtype.newbyteorder("<")
    return _tensor_metadata(dtype, array.shape), array.astype(dtype, copy=False).tobytes()


@lru_cache(maxsize=256)
def _tensor_metadata(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
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
            f"an array of {dtype} cannot be sent: those of integers and of floats of 16, 32 "
            "and 64 bits can; for bool use int8"
        )
    size = dtype.itemsize * math.prod(shape)
    strides = [dtype.itemsize * math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    tensor: Table = {
        0: Number("B", kind),
        1: parameters,
        2: [{0: Number("q", length)} for length in shape],
        3: Structs("q", strides),
        4: Number("qq", 0, size),
    }
    return message(TENSOR, tensor, -(-size // _TENSOR_ALIGN) * _TENSOR_ALIGN)


def _read_tensor(
    data: bytes, metadata: TableReader, body_start: int, body_end: int, dimensions: int
) -> NDArray[Any]:
    """Returns a copy of an array in a payload, row-major.

    Args:
        data: The payload.
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
    native = dtype.newbyteorder("=")
    if 0 in shape:
        return np.empty(shape, native)
    flat = np.frombuffer(data, dtype, math.prod(shape), body_start + start)
    return flat.reshape(shape, order=order).astype(native, order="C")


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

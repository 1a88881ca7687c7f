# SPDX-License-Identifier: Apache-2.0
"""Payloads: four counts, an Arrow stream with one batch, then a tensor for each array."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

from deepsim_envs.ude.errors import PayloadError

from .flatbuffer import Number, Structs, Table, TableReader
from .plan import ArrayColumn, Plan
from .reader import UnionReader
from .schema import RECORD_BATCH, Limits, message, read_schema, require_message, schema_message
from .tensors import read_tensor, tensor_message
from .writer import UnionWriter

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
        _write(out, *tensor_message(array), align=_TENSOR_ALIGN)
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
    return read_plan(data, limits, tags).read(data)


def read_plan(
    data: bytes, limits: Limits, tags: Mapping[str, Callable[[Any], Any]] | None = None
) -> Plan:
    """Checks a payload and returns the plan that reads it; see `decode` for the arguments."""
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
    arrays = [_read_array(stream, limits) for _ in range(count)]
    reader = UnionReader(
        data,
        zip(nodes[::2], nodes[1::2], strict=True),
        _buffers(*body, places),
        arrays,
        limits,
        tags or {},
    )
    structure = reader.union(union, 1)[0]
    reader.finish()
    return Plan(data, structure, reader.columns)


class Codec:
    """Encodes and decodes payloads of one kind, such as the actions of one client.

    A payload that differs from the last one only in its numbers is processed faster, with the same
    result.
    """

    def __init__(
        self, limits: Limits, tags: Mapping[str, Callable[[Any], Any]] | None = None
    ) -> None:
        self._limits = limits
        self._tags = tags
        self._plan: Plan | None = None
        self._size = 0

    def encode(self, value: Any) -> bytes:
        """Encodes a value, like the function `encode`."""
        data = None if self._plan is None else self._plan.write(value)
        if data is None:
            data = encode(value, self._limits)
            # A plan costs as much as several payloads, so only two of equal size lead to one.
            self._plan = read_plan(data, self._limits, {}) if len(data) == self._size else None
            self._size = len(data)
        return data

    def decode(self, data: bytes) -> Any:
        """Decodes a payload, like the function `decode`."""
        plan = self._plan
        if plan is None or not plan.fits(data):
            plan = self._plan = read_plan(data, self._limits, self._tags)
        return plan.read(data)


def _read_array(stream: _Stream, limits: Limits) -> ArrayColumn:
    stream.align()
    metadata = TableReader(stream.metadata())
    return read_tensor(metadata, *stream.body(metadata), limits.dimensions)


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

# SPDX-License-Identifier: Apache-2.0
"""Python values to the columns of a dense union, and back.

A union column has a type and an offset for each value; the values of each type lie in a column of
their own, in order. Reading insists on that order and on exact lengths, so that each value is
referred to once: a payload cannot unfold into more than it holds.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.ude.errors import PayloadError

from .limits import Limits
from .schema import (
    ARRAY,
    BOOL,
    BYTES,
    DICT,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT,
    LIST,
    NONE,
    STR,
    TUPLE,
    Child,
    Union,
)

_LAYOUTS = {INT: "<i8", FLOAT16: "<f2", FLOAT32: "<f4", FLOAT64: "<f8", ARRAY: "<i4"}
TAG, PICKLE = "_pytype_", "pickle"


class Tagged(dict[str, Any]):
    """How an object of a registered type is written.

    Args:
        tag: The type's name.
        data: What makes it, as plain values.
    """

    def __init__(self, tag: str, data: Any) -> None:
        super().__init__({TAG: tag, "data": data})


class UnionWriter:
    """Gathers the values of one place; `schema` and `emit` come when all are there.

    Args:
        arrays: Where arrays go; their values are indices into it.
        limits: What is refused.
        depth: How much deeper values may nest.
    """

    def __init__(self, arrays: list[NDArray[Any]], limits: Limits, depth: int) -> None:
        self._arrays = arrays
        self._limits = limits
        self._depth = depth
        self._types = bytearray()
        self._offsets = array("i")
        self._index = {NONE: 0}
        self._values: list[Any] = [[]]
        self._parts: list[tuple[UnionWriter, ...]] = [()]

    def add(self, value: Any) -> None:
        """Appends a value.

        Raises:
            PayloadError: It is of a type that has no place in a payload.
        """
        code, plain = _coded(value)
        index = self._index.get(code)
        if index is None:
            if code in {LIST, TUPLE, DICT} and self._depth == 0:
                raise PayloadError(f"a payload nests at most {self._limits.depth} deep")
            index = self._index[code] = len(self._values)
            self._values.append([])
            count = {LIST: 1, TUPLE: 1, DICT: 2}.get(code, 0)
            self._parts.append(
                tuple(
                    UnionWriter(self._arrays, self._limits, self._depth - 1) for _ in range(count)
                )
            )
        self._types.append(index)
        self._offsets.append(len(self._values[index]))
        if code == ARRAY:
            if plain.ndim > self._limits.dimensions:
                raise PayloadError(f"an array has at most {self._limits.dimensions} axes")
            self._arrays.append(plain)
            plain = len(self._arrays) - 1
        parts = self._parts[index]
        if code == DICT:
            if TAG in plain and not isinstance(plain, Tagged):
                raise PayloadError(f"the key {TAG!r} of a dict is UDE's own")
            for key, part in plain.items():
                if not isinstance(key, (str, bytes, int, float, type(None))):
                    raise PayloadError(f"a key of a dict must be a str, bytes or number: {key!r}")
                parts[0].add(key)
                parts[1].add(part)
            plain = len(plain)
        elif parts:
            for part in plain:
                parts[0].add(part)
            plain = len(plain)
        self._values[index].append(plain)

    def schema(self) -> Union:
        """The types that occur, in order; None comes first, always."""
        return tuple(
            Child(code, tuple(part.schema() for part in parts))
            for code, parts in zip(self._index, self._parts, strict=True)
        )

    def emit(self, nodes: list[int], buffers: list[bytes]) -> None:
        """Appends lengths and buffers, depth first, as Arrow has them."""
        nodes += (len(self._types), 0)
        buffers += (bytes(self._types), self._offsets.tobytes())
        for code, values, parts in zip(self._index, self._values, self._parts, strict=True):
            nodes += (len(values), len(values) if code == NONE else 0)
            if code == NONE:
                continue
            buffers.append(b"")  # all values are valid
            if code == BOOL:
                buffers.append(np.packbits(values, bitorder="little").tobytes())
            elif code in {STR, BYTES}:
                buffers += (_ends(len(value) for value in values), b"".join(values))
            elif parts:
                buffers.append(_ends(values))
                if code == DICT:
                    nodes += (sum(values), 0)
                    buffers.append(b"")
                for part in parts:
                    part.emit(nodes, buffers)
            else:
                buffers.append(np.array(values, _LAYOUTS[code]).tobytes())


class UnionReader:
    """Reads the columns of a record batch; each buffer once, in order.

    Args:
        nodes: Length and number of nulls of each column.
        buffers: Their buffers.
        arrays: What indices stand for.
        limits: What is refused.
        tags: How a tagged dict becomes an object, by tag; no others are allowed.
    """

    def __init__(
        self,
        nodes: Iterator[tuple[int, int]],
        buffers: Iterator[memoryview],
        arrays: list[NDArray[Any]],
        limits: Limits,
        tags: Mapping[str, Callable[[Any], Any]],
    ) -> None:
        self._nodes = nodes
        self._buffers = buffers
        self._arrays: list[NDArray[Any] | None] = list(arrays)
        self._left = limits.values
        self._limits = limits
        self._tags = tags

    def union(self, union: Union, count: int) -> list[Any]:
        """The values of the next column.

        Args:
            union: What it may hold.
            count: How many values there must be.

        Raises:
            PayloadError: There is something else.
        """
        self._left -= count
        if self._left < 0:
            raise PayloadError(f"a payload has at most {self._limits.values} values")
        self._node(count, 0)
        types = self._numbers("<i1", count)
        offsets = self._numbers("<i4", count)
        if count and not 0 <= types.min() <= types.max() < len(union):
            raise PayloadError("a value is of a type that its union lacks")
        values: list[Any] = [None] * count
        for index, child in enumerate(union):
            places = np.flatnonzero(types == index)
            if not np.array_equal(offsets[places], np.arange(len(places))):
                raise PayloadError("values of a union are not in order")
            for place, value in zip(places.tolist(), self._child(child, len(places)), strict=True):
                values[place] = value
        return values

    def finish(self) -> None:
        """Refuses buffers and arrays that nothing refers to."""
        unused = sum(array is not None for array in self._arrays)
        if unused or next(self._nodes, None) or next(self._buffers, None) is not None:
            raise PayloadError("a payload holds more than its values")

    def _child(self, child: Child, count: int) -> list[Any]:
        if child.code == NONE:
            self._node(count, count)
            return [None] * count
        self._node(count, 0)
        if len(next(self._buffers, b"")):
            raise PayloadError("null values other than None are not allowed")
        if child.code == BOOL:
            bits = np.frombuffer(self._bytes((count + 7) // 8), np.uint8)
            flags: list[bool] = (
                np.unpackbits(bits, count=count, bitorder="little").astype(bool).tolist()
            )
            return flags
        if child.code in {STR, BYTES}:
            ends = self._read_ends(count)
            data = self._bytes(ends[-1])
            found = [bytes(data[a:b]) for a, b in pairwise(ends)]
            return found if child.code == BYTES else [_text(value) for value in found]
        if child.parts:
            return self._containers(child, self._read_ends(count))
        numbers = self._numbers(_LAYOUTS[child.code], count)
        if child.code == ARRAY:
            return [self._array(index) for index in numbers.tolist()]
        return list(numbers) if child.code in {FLOAT16, FLOAT32} else numbers.tolist()

    def _containers(self, child: Child, ends: list[int]) -> list[Any]:
        if child.code == DICT:
            self._node(ends[-1], 0)
            if len(next(self._buffers, b"")):
                raise PayloadError("null values other than None are not allowed")
        parts = [self.union(union, ends[-1]) for union in child.parts]
        spans = list(pairwise(ends))
        if child.code == DICT:
            keys, values = parts
            return [self._dict(keys[a:b], values[a:b]) for a, b in spans]
        make = tuple if child.code == TUPLE else list
        return [make(parts[0][a:b]) for a, b in spans]

    def _dict(self, keys: list[Any], values: list[Any]) -> Any:
        found = dict(zip(keys, values, strict=True))
        if len(found) != len(keys):
            raise PayloadError("a dict has a key twice")
        if TAG not in found:
            return found
        tag = found.pop(TAG)
        if PICKLE in found:
            raise PayloadError("pickled objects are never read: they could run any code")
        if not isinstance(tag, str) or tag not in self._tags or found.keys() != {"data"}:
            raise PayloadError(f"an object of type {tag!r} is not allowed here")
        return self._tags[tag](found["data"])

    def _array(self, index: int) -> NDArray[Any]:
        found = self._arrays[index] if 0 <= index < len(self._arrays) else None
        if found is None:
            raise PayloadError("an array is missing, or referred to twice")
        self._arrays[index] = None
        return found

    def _node(self, length: int, nulls: int) -> None:
        if next(self._nodes, None) != (length, nulls):
            raise PayloadError("a column has another length than it should have")

    def _bytes(self, size: int) -> memoryview:
        buffer = next(self._buffers, memoryview(b""))
        if len(buffer) < size:
            raise PayloadError("a buffer is too short")
        return buffer[:size]

    def _numbers(self, layout: str, count: int) -> NDArray[Any]:
        return np.frombuffer(self._bytes(np.dtype(layout).itemsize * count), layout)

    def _read_ends(self, count: int) -> list[int]:
        """Where each of `count` values begins in what they lie in, and where the last one ends."""
        buffer = next(self._buffers, memoryview(b""))
        if count == 0:
            return [0]  # Arrow may leave the offsets of an empty column out
        if len(buffer) < 4 * (count + 1):
            raise PayloadError("a buffer is too short")
        ends = list(struct.unpack_from(f"<{count + 1}i", buffer))
        if ends[0] != 0 or any(a > b for a, b in pairwise(ends)):
            raise PayloadError("values of a column are not in order")
        return ends


def _coded(value: Any) -> tuple[int, Any]:
    """The code of a value's type, and the value as its column takes it."""
    if value is None:
        return NONE, None
    if isinstance(value, (bool, np.bool_)):
        return BOOL, bool(value)
    if isinstance(value, (int, np.integer)):
        if not -(2**63) <= int(value) < 2**63:
            raise PayloadError(f"an integer must fit into 64 bits, got {value}")
        return INT, int(value)
    if isinstance(value, float):
        return FLOAT64, float(value)
    if isinstance(value, str):
        try:
            return STR, value.encode()
        except UnicodeEncodeError:
            raise PayloadError(f"a str must be valid Unicode, got {value!r}") from None
    if isinstance(value, bytes):
        return BYTES, value
    if isinstance(value, np.float32):
        return FLOAT32, value
    if isinstance(value, np.float16):
        return FLOAT16, value
    if isinstance(value, np.ndarray):
        return ARRAY, value
    if isinstance(value, Mapping):
        return DICT, value
    if isinstance(value, tuple):
        return TUPLE, value
    if isinstance(value, list):
        return LIST, value
    kind = type(value)
    raise PayloadError(
        f"a {kind.__module__}.{kind.__qualname__} cannot be sent: a payload holds None, bool, "
        "numbers, str, bytes, lists, tuples, dicts and arrays of numbers"
    )


def _ends(lengths: Any) -> bytes:
    ends = list(accumulate(lengths, initial=0))
    if ends[-1] >= 2**31:
        raise PayloadError("a payload is too large")
    return array("i", ends).tobytes()


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise PayloadError("a str is not UTF-8") from None

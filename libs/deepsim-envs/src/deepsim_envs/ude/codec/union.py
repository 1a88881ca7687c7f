# SPDX-License-Identifier: Apache-2.0
"""Writes Python values as the columns of a dense union, and reads them.

A union column has a type and an offset for each value; the values of each type are in a separate
column, in order. The reader insists on this order and on exact lengths, so each value is used
exactly once: the result cannot be larger than the payload.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.ude.errors import PayloadError

from .arrow import (
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
    Limits,
    Union,
)

TAG, PICKLE = "_pytype_", "pickle"
_LAYOUTS = {INT: "<i8", FLOAT16: "<f2", FLOAT32: "<f4", FLOAT64: "<f8", ARRAY: "<i4"}


class UnionReader:
    """Reads the columns of a record batch; reads each buffer once, in order.

    Args:
        data: The payload.
        nodes: The length and the number of nulls of each column.
        buffers: The positions of each buffer: its first byte, and the end (exclusive).
        arrays: The arrays, by index.
        limits: The limits of the payload.
        tags: Functions that make an object from a tagged dict, by tag; other tags are not allowed.
    """

    def __init__(
        self,
        data: bytes,
        nodes: Iterator[tuple[int, int]],
        buffers: Iterator[tuple[int, int]],
        arrays: Sequence[NDArray[Any]],
        limits: Limits,
        tags: Mapping[str, Callable[[Any], Any]],
    ) -> None:
        self._data = data
        self._nodes = nodes
        self._buffers = buffers
        self._arrays: list[NDArray[Any] | None] = list(arrays)
        self._left = limits.values
        self._limits = limits
        self._tags = tags

    def union(self, union: Union, count: int) -> list[Any]:
        """Returns the `count` values of the next column.

        Raises:
            PayloadError: The column has a different union or length.
        """
        self._left -= count
        if self._left < 0:
            raise PayloadError(f"a payload has at most {self._limits.values} values")
        self._node(count, 0)
        start = self._bytes(count)
        types = self._data[start : start + count]
        offsets = struct.unpack_from(f"<{count}i", self._data, self._bytes(4 * count))
        if any(index >= len(union) for index in types):
            raise PayloadError("a value is of a type that its union lacks")
        columns = [self._child(child, types.count(index)) for index, child in enumerate(union)]
        taken = [0] * len(union)
        values = []
        for index, offset in zip(types, offsets, strict=True):
            if offset != taken[index]:
                raise PayloadError("values of a union are not in order")
            taken[index] += 1
            values.append(columns[index][offset])
        return values

    def finish(self) -> None:
        """Raises a PayloadError if there are buffers or arrays to which no value refers."""
        unused = sum(array is not None for array in self._arrays)
        if unused or next(self._nodes, None) or next(self._buffers, None) is not None:
            raise PayloadError("a payload holds more than its values")

    def _child(self, child: Child, count: int) -> list[Any]:
        if child.code == NONE:
            self._node(count, count)
            return [None] * count
        self._valid(count)
        if child.code in {STR, BYTES}:
            ends = self._ends(count)
            start = self._bytes(ends[-1])
            found = [self._data[start + a : start + b] for a, b in pairwise(ends)]
            return found if child.code == BYTES else [_text(value) for value in found]
        if child.parts:
            return self._containers(child, self._ends(count))
        if child.code == BOOL:
            bits = self._numbers("<u1", (count + 7) // 8)
            return np.unpackbits(bits, count=count, bitorder="little").astype(bool).tolist()
        numbers = self._numbers(_LAYOUTS[child.code], count)
        if child.code == ARRAY:
            return [self._array(index) for index in numbers.tolist()]
        return numbers.tolist() if child.code in {INT, FLOAT64} else list(numbers)

    def _containers(self, child: Child, ends: list[int]) -> list[Any]:
        spans = list(pairwise(ends))
        if child.code == DICT:
            self._valid(ends[-1])
            keys = self.union(child.parts[0], ends[-1])
            values = self.union(child.parts[1], ends[-1])
            return [self._dict(keys[a:b], values[a:b]) for a, b in spans]
        parts = self.union(child.parts[0], ends[-1])
        make = tuple if child.code == TUPLE else list
        return [make(parts[a:b]) for a, b in spans]

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

    def _valid(self, count: int) -> None:
        self._node(count, 0)
        start, end = next(self._buffers, (0, 0))
        if end > start:
            raise PayloadError("null values other than None are not allowed")

    def _bytes(self, size: int) -> int:
        start, end = next(self._buffers, (0, 0))
        if end - start < size:
            raise PayloadError("a buffer is too short")
        return start

    def _numbers(self, layout: str, count: int) -> NDArray[Any]:
        start = self._bytes(np.dtype(layout).itemsize * count)
        return np.frombuffer(self._data, layout, count, start) if count else np.empty(0, layout)

    def _ends(self, count: int) -> list[int]:
        """Returns the position at which each of `count` values begins, and the end of the last."""
        if count == 0:
            next(self._buffers, None)  # Arrow may omit the offsets of an empty column.
            return [0]
        ends = list(struct.unpack_from(f"<{count + 1}i", self._data, self._bytes(4 * (count + 1))))
        if ends[0] != 0 or any(a > b for a, b in pairwise(ends)):
            raise PayloadError("values of a column are not in order")
        return ends


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise PayloadError("a str is not UTF-8") from None


class Tagged(dict[str, Any]):
    """An object of a registered type: the name of the type, and the plain data of the object."""

    def __init__(self, tag: str, data: Any) -> None:
        super().__init__({TAG: tag, "data": data})


class UnionWriter:
    """Collects the values of one union; call `schema` and `emit` after adding all values.

    Args:
        arrays: The list to which the arrays among the values are appended; their column in the
            union holds their indices in this list.
        limits: The limits of the payload.
        depth: The number of nested levels that the values may have.
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
            PayloadError: A payload cannot hold this type of value, or the value exceeds a limit.
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
        """Returns the types that occur: first that of None, then the others as they were added."""
        return tuple(
            Child(code, tuple(part.schema() for part in parts))
            for code, parts in zip(self._index, self._parts, strict=True)
        )

    def emit(self, nodes: list[int], buffers: list[bytes]) -> None:
        """Appends the lengths and buffers of all columns depth first, in Arrow's order."""
        nodes += (len(self._types), 0)
        buffers += (bytes(self._types), self._offsets.tobytes())
        for code, values, parts in zip(self._index, self._values, self._parts, strict=True):
            nodes += (len(values), len(values) if code == NONE else 0)
            if code == NONE:
                continue
            buffers.append(b"")  # an empty validity bitmap: all values are valid
            if code in {STR, BYTES}:
                buffers += (_ends(len(value) for value in values), b"".join(values))
            elif parts:
                buffers.append(_ends(values))
                if code == DICT:
                    nodes += (sum(values), 0)
                    buffers.append(b"")
                for part in parts:
                    part.emit(nodes, buffers)
            else:
                buffers.append(_packed(code, values))


_KINDS: tuple[tuple[Any, int, Callable[[Any], Any] | None], ...] = (
    (type(None), NONE, None),
    ((bool, np.bool_), BOOL, bool),
    ((int, np.integer), INT, int),
    (float, FLOAT64, float),
    (str, STR, str.encode),
    (bytes, BYTES, None),
    (np.float32, FLOAT32, None),
    (np.float16, FLOAT16, None),
    (np.ndarray, ARRAY, None),
    (Mapping, DICT, None),
    (tuple, TUPLE, None),
    (list, LIST, None),
)


def _coded(value: Any) -> tuple[int, Any]:
    """Returns the code of a value's type, and the value converted for its column."""
    for kinds, code, plain in _KINDS:
        if isinstance(value, kinds):
            if code == INT and not -(2**63) <= int(value) < 2**63:
                raise PayloadError(f"an integer must fit into 64 bits, got {value}")
            try:
                return code, value if plain is None else plain(value)
            except UnicodeEncodeError:
                raise PayloadError(f"a str must be valid Unicode, got {value!r}") from None
    kind = type(value)
    raise PayloadError(
        f"a {kind.__module__}.{kind.__qualname__} cannot be sent: a payload holds None, bool, "
        "numbers, str, bytes, lists, tuples, dicts and arrays of numbers"
    )


def _packed(code: int, numbers: Sequence[Any]) -> bytes:
    """Returns numbers as bytes; truth values as bits."""
    if code == BOOL:
        return np.packbits(np.array(numbers, bool), bitorder="little").tobytes()
    return np.array(numbers, _LAYOUTS[code]).tobytes()


def _ends(lengths: Any) -> bytes:
    ends = list(accumulate(lengths, initial=0))
    if ends[-1] >= 2**31:
        raise PayloadError("a payload is too large")
    return array("i", ends).tobytes()

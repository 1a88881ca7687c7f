# SPDX-License-Identifier: Apache-2.0
"""Plans: the positions of all numbers in a checked payload, to process similar payloads faster.

Payloads of one trainer differ only in their numbers. If all other bytes of a new payload equal
those of the checked one, a plan reads only the numbers, without another check. Conversely, it
writes the numbers of a value with the same structure into a copy of the bytes.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .arrow import BOOL, FLOAT16, FLOAT32, FLOAT64, INT

LAYOUTS = {INT: "<i8", FLOAT16: "<f2", FLOAT32: "<f4", FLOAT64: "<f8"}
_STRUCTS = {INT: "q", FLOAT64: "d"}
_TYPES: dict[int, tuple[type, ...]] = {
    BOOL: (bool, np.bool_),
    INT: (int, np.int64),
    FLOAT16: (np.float16,),
    FLOAT32: (np.float32,),
    FLOAT64: (float, np.float64),
}


class Slot(int):
    """Stands for a number or an array in the structure of a value: its index among all of them."""

    __slots__ = ()


class TaggedNode(NamedTuple):
    """Stands for an object of a registered type in the structure of a value."""

    make: Callable[[Any], Any]
    """Makes the object from its data."""
    data: Any
    """The structure of the object's data."""


class NumberColumn:
    """A contiguous sequence of `count` numbers of one type, from byte `start` on."""

    def __init__(self, code: int, start: int, count: int) -> None:
        self.start, self.count = start, count
        self.types = [_TYPES[code]] * count
        self._layout = LAYOUTS.get(code)  # None for bits
        size = np.dtype(self._layout).itemsize * count if self._layout else (count + 7) // 8
        self.end = start + size
        self._struct = struct.Struct(f"<{count}{_STRUCTS[code]}") if code in _STRUCTS else None

    def read(self, data: bytes) -> Sequence[Any]:
        """Returns the numbers in a payload."""
        if self._struct is not None:
            return self._struct.unpack_from(data, self.start)
        part = data[self.start : self.end]
        if self._layout is not None:
            return list(np.frombuffer(part, self._layout))
        bits = np.unpackbits(np.frombuffer(part, np.uint8), count=self.count, bitorder="little")
        flags: list[bool] = bits.astype(bool).tolist()
        return flags

    def write(self, out: bytearray, numbers: list[Any]) -> bool:
        """Writes numbers into a payload; returns False if they do not fit."""
        if self._struct is not None:
            try:
                self._struct.pack_into(out, self.start, *numbers)
            except struct.error:
                return False
        else:
            out[self.start : self.end] = packed(numbers, self._layout)
        return True


class ArrayColumn:
    """An array from byte `start` on; its order is "C" (row-major) or "F" (column-major)."""

    types = ((np.ndarray,),)

    def __init__(
        self, start: int, dtype: np.dtype[Any], shape: tuple[int, ...], order: Any
    ) -> None:
        self.start, self.count = start, math.prod(shape)
        self.end = start + self.count * dtype.itemsize
        self._dtype, self._shape, self._order = dtype, shape, order

    def read(self, data: bytes) -> Sequence[Any]:
        """Returns a copy of the array in a payload."""
        if not self.count:
            return (np.empty(self._shape, self._dtype.newbyteorder("=")),)
        flat = np.frombuffer(data, self._dtype, self.count, self.start)
        array: NDArray[Any] = flat.reshape(self._shape, order=self._order)
        return (array.astype(self._dtype.newbyteorder("="), order="C"),)

    def write(self, out: bytearray, numbers: list[Any]) -> bool:
        """Writes the array into a payload from `encode`; returns False if it does not fit."""
        array = numbers[0]
        if array.dtype != self._dtype or array.shape != self._shape:
            return False
        out[self.start : self.end] = array.tobytes()
        return True


Column: TypeAlias = NumberColumn | ArrayColumn


def packed(numbers: Sequence[Any], layout: str | None) -> bytes:
    """Returns numbers as bytes with a layout, or as packed bits if the layout is None."""
    if layout is None:
        return np.packbits(np.array(numbers, bool), bitorder="little").tobytes()
    return np.array(numbers, layout).tobytes()


class Plan:
    """Reads and writes payloads that differ from a checked one only in their numbers.

    Args:
        data: The checked payload.
        structure: The value of the payload, with slots instead of numbers and arrays.
        columns: The positions of these numbers and arrays, in the order of the slots.
    """

    def __init__(self, data: bytes, structure: Any, columns: Sequence[Column]) -> None:
        self._data = data
        self._structure = structure
        self._columns = columns
        self._types = [types for column in columns for types in column.types]
        self._fixed: list[tuple[int, int, bytes]] = []
        end = 0
        for column in sorted(columns, key=lambda column: column.start):
            self._fixed.append((end, column.start, data[end : column.start]))
            end = max(end, column.end)
        self._fixed.append((end, len(data), data[end:]))

    def fits(self, data: bytes) -> bool:
        """Returns whether a payload differs only in its numbers."""
        return len(data) == len(self._data) and all(
            data[start:end] == part for start, end, part in self._fixed
        )

    def read(self, data: bytes) -> Any:
        """Returns the value of a payload for which `fits` is True."""
        numbers: list[Any] = []
        for column in self._columns:
            numbers += column.read(data)
        return _filled(self._structure, numbers)

    def write(self, value: Any) -> bytes | None:
        """Returns the payload of a value; None if the value has a different structure."""
        numbers: list[Any] = [None] * len(self._types)
        if not self._gathered(self._structure, value, numbers):
            return None
        out, first = bytearray(self._data), 0
        for column in self._columns:
            last = first + len(column.types)
            if not column.write(out, numbers[first:last]):
                return None
            first = last
        return bytes(out)

    def _gathered(self, node: Any, value: Any, numbers: list[Any]) -> bool:
        kind = type(node)
        if kind is Slot:
            numbers[node] = value
            return type(value) in self._types[node]
        if kind is dict:
            if type(value) is not dict or len(value) != len(node):
                return False
            for (key, part), (given, item) in zip(node.items(), value.items(), strict=True):
                # Keys of different types may be equal, such as 1 and True.
                if (
                    type(given) is not str
                    or given != key
                    or not self._gathered(part, item, numbers)
                ):
                    return False
            return True
        if kind is tuple or kind is list:
            if not isinstance(value, kind) or len(value) != len(node):
                return False
            for part, item in zip(node, value, strict=True):
                if not self._gathered(part, item, numbers):
                    return False
            return True
        return type(value) is kind and bool(value == node)


def _filled(node: Any, numbers: list[Any]) -> Any:
    kind = type(node)
    if kind is Slot:
        return numbers[node]
    if kind is dict:
        return {key: _filled(part, numbers) for key, part in node.items()}
    if kind is list:
        return [_filled(part, numbers) for part in node]
    if kind is tuple:
        return tuple([_filled(part, numbers) for part in node])
    return node.make(_filled(node.data, numbers)) if kind is TaggedNode else node

# SPDX-License-Identifier: Apache-2.0
"""The part of FlatBuffers that Arrow's messages need, with a check of every access.

A table is a row of optional slots. References only point forward, but a hostile buffer may refer to
one table from many places, so a reader must count its visits.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from deepsim_envs.ude.errors import PayloadError

_MOST_STRUCTS = 2**16


class TableReader:
    """A table at a position in the metadata of a message; by default the root table.

    The constructor and all methods raise a PayloadError for data outside the buffer.
    """

    __slots__ = ("_buffer", "_position", "_slots")

    def __init__(self, buffer: bytes, position: int | None = None) -> None:
        self._buffer = buffer
        self._position = _number(buffer, "<I", 0) if position is None else position
        vtable = self._position - _number(buffer, "<i", self._position)
        count = max(0, _number(buffer, "<H", vtable) - 4) // 2
        if vtable + 4 + 2 * count > len(buffer):
            raise PayloadError("a table lies outside its message")
        self._slots: tuple[int, ...] = struct.unpack_from(f"<{count}H", buffer, vtable + 4)

    def has(self, slot: int) -> bool:
        """Returns whether the slot has a value."""
        return slot < len(self._slots) and self._slots[slot] != 0

    def number(self, slot: int, layout: str, default: int = 0) -> int:
        """Returns the number in the slot, or the default if the slot is empty.

        Args:
            slot: The slot.
            layout: Format string of the module `struct`, such as ``"<q"``.
            default: The default.
        """
        if not self.has(slot):
            return default
        return _number(self._buffer, layout, self._position + self._slots[slot])

    def table(self, slot: int) -> TableReader:
        """Returns the table that the slot refers to."""
        return TableReader(self._buffer, self._target(slot))

    def tables(self, slot: int, most: int) -> list[TableReader]:
        """Returns the tables of a vector, at most `most`; an empty list for an empty slot."""
        if not self.has(slot):
            return []
        start, count = self._vector(slot, 4)
        if count > most:
            raise PayloadError(f"{count} fields in one place, at most {most} are allowed")
        places = range(start, start + 4 * count, 4)
        return [
            TableReader(self._buffer, place + _number(self._buffer, "<I", place))
            for place in places
        ]

    def structs(self, slot: int, layout: str) -> tuple[int, ...]:
        """Returns all numbers of a vector of structs; the layout is as in `number`, without "<"."""
        if not self.has(slot):
            return ()
        size = struct.calcsize("<" + layout)
        start, count = self._vector(slot, size)
        if count > _MOST_STRUCTS:
            raise PayloadError(f"{count} structs in one place, at most {_MOST_STRUCTS} are allowed")
        # The layout is the same for any count, because `struct` caches each layout.
        found = struct.iter_unpack("<" + layout, self._buffer[start : start + count * size])
        return tuple(chain.from_iterable(found))

    def struct(self, slot: int, layout: str) -> tuple[int, ...]:
        """Returns the numbers of a struct that is stored in the table itself."""
        place = self._position + self._slots[slot] if self.has(slot) else len(self._buffer)
        if place + struct.calcsize("<" + layout) > len(self._buffer):
            raise PayloadError("a struct lies outside its message")
        return struct.unpack_from("<" + layout, self._buffer, place)

    def text(self, slot: int) -> str:
        """Returns the string in the slot; an empty string for an empty slot."""
        if not self.has(slot):
            return ""
        start, count = self._vector(slot, 1)
        try:
            return bytes(self._buffer[start : start + count]).decode()
        except UnicodeDecodeError:
            raise PayloadError("a name is not UTF-8") from None

    def _target(self, slot: int) -> int:
        if not self.has(slot):
            raise PayloadError("a message lacks a part that it needs")
        place = self._position + self._slots[slot]
        return place + _number(self._buffer, "<I", place)

    def _vector(self, slot: int, size: int) -> tuple[int, int]:
        place = self._target(slot)
        count = _number(self._buffer, "<I", place)
        if place + 4 + count * size > len(self._buffer):
            raise PayloadError("a vector lies outside its message")
        return place + 4, count


def _number(buffer: bytes, layout: str, position: int) -> int:
    if position < 0 or position + struct.calcsize(layout) > len(buffer):
        raise PayloadError("a number lies outside its message")
    value: int = struct.unpack_from(layout, buffer, position)[0]
    return value


class Number:
    """A number, or a struct of numbers, that is stored in the table itself."""

    def __init__(self, layout: str, *values: int) -> None:
        self.layout, self.values = "<" + layout, values
        self.data = struct.pack(self.layout, *values)
        self.align = struct.calcsize(layout[-1:])


class Structs:
    """A vector of numbers, or of structs of numbers; `layout` describes one element."""

    def __init__(self, layout: str, values: Sequence[int]) -> None:
        self.count = len(values) // len(layout)
        self.data = struct.pack("<" + layout * self.count, *values)
        self.align = struct.calcsize(layout[-1:])


Table: TypeAlias = "Mapping[int, Value]"
"""The values of a table, by slot."""
Value: TypeAlias = "Number | Structs | str | Table | Sequence[Table]"


def write_table(root: Table) -> bytes:
    """Returns the bytes of a FlatBuffer with this root table."""
    out = bytearray(8)
    struct.pack_into("<I", out, 0, _put(out, root))
    return bytes(out)


def _put(out: bytearray, value: Value) -> int:
    """Appends a value to which others refer; returns its position."""
    if isinstance(value, str):
        data = value.encode()
        return _append(out, struct.pack("<I", len(data)) + data + b"\0", 4, 0)
    if isinstance(value, Structs):
        return _append(out, struct.pack("<I", value.count) + value.data, max(4, value.align), 4)
    if isinstance(value, Mapping):
        return _put_table(out, value)
    assert not isinstance(value, Number)
    start = _append(out, struct.pack("<I", len(value)) + bytes(4 * len(value)), 4, 0)
    for index, table in enumerate(value):
        _refer(out, start + 4 + 4 * index, _put(out, table))
    return start


def _put_table(out: bytearray, table: Table) -> int:
    places: dict[int, int] = {}
    row = bytearray(4)
    for slot, value in table.items():
        number = value if isinstance(value, Number) else Number("I", 0)
        row += bytes(-len(row) % number.align)
        places[slot] = len(row)
        row += number.data
    slots = [places.get(slot, 0) for slot in range(max(table, default=-1) + 1)]
    header = [4 + 2 * len(slots), len(row), *slots]
    vtable = _append(out, struct.pack(f"<{len(header)}H", *header), 2, 0)
    start = _append(out, row, 8, 0)
    struct.pack_into("<i", out, start, start - vtable)
    for slot, value in table.items():
        if not isinstance(value, Number):
            _refer(out, start + places[slot], _put(out, value))
    return start


def _append(out: bytearray, data: bytes | bytearray, align: int, offset: int) -> int:
    """Appends data such that the byte at `offset` in them is aligned; returns their position."""
    out += bytes(-(len(out) + offset) % align)
    out += data
    return len(out) - len(data)


def _refer(out: bytearray, place: int, target: int) -> None:
    struct.pack_into("<I", out, place, target - place)

# SPDX-License-Identifier: Apache-2.0
"""Arrow's messages: the part of FlatBuffers that they need, and the schema of a payload's values.

A FlatBuffer's table is a row of optional slots. References only point forward, but a hostile buffer
may refer to one table from many places, so a reader must count its visits; it checks every access.

A payload is one column: a dense union with a child for each Python type that occurs, named by the
code of the type. Lists, tuples and dicts contain further unions, so the schema of a payload is a
tree: `Union`. Any other schema raises a PayloadError.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, TypeAlias

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
    if position < 0:
        raise PayloadError("a number lies outside its message")
    try:
        value: int = struct.unpack_from(layout, buffer, position)[0]
    except struct.error:
        raise PayloadError("a number lies outside its message") from None
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


NONE, BOOL, INT, BYTES, STR, FLOAT16, FLOAT32, FLOAT64 = 0, 1, 2, 4, 5, 6, 7, 8
LIST, DICT, TUPLE, ARRAY = 10, 11, 12, 15
KEY_CODES = frozenset({NONE, BOOL, INT, BYTES, STR, FLOAT64})


@dataclass(frozen=True)
class Limits:
    """Limits for the payloads that are read or written.

    Attributes:
        message_bytes: The maximum size of a message with all its arrays [bytes].
        depth: The maximum depth of nested lists, tuples and dicts.
        values: The maximum number of values, where each list, dict, key and array counts.
        dimensions: The maximum number of axes of an array.

    Example:
        >>> encode([[1]], Limits(depth=1))
        Traceback (most recent call last):
        deepsim_envs.ude.errors.PayloadError: a payload nests at most 1 deep
    """

    message_bytes: int = 16 * 2**20
    depth: int = 16
    values: int = 100_000
    dimensions: int = 8


Union: TypeAlias = "tuple[Child, ...]"


class Child(NamedTuple):
    """One of the types in a union."""

    code: int
    parts: tuple[Union, ...] = ()
    """The unions inside: one for a list or tuple, two (keys, values) for a dict, else none."""


# Members of Arrow's enumerations MessageHeader and Type, and the version of its metadata.
SCHEMA, RECORD_BATCH, TENSOR = 1, 3, 4
_VERSION = 4  # stands for V5, in which a union has no validity bitmap
_NULL, _INT, _FLOAT, _BINARY, _UTF8, _BOOL, _LIST, _STRUCT, _UNION = 1, 2, 3, 4, 5, 6, 12, 13, 14
_MOST_FIELDS = 2048
_MOST_NAMES = 16
_LARGEST_KEPT = 2**14  # metadata of which the schema is kept for the next payload [bytes]

#: The Arrow type of each type without a union inside, and the Arrow type's parameters by slot.
_PLAIN: dict[int, tuple[int, dict[int, Number]]] = {
    NONE: (_NULL, {}),
    BOOL: (_BOOL, {}),
    INT: (_INT, {0: Number("i", 64), 1: Number("B", 1)}),
    BYTES: (_BINARY, {}),
    STR: (_UTF8, {}),
    FLOAT16: (_FLOAT, {0: Number("h", 0)}),
    FLOAT32: (_FLOAT, {0: Number("h", 1)}),
    FLOAT64: (_FLOAT, {0: Number("h", 2)}),
    ARRAY: (_INT, {0: Number("i", 32), 1: Number("B", 1)}),
}


@lru_cache(maxsize=256)
def schema_message(union: Union) -> bytes:
    """Returns the metadata of the message that declares a column of this union."""
    return message(SCHEMA, {1: [_union_field("list", union)]}, 0)


def message(kind: int, header: Table, size: int) -> bytes:
    """Returns the metadata of a message with a body of `size` bytes."""
    return write_table(
        {0: Number("h", _VERSION), 1: Number("B", kind), 2: header, 3: Number("q", size)}
    )


def read_schema(metadata: bytes, depth: int) -> Union:
    """Returns the union of the column that a message declares, with at most `depth` nested levels.

    Raises:
        PayloadError: The message does not declare one column with such a union.
    """
    # All payloads of one trainer have the same schema, which takes longer to read than the rest.
    read = _read_schema if len(metadata) <= _LARGEST_KEPT else _read_schema.__wrapped__
    return read(metadata, depth)


@lru_cache(maxsize=256)
def _read_schema(metadata: bytes, depth: int) -> Union:
    table = TableReader(metadata)
    require_message(table, SCHEMA)
    schema = table.table(2)
    fields = schema.tables(1, 1)
    if schema.number(0, "<h") != 0 or len(fields) != 1:
        raise PayloadError("a payload has one little-endian column")
    return _Walk().union(fields[0], "list", depth)


def require_message(metadata: TableReader, kind: int) -> None:
    """Raises a PayloadError if a message is of a different kind or version."""
    if metadata.number(0, "<h") != _VERSION or metadata.number(1, "<B") != kind:
        raise PayloadError("a payload is a schema, a batch and tensors, of Arrow metadata V5")


def _field(name: str, kind: int, parameters: Table, children: list[Table]) -> Table:
    return {0: name, 1: Number("B", 1), 2: Number("B", kind), 3: parameters, 5: children}


def _union_field(name: str, union: Union) -> Table:
    parameters: Table = {0: Number("h", 1), 1: Structs("i", range(len(union)))}
    return _field(name, _UNION, parameters, [_child_field(child) for child in union])


def _child_field(child: Child) -> Table:
    name = str(child.code)
    if child.code in _PLAIN:
        return _field(name, *_PLAIN[child.code], [])
    if child.code == DICT:
        keys, values = child.parts
        pair = [_union_field("keys", keys), _union_field("vals", values)]
        return _field(name, _LIST, {}, [_field("item", _STRUCT, {}, pair)])
    return _field(name, _LIST, {}, [_union_field("item", child.parts[0])])


class _Walk:
    """Reads fields and counts them, because many places may refer to one table."""

    def __init__(self) -> None:
        self._left = _MOST_FIELDS

    def union(self, field: TableReader, name: str, depth: int) -> Union:
        if depth < 0:
            raise PayloadError("values are nested too deep")
        parameters = self._checked(field, name, _UNION)
        fields = field.tables(5, _MOST_NAMES)
        ids = parameters.structs(1, "i")
        if parameters.number(0, "<h") != 1 or (ids and ids != tuple(range(len(fields)))):
            raise PayloadError("a union must be dense, with its children numbered in order")
        children = tuple(self._child(child, depth) for child in fields)
        if len({child.code for child in children}) != len(children):
            raise PayloadError("a union has one child for each type")
        return children

    def _child(self, field: TableReader, depth: int) -> Child:
        name = field.text(0)
        code = int(name) if name in _CODES else -1
        if code in _PLAIN:
            kind, wanted = _PLAIN[code]
            parameters = self._checked(field, name, kind)
            for slot, number in wanted.items():
                if (parameters.number(slot, number.layout),) != number.values:
                    raise PayloadError(f"type {name} is of another width than it should be")
            return Child(code)
        if code not in {LIST, TUPLE, DICT}:
            raise PayloadError(f"a value is of type {name!r}, which is not allowed here")
        self._checked(field, name, _LIST)
        item = self._only_child(field, 1)[0]
        if code != DICT:
            return Child(code, (self.union(item, "item", depth - 1),))
        self._checked(item, "item", _STRUCT)
        keys, values = self._only_child(item, 2)
        key_union = self.union(keys, "keys", depth - 1)
        if any(key.code not in KEY_CODES for key in key_union):
            raise PayloadError("a key of a dict must be None, a bool, number, str or bytes")
        return Child(code, (key_union, self.union(values, "vals", depth - 1)))

    def _checked(self, field: TableReader, name: str, kind: int) -> TableReader:
        self._left -= 1
        if self._left < 0:
            raise PayloadError(f"a payload has at most {_MOST_FIELDS} fields")
        if field.text(0) != name or field.number(2, "<B") != kind:
            raise PayloadError(f"a field is not what one named {name!r} should be")
        if field.has(4) or field.has(6):  # extension types are declared in custom metadata
            raise PayloadError("dictionaries and extension types are not allowed")
        return field.table(3)

    def _only_child(self, field: TableReader, count: int) -> list[TableReader]:
        children = field.tables(5, count)
        if len(children) != count:
            raise PayloadError(f"a field should have {count} children")
        return children


_CODES = {str(code) for code in (*_PLAIN, LIST, TUPLE, DICT)}

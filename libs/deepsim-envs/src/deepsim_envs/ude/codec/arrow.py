# SPDX-License-Identifier: Apache-2.0
"""Describes the structure of a payload's values by an Arrow schema.

A payload is one column: a dense union with a child for each Python type that occurs, named by the
code of the type. Lists, tuples and dicts contain further unions, so the schema of a payload is a
tree: `Union`. Any other schema raises a PayloadError.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from deepsim_envs.ude.errors import PayloadError

from .flatbuffer import Number, Structs, Table, TableReader, write_table

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

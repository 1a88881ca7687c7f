# SPDX-License-Identifier: Apache-2.0
"""Frames of bytes: a header as MessagePack, then arrays; and rows of tables as their content.

Reading a frame runs no code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from deepsim_sync import COLUMNS, KINDS, Cells, Changes, Entities, Key, Refusal
from deepsim_sync.port.changes import checked_rows
from deepsim_sync.port.tables import column_of

from .errors import MessageError

_MAGIC = b"DSF2"
_ALIGNED = 8  # all parts begin at multiples of this [bytes], so arrays need not be copied
_PADDING = tuple(bytes(-count % _ALIGNED) for count in range(_ALIGNED))

Arrays = dict[str, NDArray[Any]]
Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 30)]
Shape = Annotated[list[Count], msgspec.Meta(max_length=8)]
Type = Literal["<f8", "<i8", "|b1", "|u1"]


class _Head(msgspec.Struct, array_like=True):
    """The header, and the name, type and shape of each array in order."""

    header: dict[str, Any]
    arrays: list[tuple[str, Type, Shape]]


# The hook converts NumPy's numbers to Python's.
_ENCODE = msgspec.msgpack.Encoder(enc_hook=lambda number: number.item()).encode
_DECODE = msgspec.msgpack.Decoder(_Head).decode


class Frame(NamedTuple):
    """A header, and arrays by name (float64, int64, uint8 or bool).

    >>> unpack(pack({"world": "lab"}, {"time": np.zeros(2)})).arrays["time"]
    array([0., 0.])
    """

    header: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]] | None = None) -> bytes:
    """Encodes a frame.

    Args:
        header: Numbers, strings, None, and sequences and mappings of them.
        arrays: Arrays of float64, int64, uint8 or bool, by name.

    Raises:
        OverflowError: A number in the header needs more than 64 bits.
    """
    listed: list[Any] = []
    parts: list[Any] = []
    for name, array in (arrays or {}).items():
        kept = np.ascontiguousarray(array)
        listed.append((name, kept.dtype.str, array.shape))
        parts += kept.data, _PADDING[kept.nbytes % _ALIGNED]  # joined below: copied once
    head = _ENCODE(_Head(header, listed))  # type: ignore[arg-type]
    size = len(head)
    return b"".join((_MAGIC, size.to_bytes(4, "little"), head, _PADDING[size % _ALIGNED], *parts))


def unpack(payload: bytes) -> Frame:
    """Decodes a frame; its arrays are read-only views of the bytes.

    Raises:
        MessageError: The bytes are not a frame.
    """
    begin = 8 + int.from_bytes(payload[4:8], "little")
    if payload[:4] != _MAGIC or begin > len(payload):
        raise MessageError(f"{len(payload)} bytes are not a frame")
    arrays: dict[str, NDArray[Any]] = {}
    try:
        head = _DECODE(payload[8:begin])
        for name, word, shape in head.arrays:
            begin += -begin % _ALIGNED
            array = arrays[name] = np.ndarray(shape, word, payload, begin)
            if word == "|b1" and array.view(np.uint8).max(initial=0) > 1:
                raise ValueError(f"array {name!r} has bools that are neither 0 nor 1")
            begin += array.nbytes
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise MessageError(f"a frame that cannot be read: {error}") from None
    if begin + -begin % _ALIGNED != len(payload):
        raise MessageError(f"a frame of {len(payload)} bytes ends at byte {begin}")
    return Frame(head.header, arrays)


def names_of(entities: Entities) -> dict[str, list[str]]:
    """Returns the names of the entities in each table."""
    return {kind: list(entities.names(kind)) for kind in KINDS}


def entities_of(generation: int, names: Mapping[str, Sequence[str]]) -> Entities:
    """Returns entities of a generation, from the names in each table."""
    return Entities(generation, **{kind: names[kind] for kind in KINDS})


def key_of(text: Any) -> Key:
    """Parses the name of a column, such as ``models.pose``.

    Raises:
        MessageError: The column is unknown.
    """
    kind, _, column = str(text).partition(".")
    if kind not in COLUMNS or column not in COLUMNS[kind]:
        raise MessageError(f"there is no column {text!r}")
    return kind, column


def arrays_of(changes: Changes) -> Arrays:
    """Converts changed cells to arrays by name."""
    arrays: Arrays = {}
    for (kind, column), cells in changes.cells.items():
        name = f"{kind}.{column}"
        arrays[f"{name}/worlds"], arrays[f"{name}/rows"] = cells.worlds, cells.rows
        arrays[name] = cells.values
    return arrays


def changes_of(arrays: Mapping[str, NDArray[Any]], entities: Entities, worlds: int) -> Changes:
    """Converts arrays to changed cells, and checks them like a user's changes.

    Raises:
        MessageError: The arrays do not fit together.
        ValueError: A row does not exist, or a value does not fit into its column.
    """
    batch = {}
    for name, values in arrays.items():
        if "/" in name:
            continue
        kind, column = key_of(name)
        try:
            where, rows = arrays[f"{name}/worlds"], arrays[f"{name}/rows"]
        except KeyError:
            raise MessageError(f"changes of {name} have no rows") from None
        names = entities.names(kind)
        rows = checked_rows(names, rows)
        if where.dtype.kind != "i" or where.shape != rows.shape or values.shape[:1] != rows.shape:
            raise MessageError(f"changes of {name} have rows, worlds and values of unlike numbers")
        if where.size and not (where.min() >= 0 and where.max() < worlds):
            raise MessageError(f"there are worlds 0 to {worlds - 1}, got {where.tolist()}")
        checked = column_of(kind, column).checked(names, rows, values)
        batch[kind, column] = Cells(where.astype(np.intp), rows, checked)
    return Changes(entities.generation, batch)


def refusals_of(listed: Sequence[Any]) -> list[Refusal]:
    """Returns the refusals listed in a header."""
    return [Refusal(*each) for each in listed]

# SPDX-License-Identifier: Apache-2.0
"""Frames: a header as MessagePack, then the bytes of arrays. Reading a frame runs no code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from deepsim_transport.errors import MessageError

_MAGIC = b"DSF2"
_ALIGNED = 8  # all parts begin at multiples of this [bytes], so arrays need not be copied
_PADDING = tuple(bytes(-count % _ALIGNED) for count in range(_ALIGNED))

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

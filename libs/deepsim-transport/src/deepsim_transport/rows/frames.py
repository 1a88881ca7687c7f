# SPDX-License-Identifier: Apache-2.0
"""Frames: a header as JSON, and arrays as their bytes. Reading one evaluates nothing."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_transport.errors import MessageError

_MAGIC = b"DSF1"
_TYPES = {name: np.dtype(name) for name in ("<f8", "<i8", "|b1", "|u1")}
_ENCODE = json.JSONEncoder(separators=(",", ":")).encode  # json.dumps would make one per call
_MOST = 1 << 30  # bytes of an array, so that no header makes us allocate more


class Frame(NamedTuple):
    """A header, and arrays by name (float64, int64, uint8 or bool)."""

    header: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]] | None = None) -> bytes:
    """Returns the bytes of a frame.

    Args:
        header: What JSON can say; the key ``arrays`` is taken.
        arrays: float64, int64, uint8 or bool.
    """
    listed: list[Any] = []
    parts: list[Any] = []
    for name, array in (arrays or {}).items():
        kept = np.ascontiguousarray(array)
        listed.append([name, kept.dtype.str, array.shape])
        parts.append(kept.data)  # joined below: copied once
    text = _ENCODE({**header, "arrays": listed}).encode()
    return b"".join((_MAGIC, len(text).to_bytes(4, "little"), text, *parts))


def unpack(payload: bytes) -> Frame:
    """Returns the frame of some bytes; its arrays are copies.

    Raises:
        MessageError: They are none.
    """
    begin = 8 + int.from_bytes(payload[4:8], "little")
    if payload[:4] != _MAGIC or begin > len(payload):
        raise MessageError(f"{len(payload)} bytes are no frame")
    try:
        header = json.loads(payload[8:begin].decode())
        listed = header.pop("arrays")
        arrays = {}
        for name, word, shape in listed:
            count = _count(shape)
            dtype = _TYPES[word]
            end = begin + count * dtype.itemsize
            if end > len(payload) or not isinstance(name, str):
                raise MessageError(f"array {name!r} of a frame is cut off")
            flat = np.frombuffer(payload, dtype, count, begin)
            if word == "|b1" and not np.isin(flat.view(np.uint8), (0, 1)).all():
                raise MessageError(f"array {name!r} of a frame has bools that are none")
            arrays[name] = flat.reshape(shape).copy()
            begin = end
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise MessageError(f"a frame that cannot be read: {type(error).__name__}") from None
    if begin != len(payload):
        raise MessageError(f"a frame with {len(payload) - begin} bytes too many")
    return Frame(header, arrays)


def _count(shape: Any) -> int:
    """Returns how many numbers an array has."""
    if not isinstance(shape, list) or len(shape) > 8:
        raise ValueError
    if not all(type(each) is int and 0 <= each < _MOST for each in shape):
        raise ValueError
    count = math.prod(shape)
    if count > _MOST // 8:
        raise ValueError
    return count

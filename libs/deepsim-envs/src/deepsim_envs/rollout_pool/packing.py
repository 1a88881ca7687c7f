# SPDX-License-Identifier: Apache-2.0
"""Plain data and arrays as bytes, between processes: nothing that is read back can run code."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

_LENGTH = struct.Struct("<Q")
_KINDS = "biuf"  # bool, integers, floats
_PLAIN = (type(None), bool, int, float, str)


def packed(value: Any) -> bytes:
    """A value as bytes: a JSON header, then the arrays' bits, little-endian.

    Args:
        value: None, bool, int, float, str, arrays of numbers, and lists, tuples and dicts with keys
            of str of these.

    Raises:
        TypeError: There is something else in it.
    """
    arrays: list[bytes] = []
    header = json.dumps(_described(value, arrays), separators=(",", ":")).encode()
    return b"".join([_LENGTH.pack(len(header)), header, *arrays])


def unpacked(content: bytes) -> Any:
    """The value of bytes that `packed` made; its arrays are its own.

    Raises:
        ValueError: They are no such bytes.
    """
    try:
        start = _LENGTH.size + _LENGTH.unpack_from(content)[0]
        value, end = _restored(json.loads(content[_LENGTH.size : start]), content, start)
        if end != len(content):
            raise ValueError(f"{len(content) - end} bytes too many")
    except (KeyError, IndexError, TypeError, ValueError, struct.error) as error:
        raise ValueError(f"not a packed value: {error!r}") from error
    return value


def _described(value: Any, arrays: list[bytes]) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in _KINDS:
        little = value.dtype.newbyteorder("<")
        arrays.append(value.astype(little).tobytes())
        return ["array", little.str, list(value.shape)]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return ["dict", [[key, _described(part, arrays)] for key, part in value.items()]]
    if type(value) in (list, tuple):
        return [type(value).__name__, [_described(part, arrays) for part in value]]
    if type(value) in _PLAIN:
        return ["plain", value]
    raise TypeError(f"only plain data and arrays of numbers travel, got {value!r}")


def _restored(header: Any, content: bytes, start: int) -> tuple[Any, int]:
    kind, *rest = header
    if kind == "array":
        dtype, shape = np.dtype(rest[0]), tuple(rest[1])
        if dtype.kind not in _KINDS:
            raise ValueError(f"arrays of {dtype} do not travel")
        count = int(np.prod(shape, dtype=np.int64))
        array = np.frombuffer(content, dtype, count, start).reshape(shape)
        return array.astype(dtype.newbyteorder("=")), start + array.nbytes
    if kind == "plain":
        return rest[0], start
    parts: list[Any] = []
    for part in rest[0]:
        value, start = _restored(part[1] if kind == "dict" else part, content, start)
        parts.append((part[0], value) if kind == "dict" else value)
    return {"dict": dict, "list": list, "tuple": tuple}[kind](parts), start

# SPDX-License-Identifier: Apache-2.0
"""Arrays as bytes, between processes: nothing that is read back can run code."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

_LENGTH = struct.Struct("<Q")
_KINDS = "biuf"  # bool, integers, floats


def packed(value: Any) -> bytes:
    """Returns a value as bytes: a JSON header, then the bits of the arrays, little-endian.

    Args:
        value: Arrays of numbers, or dicts and tuples of them at any depth; also None and integers,
            and strings in dicts.

    Raises:
        TypeError: The value holds something else.
    """
    arrays = []

    def described(array: Any) -> Any:
        if not isinstance(array, np.ndarray) or array.dtype.kind not in _KINDS:
            raise TypeError(f"only arrays of numbers can be sent, got {array!r}")
        little = array.dtype.newbyteorder("<")
        arrays.append(np.ascontiguousarray(array, little).data)
        return [little.str, array.shape]  # in JSON, the only list that begins with a string

    header = json.dumps(value, default=described, separators=(",", ":")).encode()
    return b"".join([_LENGTH.pack(len(header)), header, *arrays])


def unpacked(content: bytes) -> Any:
    """Returns the value of bytes that `packed` made; its arrays are its own.

    Raises:
        ValueError: The bytes are others.
    """
    start = 0

    def restored(part: Any) -> Any:
        nonlocal start
        if isinstance(part, dict):
            return {key: restored(each) for key, each in part.items()}
        if not isinstance(part, list):
            return part
        if not part or not isinstance(part[0], str):
            return tuple(restored(each) for each in part)
        dtype, shape = np.dtype(part[0]), tuple(part[1])
        if dtype.kind not in _KINDS:
            raise ValueError(f"arrays of {dtype} cannot be sent")
        count = int(np.prod(shape, dtype=np.int64))
        array = np.frombuffer(content, dtype, count, start).reshape(shape)
        start += array.nbytes
        return array.astype(dtype.newbyteorder("="))

    try:
        start = _LENGTH.size + _LENGTH.unpack_from(content)[0]
        value = restored(json.loads(content[_LENGTH.size : start]))
        if start != len(content):
            raise ValueError(f"{len(content) - start} bytes too many")
    except (IndexError, TypeError, ValueError, struct.error) as error:
        raise ValueError(f"not a packed value: {error!r}") from error
    return value

# SPDX-License-Identifier: Apache-2.0
"""Computes digests of values; digests are equal only if the values are equal bit for bit."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def digest(value: Any) -> str:
    """Returns the SHA-256 digest of a value's types, shapes and bits, in hexadecimal.

    A NumPy number differs from an array of shape () and from a Python number, and -0.0 differs from
    0.0. The order of a dict's entries matters. All machines give the same digest.

    Args:
        value: None, bool, numbers, str, bytes, arrays, and lists, tuples and dicts of these.

    Raises:
        TypeError: The value contains an object of a different type.

    Example:
        >>> digest({"x": 1.0}) == digest({"x": 1}), digest({"x": 1.0})[:8]
        (False, '29680767')
    """
    hashed = hashlib.sha256()
    _feed(hashed.update, value)
    return hashed.hexdigest()


def _feed(update: Callable[[bytes], None], value: Any) -> None:
    if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
        array = np.asarray(value)
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        little = array.dtype.newbyteorder("<")
        _tag(update, kind, f"{little.str}{array.shape}", array.astype(little).tobytes())
    elif isinstance(value, np.ndarray):
        _tag(update, "objects", str(value.shape), b"")
        for part in value.ravel().tolist():
            _feed(update, part)
    elif value is None or isinstance(value, (bool, int)):
        _tag(update, type(value).__name__, "", repr(value).encode())
    elif isinstance(value, float):
        _tag(update, "float", "", struct.pack("<d", value))
    elif isinstance(value, str):
        _tag(update, "str", "", value.encode())
    elif isinstance(value, bytes):
        _tag(update, "bytes", "", value)
    elif isinstance(value, Mapping):
        _tag(update, "dict", str(len(value)), b"")
        for key, part in value.items():
            _feed(update, key)
            _feed(update, part)
    elif isinstance(value, (list, tuple)):
        _tag(update, "list" if isinstance(value, list) else "tuple", str(len(value)), b"")
        for part in value:
            _feed(update, part)
    else:
        raise TypeError(
            f"a digest is of plain data and arrays, got {type(value).__name__} {value!r}"
        )


def _tag(update: Callable[[bytes], None], kind: str, more: str, content: bytes) -> None:
    # The length separates values: no two sequences of values give the same bytes.
    update(f"{kind} {more} {len(content)}\n".encode())
    update(content)

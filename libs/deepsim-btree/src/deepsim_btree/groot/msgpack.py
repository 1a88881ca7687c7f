# SPDX-License-Identifier: Apache-2.0
"""The part of MessagePack that blackboards need (https://github.com/msgpack/msgpack, spec.md)."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import Any


def packed(value: Any) -> bytes:
    """Packs a value like BehaviorTree.CPP, in the shortest form and with sorted keys of maps.

    Args:
        value: None, a bool, int, float or str, or a list, tuple or dict of these, with str keys.

    Raises:
        TypeError: A value has a different type.
        ValueError: An int has more than 64 bits.
    """
    if value is None or value is True or value is False:
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return _int(value)
    if isinstance(value, float):
        with suppress(OverflowError):
            short = struct.pack(">f", value)
            if struct.unpack(">f", short)[0] == value:
                return b"\xca" + short
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode("utf-8", "replace")
        return _head(len(data), 0xA0, 32, b"\xd9\xda\xdb") + data
    if isinstance(value, (list, tuple)):
        return _head(len(value), 0x90, 16, b"\x00\xdc\xdd") + b"".join(map(packed, value))
    if isinstance(value, dict):
        return packed_map({name: packed(its) for name, its in value.items()})
    raise TypeError(f"a {type(value).__name__} cannot be packed")


def packed_map(values: dict[str, bytes]) -> bytes:
    """Returns a packed map of packed values, ordered by name."""
    pairs = (packed(name) + values[name] for name in sorted(values))
    return _head(len(values), 0x80, 16, b"\x00\xde\xdf") + b"".join(pairs)


def _head(length: int, short: int, limit: int, codes: bytes) -> bytes:
    if length < limit:
        return bytes([short | length])
    if length < 256 and codes[0]:
        return bytes([codes[0], length])
    if length < 65536:
        return codes[1:2] + struct.pack(">H", length)
    return codes[2:3] + struct.pack(">I", length)


def _int(value: int) -> bytes:
    if -32 <= value < 128:
        return struct.pack(">b" if value < 0 else ">B", value)
    formats = "BHIQ" if value >= 0 else "bhiq"
    first = 0xCC if value >= 0 else 0xD0
    for place, letter in enumerate(formats):
        with suppress(struct.error):
            return bytes([first + place]) + struct.pack(f">{letter}", value)
    raise ValueError(f"{value} has more than 64 bits")

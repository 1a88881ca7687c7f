# SPDX-License-Identifier: Apache-2.0
"""ROS 1 serialisation: fields one after the other, little endian, u32 lengths before arrays."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import MalformedReplyError

_U32 = struct.Struct("<I")


def pack_string(text: str) -> bytes:
    """A string, as UTF-8."""
    body = text.encode("utf-8")
    return _U32.pack(len(body)) + body


def pack_strings(texts: Sequence[str]) -> bytes:
    """An array of strings."""
    return _U32.pack(len(texts)) + b"".join(map(pack_string, texts))


def pack_array(values: NDArray[Any], dtype: str) -> bytes:
    """An array of numbers, flattened.

    Args:
        values: Numbers of any shape.
        dtype: What they are on the wire, such as ``"<f8"``.
    """
    flat = np.ascontiguousarray(values, dtype=dtype)
    return _U32.pack(flat.size) + flat.tobytes()


class Reader:
    """Takes the fields of a serialised message one by one.

    Every method raises `MalformedReplyError` where the message is too short.

    Args:
        body: The message.
        what: Whose answer it is, for error messages.
    """

    def __init__(self, body: bytes, what: str) -> None:
        self._body = body
        self._what = what
        self._at = 0

    def fields(self, layout: struct.Struct) -> tuple[Any, ...]:
        """Numbers of fixed size."""
        at = self._advance(layout.size)
        return layout.unpack_from(self._body, at)

    def string(self) -> str:
        """A string; bytes that are no UTF-8 are replaced."""
        length = self.length(1)
        at = self._advance(length)
        return self._body[at : at + length].decode("utf-8", "replace")

    def strings(self) -> list[str]:
        """An array of strings."""
        return [self.string() for _ in range(self.length(4))]

    def bools(self) -> list[bool]:
        """An array of bool."""
        length = self.length(1)
        at = self._advance(length)
        return [byte != 0 for byte in self._body[at : at + length]]

    def floats(self) -> NDArray[np.float64]:
        """An array of float64, a read-only view of the message."""
        count = self.length(8)
        at = self._advance(8 * count)
        return np.frombuffer(self._body, dtype="<f8", count=count, offset=at)

    def octets(self) -> NDArray[np.uint8]:
        """An array of uint8, a read-only view of the message."""
        count = self.length(1)
        at = self._advance(count)
        return np.frombuffer(self._body, dtype=np.uint8, count=count, offset=at)

    def end(self) -> None:
        """Checks that nothing is left."""
        left = len(self._body) - self._at
        if left:
            raise MalformedReplyError(f"the answer of {self._what} is {left} bytes too long")

    def length(self, smallest: int) -> int:
        """The length of an array whose elements take at least so many bytes each."""
        (count,) = self.fields(_U32)
        if count * smallest > len(self._body) - self._at:
            raise MalformedReplyError(
                f"the answer of {self._what} announces {count} elements, which it has no room for"
            )
        return int(count)

    def _advance(self, size: int) -> int:
        at = self._at
        if at + size > len(self._body):
            raise MalformedReplyError(
                f"the answer of {self._what} is cut off after {len(self._body)} bytes"
            )
        self._at = at + size
        return at

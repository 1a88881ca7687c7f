# SPDX-License-Identifier: Apache-2.0
"""ROS 1 serialisation: packed fields, little endian, arrays prefixed with a u32 length."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_gazebo.errors import MalformedReplyError

_U32 = struct.Struct("<I")


def pack_string(text: str) -> bytes:
    """Packs a string, as UTF-8."""
    body = text.encode("utf-8")
    return _U32.pack(len(body)) + body


def pack_strings(texts: Sequence[str]) -> bytes:
    """Packs an array of strings."""
    return _U32.pack(len(texts)) + b"".join(map(pack_string, texts))


def pack_array(values: NDArray[Any], dtype: str) -> bytes:
    """Packs an array of numbers, flattened.

    Args:
        values: Numbers of any shape.
        dtype: Their type on the wire, such as ``"<f8"``.
    """
    flat = np.ascontiguousarray(values, dtype=dtype)
    return _U32.pack(flat.size) + flat.tobytes()


class Reader:
    """Reader of the fields of a serialised message, in order.

    Every method raises `MalformedReplyError` if the message is too short.

    Args:
        body: The message.
        service: The service that sent it, for error messages.
    """

    def __init__(self, body: bytes, service: str) -> None:
        self._body = body
        self._service = service
        self._at = 0

    def fields(self, layout: struct.Struct) -> tuple[Any, ...]:
        """Reads numbers of fixed size."""
        at = self._advance(layout.size)
        return layout.unpack_from(self._body, at)

    def string(self) -> str:
        """Reads a string; invalid UTF-8 is replaced."""
        length = self.length(1)
        at = self._advance(length)
        return self._body[at : at + length].decode("utf-8", "replace")

    def strings(self) -> list[str]:
        """Reads an array of strings."""
        return [self.string() for _ in range(self.length(4))]

    def bools(self) -> list[bool]:
        """Reads an array of bool."""
        return [byte != 0 for byte in self.octets().tolist()]

    def floats(self) -> NDArray[np.float64]:
        """Reads an array of float64 as a read-only view of the message."""
        return self.numbers("<f8")

    def numbers(self, dtype: str) -> NDArray[Any]:
        """Reads an array of numbers of a type such as ``"<f4"`` as a read-only view."""
        size = np.dtype(dtype).itemsize
        count = self.length(size)
        at = self._advance(size * count)
        return np.frombuffer(self._body, dtype=dtype, count=count, offset=at)

    def integers(self) -> list[int]:
        """Reads an array of uint32."""
        count = self.length(4)
        at = self._advance(4 * count)
        return list(struct.unpack_from(f"<{count}I", self._body, at))

    def octets(self) -> NDArray[np.uint8]:
        """Reads an array of uint8 as a read-only view of the message."""
        return self.numbers("u1")

    def end(self) -> None:
        """Checks that the message was read to its end."""
        left = len(self._body) - self._at
        if left:
            raise MalformedReplyError(f"the answer of {self._service} is {left} bytes too long")

    def length(self, smallest: int) -> int:
        """Reads the length of an array whose elements have at least `smallest` bytes each."""
        (count,) = self.fields(_U32)
        if count * smallest > len(self._body) - self._at:
            raise MalformedReplyError(
                f"the answer of {self._service} announces {count} elements, more than it can hold"
            )
        return int(count)

    def _advance(self, size: int) -> int:
        at = self._at
        if at + size > len(self._body):
            raise MalformedReplyError(
                f"the answer of {self._service} is cut off after {len(self._body)} bytes"
            )
        self._at = at + size
        return at

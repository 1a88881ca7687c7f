# SPDX-License-Identifier: Apache-2.0
"""Writes Python values as the columns of a dense union.

A union column has a type and an offset for each value; the values of each type are in a separate
column, in order.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.ude.errors import PayloadError

from .plan import LAYOUTS, packed
from .reader import TAG
from .schema import (
    ARRAY,
    BOOL,
    BYTES,
    DICT,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT,
    LIST,
    NONE,
    STR,
    TUPLE,
    Child,
    Limits,
    Union,
)


class Tagged(dict[str, Any]):
    """An object of a registered type: the name of the type, and the plain data of the object."""

    def __init__(self, tag: str, data: Any) -> None:
        super().__init__({TAG: tag, "data": data})


class UnionWriter:
    """Collects the values of one union; call `schema` and `emit` after adding all values.

    Args:
        arrays: The list to which the arrays among the values are appended; their column in the
            union holds their indices in this list.
        limits: The limits of the payload.
        depth: The number of nested levels that the values may have.
    """

    def __init__(self, arrays: list[NDArray[Any]], limits: Limits, depth: int) -> None:
        self._arrays = arrays
        self._limits = limits
        self._depth = depth
        self._types = bytearray()
        self._offsets = array("i")
        self._index = {NONE: 0}
        self._values: list[Any] = [[]]
        self._parts: list[tuple[UnionWriter, ...]] = [()]

    def add(self, value: Any) -> None:
        """Appends a value.

        Raises:
            PayloadError: A payload cannot hold this type of value, or the value exceeds a limit.
        """
        code, plain = _coded(value)
        index = self._index.get(code)
        if index is None:
            if code in {LIST, TUPLE, DICT} and self._depth == 0:
                raise PayloadError(f"a payload nests at most {self._limits.depth} deep")
            index = self._index[code] = len(self._values)
            self._values.append([])
            count = {LIST: 1, TUPLE: 1, DICT: 2}.get(code, 0)
            self._parts.append(
                tuple(
                    UnionWriter(self._arrays, self._limits, self._depth - 1) for _ in range(count)
                )
            )
        self._types.append(index)
        self._offsets.append(len(self._values[index]))
        if code == ARRAY:
            if plain.ndim > self._limits.dimensions:
                raise PayloadError(f"an array has at most {self._limits.dimensions} axes")
            self._arrays.append(plain)
            plain = len(self._arrays) - 1
        parts = self._parts[index]
        if code == DICT:
            if TAG in plain and not isinstance(plain, Tagged):
                raise PayloadError(f"the key {TAG!r} of a dict is UDE's own")
            for key, part in plain.items():
                if not isinstance(key, (str, bytes, int, float, type(None))):
                    raise PayloadError(f"a key of a dict must be a str, bytes or number: {key!r}")
                parts[0].add(key)
                parts[1].add(part)
            plain = len(plain)
        elif parts:
            for part in plain:
                parts[0].add(part)
            plain = len(plain)
        self._values[index].append(plain)

    def schema(self) -> Union:
        """Returns the types that occur: first that of None, then the others as they were added."""
        return tuple(
            Child(code, tuple(part.schema() for part in parts))
            for code, parts in zip(self._index, self._parts, strict=True)
        )

    def emit(self, nodes: list[int], buffers: list[bytes]) -> None:
        """Appends the lengths and buffers of all columns depth first, in Arrow's order."""
        nodes += (len(self._types), 0)
        buffers += (bytes(self._types), self._offsets.tobytes())
        for code, values, parts in zip(self._index, self._values, self._parts, strict=True):
            nodes += (len(values), len(values) if code == NONE else 0)
            if code == NONE:
                continue
            buffers.append(b"")  # an empty validity bitmap: all values are valid
            if code in {STR, BYTES}:
                buffers += (_ends(len(value) for value in values), b"".join(values))
            elif parts:
                buffers.append(_ends(values))
                if code == DICT:
                    nodes += (sum(values), 0)
                    buffers.append(b"")
                for part in parts:
                    part.emit(nodes, buffers)
            else:
                layout = "<i4" if code == ARRAY else LAYOUTS.get(code)
                buffers.append(packed(values, layout))


_KINDS: tuple[tuple[Any, int, Callable[[Any], Any] | None], ...] = (
    (type(None), NONE, None),
    ((bool, np.bool_), BOOL, bool),
    ((int, np.integer), INT, int),
    (float, FLOAT64, float),
    (str, STR, str.encode),
    (bytes, BYTES, None),
    (np.float32, FLOAT32, None),
    (np.float16, FLOAT16, None),
    (np.ndarray, ARRAY, None),
    (Mapping, DICT, None),
    (tuple, TUPLE, None),
    (list, LIST, None),
)


def _coded(value: Any) -> tuple[int, Any]:
    """Returns the code of a value's type, and the value converted for its column."""
    for kinds, code, plain in _KINDS:
        if isinstance(value, kinds):
            if code == INT and not -(2**63) <= int(value) < 2**63:
                raise PayloadError(f"an integer must fit into 64 bits, got {value}")
            try:
                return code, value if plain is None else plain(value)
            except UnicodeEncodeError:
                raise PayloadError(f"a str must be valid Unicode, got {value!r}") from None
    kind = type(value)
    raise PayloadError(
        f"a {kind.__module__}.{kind.__qualname__} cannot be sent: a payload holds None, bool, "
        "numbers, str, bytes, lists, tuples, dicts and arrays of numbers"
    )


def _ends(lengths: Any) -> bytes:
    ends = list(accumulate(lengths, initial=0))
    if ends[-1] >= 2**31:
        raise PayloadError("a payload is too large")
    return array("i", ends).tobytes()

# SPDX-License-Identifier: Apache-2.0
"""STL files, binary and ASCII."""

from __future__ import annotations

import re

import numpy as np

from .part import Part

_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEAD = 84  # bytes; the last four are the number of triangles
_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def is_binary(content: bytes) -> bool:
    """Returns whether a file is binary; binary files may begin with ``solid`` too."""
    promised = _HEAD + int.from_bytes(content[80:_HEAD], "little") * _TRIANGLE.itemsize
    is_text = content.lstrip().startswith(b"solid") and _VERTEX.search(content) is not None
    return len(content) == promised or not is_text


def read_stl(content: bytes) -> list[Part]:
    """Returns the triangles of a file, with shared vertices.

    Raises:
        ValueError: The file is malformed.
    """
    if is_binary(content):
        count = int.from_bytes(content[80:_HEAD], "little")
        if len(content) < _HEAD + count * _TRIANGLE.itemsize:
            raise ValueError(f"is truncated: expected {count} triangles")
        corners = np.frombuffer(content, _TRIANGLE, count, _HEAD)["corners"].reshape(-1, 3)
    else:
        corners = np.array(_VERTEX.findall(content), dtype=np.float64)
    vertices, faces = np.unique(corners.astype(np.float64), axis=0, return_inverse=True)
    if len(corners) % 3:
        raise ValueError(f"expected triangles, got {len(corners)} corners")
    return [Part(frozenset(), vertices, faces.reshape(-1, 3).astype(np.int64))]

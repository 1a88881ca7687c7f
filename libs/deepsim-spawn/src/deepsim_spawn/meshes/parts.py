# SPDX-License-Identifier: Apache-2.0
"""Parts of mesh files, as STL and Wavefront OBJ hold them."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vertices = NDArray[np.float64]
Faces = NDArray[np.int64]
Triangles = tuple[Vertices, Faces]


class Part(NamedTuple):
    """A named group of triangles in a file."""

    names: frozenset[str]
    """Names under which it can be selected as a submesh."""
    vertices: Vertices
    """Positions (n, 3) [m]."""
    faces: Faces
    """Indices of vertices (m, 3)."""


def fans(corners: Faces, counts: Faces) -> Faces:
    """Returns the triangles (m, 3) of polygons, as fans around their first corners.

    `corners` (k,) lists the vertices of all polygons one after another, and `counts` (n,) is the
    number of corners of each polygon.
    """
    triangles = np.maximum(counts - 2, 0)
    first = np.repeat(np.cumsum(counts) - counts, triangles)
    step = np.arange(triangles.sum()) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    return np.asarray(corners[np.column_stack([first, first + step + 1, first + step + 2])])


def merged(parts: list[Triangles]) -> Triangles:
    """Returns several meshes as one, without sharing vertices."""
    starts = np.cumsum([0, *(len(points) for points, _ in parts)]).tolist()
    if not parts:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    faces = [each + start for (_, each), start in zip(parts, starts, strict=False)]
    return np.concatenate([points for points, _ in parts]), np.concatenate(faces)


def read_obj(content: bytes) -> list[Part]:
    """Returns the faces of an OBJ file by object and group; a part has the names of both.

    Raises:
        ValueError: The file is malformed.
    """
    vertices: list[list[float]] = []
    polygons: dict[tuple[str, ...], list[list[int]]] = defaultdict(list)
    owner: tuple[str, ...] = ("", "")
    text = content.decode("utf-8", "replace").replace("\\\n", " ")
    for number, line in enumerate(text.splitlines(), 1):
        match line.split():
            case ["v", x, y, z, *_]:
                vertices.append([float(x), float(y), float(z)])
            case ["f", *corners]:
                found = [int(corner.split("/")[0]) for corner in corners]
                count = len(vertices)
                found = [index - 1 if index > 0 else count + index for index in found]
                if not all(0 <= index < count for index in found):
                    raise ValueError(f"line {number}: a face refers to a missing vertex")
                polygons[owner].append(found)
            case ["o", *words]:
                owner = (" ".join(words), "")
            case ["g", *words]:
                owner = (owner[0], *words)
    points = np.array(vertices, dtype=np.float64).reshape(-1, 3)
    return [
        Part(
            frozenset(names) - {""},
            points,
            fans(
                np.array([index for one in faces for index in one], dtype=np.int64),
                np.array([len(one) for one in faces], dtype=np.int64),
            ),
        )
        for names, faces in polygons.items()
    ]


_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEAD = 84  # bytes; the last four are the number of triangles
_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)")


def is_binary(content: bytes) -> bool:
    """Returns whether an STL file is binary; binary files may begin with ``solid`` too."""
    promised = _HEAD + int.from_bytes(content[80:_HEAD], "little") * _TRIANGLE.itemsize
    is_text = content.lstrip().startswith(b"solid") and _VERTEX.search(content) is not None
    return len(content) == promised or not is_text


def read_stl(content: bytes) -> list[Part]:
    """Returns the triangles of an STL file, with shared vertices.

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

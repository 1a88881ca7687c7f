# SPDX-License-Identifier: Apache-2.0
"""Parts of mesh files, as STL and Wavefront OBJ hold them, with their materials."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vertices = NDArray[np.float64]
Faces = NDArray[np.int64]
Triangles = tuple[Vertices, Faces]


class MeshPaint(NamedTuple):
    """A material of a file."""

    color: tuple[float, ...] = (1.0, 1.0, 1.0)
    """Red, green and blue in 0..1, which multiply the picture."""
    picture: Any = None
    """Path of a picture relative to the file, or one that Pillow has opened; None for none."""


class Skin(NamedTuple):
    """The materials of m triangles."""

    coordinates: Vertices | None
    """Places of the corners in the picture (m, 3, 2), as in `TexturedSurface`; None for none."""
    numbers: Faces
    """Indices of the paints (m,)."""
    paints: tuple[MeshPaint, ...]
    """The materials."""


class Part(NamedTuple):
    """A named group of triangles in a file."""

    names: frozenset[str]
    """Names under which it can be selected as a submesh."""
    vertices: Vertices
    """Positions (n, 3) [m]."""
    faces: Faces
    """Indices of vertices (m, 3)."""
    skin: Skin | None = None
    """Materials, if they are wanted and the file has some."""


def fans(corners: Faces, counts: Faces) -> Faces:
    """Returns the triangles (m, 3, ...) of polygons, as fans around their first corners.

    `corners` (k, ...) lists the vertices of all polygons one after another, and `counts` (n,) is
    the number of corners of each polygon.
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


def read_obj(content: bytes, open_file: Callable[[str], bytes] | None = None) -> list[Part]:
    """Returns the faces of an OBJ file by object and group; a part has the names of both.

    Args:
        content: The file.
        open_file: Returns the content of a file of materials; None leaves materials out.

    Raises:
        ValueError: The file is malformed.
    """
    vertices: list[list[float]] = []
    places: list[list[float]] = [[0.0, 0.0]]  # that of corners without one
    polygons: dict[tuple[str, ...], list[tuple[str, list[tuple[int, int]]]]] = defaultdict(list)
    owner: tuple[str, ...] = ("", "")
    paints: dict[str, MeshPaint] = {}
    paint = ""
    text = content.decode("utf-8", "replace").replace("\\\n", " ")
    for number, line in enumerate(text.splitlines(), 1):
        match line.split():
            case ["v", x, y, z, *_]:
                vertices.append([float(x), float(y), float(z)])
            case ["vt", x, *y]:
                places.append([float(x), 1.0 - float(y[0] if y else 0.0)])
            case ["f", *corners]:
                found = [_indices(corner, len(vertices), len(places)) for corner in corners]
                if not all(0 <= index < len(vertices) for index, _ in found):
                    raise ValueError(f"line {number}: a face refers to a missing vertex")
                polygons[owner].append((paint, found))
            case ["o", *words]:
                owner = (" ".join(words), "")
            case ["g", *words]:
                owner = (owner[0], *words)
            case ["usemtl", *words]:
                paint = " ".join(words)
            case ["mtllib", *words] if open_file is not None:
                paints.update(_read_mtl(open_file(" ".join(words))))
    points = np.array(vertices, dtype=np.float64).reshape(-1, 3)
    order = {name: index for index, name in enumerate(paints)}
    parts = []
    for names, faces in polygons.items():
        counts = np.array([len(one) for _, one in faces], dtype=np.int64)
        indices = np.array([both for _, one in faces for both in one], dtype=np.int64)
        triangles = fans(indices.reshape(-1, 2), counts)
        skin = None
        if open_file is not None:
            chosen = triangles[..., 1]
            chosen = np.where((chosen >= 0) & (chosen < len(places)), chosen, 0)
            used = np.array([order.get(name, len(paints)) for name, _ in faces])
            skin = Skin(
                np.array(places)[chosen] if len(places) > 1 else None,
                np.repeat(used, np.maximum(counts - 2, 0)),
                (*paints.values(), MeshPaint()),
            )
        parts.append(Part(frozenset(names) - {""}, points, triangles[..., 0], skin))
    return parts


def _indices(corner: str, vertices: int, places: int) -> tuple[int, int]:
    """Returns the indices of the vertex and the place of a corner such as ``7/2/1`` or ``-1``."""
    numbers = corner.split("/")
    vertex = int(numbers[0])
    place = int(numbers[1]) if len(numbers) > 1 and numbers[1] else 0
    return vertex - 1 if vertex > 0 else vertices + vertex, place if place >= 0 else places + place


def _read_mtl(content: bytes) -> dict[str, MeshPaint]:
    """Returns the materials of an OBJ file by name: the diffuse colour or picture of each."""
    paints: dict[str, MeshPaint] = {}
    name = ""
    for line in content.decode("utf-8", "replace").splitlines():
        match line.split():
            case ["newmtl", *words]:
                name = " ".join(words)
                paints[name] = MeshPaint()
            case ["Kd", *color] if name and len(color) >= 3 and paints[name].picture is None:
                paints[name] = MeshPaint(tuple(map(float, color[:3])))
            case ["map_Kd", *words] if name and words:
                # exporters leave any colour beside a picture, such as black
                paints[name] = MeshPaint(
                    picture=words[-1] if words[0][0] == "-" else " ".join(words)  # options first
                )
    return paints


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

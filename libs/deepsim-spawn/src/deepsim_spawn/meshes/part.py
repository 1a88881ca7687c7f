# SPDX-License-Identifier: Apache-2.0
"""Parts of mesh files."""

from __future__ import annotations

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

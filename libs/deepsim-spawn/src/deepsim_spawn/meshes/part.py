# SPDX-License-Identifier: Apache-2.0
"""A part of a mesh file."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vertices = NDArray[np.float64]
Faces = NDArray[np.int64]


class Part(NamedTuple):
    """Triangles that a file keeps together."""

    names: frozenset[str]
    """Each may be asked for as a submesh."""
    vertices: Vertices
    """(n, 3) [m]"""
    faces: Faces
    """(m, 3)"""


def fans(corners: Faces, counts: Faces) -> Faces:
    """Returns the triangles (m, 3) of polygons, which are cut from their first corners.

    Args:
        corners: Of all polygons, one after the other.
        counts: How many each polygon has.
    """
    triangles = np.maximum(counts - 2, 0)
    first = np.repeat(np.cumsum(counts) - counts, triangles)
    step = np.arange(triangles.sum()) - np.repeat(np.cumsum(triangles) - triangles, triangles)
    return np.asarray(corners[np.column_stack([first, first + step + 1, first + step + 2])])

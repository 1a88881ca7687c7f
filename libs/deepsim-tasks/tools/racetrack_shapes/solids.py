# SPDX-License-Identifier: Apache-2.0
"""Solids, and the text of their OBJ files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Solid = tuple[NDArray[np.float64], list[tuple[int, ...]]]
"""Vertices (n, 3) [m], and faces as numbers of vertices, anticlockwise from outside."""


def loft(profile: Sequence[tuple[float, float, float]]) -> Solid:
    """Returns a convex body that is alike on both sides, such as a car's.

    Args:
        profile: Its outline from the left, clockwise, as x, half width y, and z [m].
    """
    outline = np.array(profile)
    left, right = outline, outline * (1.0, -1.0, 1.0)
    middles = np.stack([left.mean(axis=0), right.mean(axis=0)])
    n = len(outline)
    faces: list[tuple[int, ...]] = []
    for i, j in zip(range(n), [*range(1, n), 0], strict=True):
        faces += [(i, n + i, n + j, j), (i, j, 2 * n), (n + j, n + i, 2 * n + 1)]
    return np.concatenate([left, right, middles]), faces


def box(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Solid:
    """Returns a box between two coordinates on each axis [m]."""
    corners = np.array([(a, b, c) for a in x for b in y for c in z])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, list(faces)


def ribbon(
    inner: NDArray[np.float64], outer: NDArray[np.float64], z: tuple[float, float], closed: bool
) -> Solid:
    """Returns a flat strip between its right and left edge (n, 2), from below to above [m]."""
    n = len(inner)
    rings = [np.column_stack([edge, np.full(n, h)]) for edge in (inner, outer) for h in z]
    faces: list[tuple[int, ...]] = []
    # Rings of vertices: right below, right above, left below, left above.
    for ring, other in ((1, 3), (3, 2), (2, 0), (0, 1)):
        for i in range(n if closed else n - 1):
            j = (i + 1) % n
            faces.append((ring * n + i, ring * n + j, other * n + j, other * n + i))
    if not closed:
        faces += [(0, n, 3 * n, 2 * n), (n - 1, 3 * n - 1, 4 * n - 1, 2 * n - 1)]
    return np.concatenate(rings), faces


def obj(solids: Iterable[Solid]) -> str:
    """Returns the text of an OBJ file."""
    lines: list[str] = []
    first = 1
    for vertices, faces in solids:
        lines += [f"v {x:.4f} {y:.4f} {z:.4f}" for x, y, z in vertices]
        lines += ["f " + " ".join(str(first + k) for k in face) for face in faces]
        first += len(vertices)
    return "\n".join(lines) + "\n"

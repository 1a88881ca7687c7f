# SPDX-License-Identifier: Apache-2.0
"""Shapes that MuJoCo lacks, composed of boxes and convex meshes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from deepsim_spawn import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Polyline,
    Sphere,
)

from .landscapes import Landscape, reason_left_out

_SIDES = 48  # sides of the pyramid that stands for a cone
_FLAT = 1e-9  # smallest part of an outline [m^2]; MuJoCo refuses flat hulls


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A shape defined by its corners.

    Attributes:
        vertices: Corners, (n, 3) [m].
        faces: Indices of each triangle's corners, (m, 3); None for the convex hull.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64] | None = None


Shape: TypeAlias = Box | Sphere | Cylinder | Capsule | Ellipsoid | Plane | Mesh | Solid | Landscape
"""Every shape that a geom can have."""


def touching(geometry: Geometry, *, placed: bool) -> list[Shape]:
    """Returns the shapes that together collide like a geometry; none if it is not simulated.

    Args:
        geometry: The described shape.
        placed: Whether its link stays where it is put.

    Raises:
        ModelFormatError: A picture cannot be read.
    """
    match geometry:
        case Heightmap():
            left_out = reason_left_out(geometry, placed=placed)
            return [] if left_out else [Landscape.of(geometry)]
        case Cone():
            return [_cone(geometry)]
        case Polyline(_, height):
            return [Solid(_prism(part, height)) for part in _parts(geometry)]
    return [geometry]


def drawn(geometry: Geometry, *, placed: bool) -> Shape | None:
    """Returns the shape to draw, or None if the geometry is not simulated."""
    match geometry:
        case Heightmap():
            left_out = reason_left_out(geometry, placed=placed)
            return None if left_out else Landscape.of(geometry)
        case Cone():
            return _cone(geometry)
        case Polyline(_, height):
            return _prisms(_parts(geometry), height)
    return geometry


def _cone(cone: Cone) -> Solid:
    angles = np.arange(_SIDES) * (2.0 * math.pi / _SIDES)
    rim = np.column_stack(
        [
            cone.radius * np.cos(angles),
            cone.radius * np.sin(angles),
            np.full(_SIDES, -cone.length / 2),
        ]
    )
    return Solid(np.concatenate([rim, [[0.0, 0.0, cone.length / 2]]]))


def _parts(polyline: Polyline) -> list[NDArray[np.float64]]:
    def area(part: NDArray[np.float64]) -> float:
        x, y = part.T
        return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2

    parts = polyline.convex_parts()
    return [part for part in parts if area(part) > _FLAT] or [*parts]


def _prisms(polygons: Sequence[NDArray[np.float64]], height: float) -> Solid:
    vertices, faces, count = [], [], 0
    for polygon in polygons:
        vertices.append(_prism(polygon, height))
        faces.append(_prism_faces(len(polygon)) + count)
        count += 2 * len(polygon)
    return Solid(np.concatenate(vertices), np.concatenate(faces))


def _prism(polygon: NDArray[np.float64], height: float) -> NDArray[np.float64]:
    """Returns the corners (2n, 3) of a prism over a polygon (n, 2): lower ones, then upper ones."""
    below = np.column_stack([polygon, np.zeros(len(polygon))])
    return np.concatenate([below, below + np.array([0.0, 0.0, height])])


def _prism_faces(n: int) -> NDArray[np.int64]:
    """Returns the faces (4n - 4, 3) of the prism over a counterclockwise polygon of n corners."""
    here, there = np.arange(n), np.roll(np.arange(n), -1)
    fan = np.column_stack([np.zeros(n - 2, np.int64), here[1:-1], here[2:]])
    return np.concatenate(
        [
            fan[:, ::-1],
            fan + n,
            np.column_stack([here, there, there + n]),
            np.column_stack([here, there + n, here + n]),
        ]
    )

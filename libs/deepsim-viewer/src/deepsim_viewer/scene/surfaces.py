# SPDX-License-Identifier: Apache-2.0
"""The surfaces of shapes: a few meshes with sharp edges, scaled to each size."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Vector3
from deepsim_spawn import (
    Box,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Plane,
    Sphere,
    TexturedSurface,
    shape_triangles,
)

_CREASE = np.cos(np.radians(40.0))
_UNIT_BOX = Box(Vector3(1.0, 1.0, 1.0))
_UNIT_BALL = Sphere(1.0)
_UNIT_CYLINDER = Cylinder(1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Surface:
    """The triangles of a shape, compared by identity.

    Attributes:
        vertices: (n, 3) [m].
        faces: (m, 3) numbers of vertices.
        is_ground: Whether it is a plane or a landscape, which all worlds share.
        coordinates: (m, 3, 2) places of the corners in the image, as in `TexturedSurface`, or None.
        image: (height, width, 3) texture, sRGB, or None.
    """

    vertices: NDArray[np.float32]
    faces: NDArray[np.uint32]
    is_ground: bool = False
    coordinates: NDArray[np.float32] | None = None
    image: NDArray[np.uint8] | None = None

    @cached_property
    def corners(self) -> NDArray[np.float64]:
        """The corners of the bounding box, (8, 3) [m]."""
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        chosen = np.where(np.indices((2, 2, 2)).reshape(3, 8).T, high, low)
        return np.asarray(chosen, dtype=np.float64)

    @classmethod
    def of(cls, geometry: Geometry, textured: TexturedSurface | None = None) -> Surface:
        """Returns the surface of a shape, suitable for averaged vertex normals.

        Args:
            geometry: The shape.
            textured: Its triangles with a texture; those without area are left out.

        Raises:
            ModelFormatError: A mesh or picture cannot be read.
        """
        is_ground = isinstance(geometry, Plane | Heightmap)
        if textured is None:
            return cls(*creased(*shape_triangles(geometry)), is_ground)
        a, b, c = textured.triangles.astype(np.float64).swapaxes(0, 1)
        is_face = np.cross(b - a, c - a).any(axis=1)
        points = textured.triangles[is_face].astype(np.float64).reshape(-1, 3)
        surface = creased(points, np.arange(len(points)).reshape(-1, 3))
        return cls(*surface, is_ground, textured.coordinates[is_face], textured.image)


def unit_shape(geometry: Geometry) -> tuple[Geometry, tuple[float, float, float]]:
    """Returns a common shape and the scale factors along x, y, z that turn it into another."""
    match geometry:
        case Box(size):
            return _UNIT_BOX, (size.x, size.y, size.z)
        case Sphere(radius):
            return _UNIT_BALL, (radius, radius, radius)
        case Ellipsoid(radii):
            return _UNIT_BALL, (radii.x, radii.y, radii.z)
        case Cylinder(radius, length):
            return _UNIT_CYLINDER, (radius, radius, length)
        case _:
            return geometry, (1.0, 1.0, 1.0)


def creased(
    vertices: NDArray[np.float64], faces: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """Returns the triangles with vertices split at edges of more than 40 degrees.

    Corners of faces stay together if a chain of smooth edges around the vertex connects them.
    """
    used, where = np.unique(vertices, axis=0, return_inverse=True)
    faces = where.reshape(-1)[faces]
    a, b, c = used[faces].swapaxes(0, 1)
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    faces, normals = faces[lengths > 0], normals[lengths > 0] / lengths[lengths > 0, None]
    pairs = _smooth_pairs(faces, normals)
    labels = np.arange(faces.size)
    while True:  # each corner takes the least label of the connected corners
        before = labels.copy()
        for one, other in (pairs.T, pairs.T[::-1]):
            np.minimum.at(labels, one, before[other])
        labels = labels[labels]
        if np.array_equal(labels, before):
            break
    kept, corners = np.unique(labels, return_inverse=True)
    points = used[faces.reshape(-1)[kept]]
    return points.astype(np.float32), corners.reshape(-1, 3).astype(np.uint32)


def _smooth_pairs(faces: NDArray[np.int64], normals: NDArray[np.float64]) -> NDArray[np.int64]:
    """Returns pairs of corners (k, 2), as 3 * face + place, connected by a smooth edge."""
    count = len(faces)
    place = np.arange(3)
    start = faces.reshape(-1)
    end = faces[:, (place + 1) % 3].reshape(-1)
    first = np.arange(3 * count)  # the corner at the start of each edge
    second = (first // 3) * 3 + (first % 3 + 1) % 3
    low, high = np.minimum(start, end), np.maximum(start, end)
    at_low = np.where(start < end, first, second)
    at_high = np.where(start < end, second, first)
    order = np.lexsort((high, low))
    low, high, at_low, at_high = (each[order] for each in (low, high, at_low, at_high))
    same = (low[1:] == low[:-1]) & (high[1:] == high[:-1])
    here, there = at_low[:-1] // 3, at_low[1:] // 3
    smooth = same & (np.einsum("ij,ij->i", normals[here], normals[there]) > _CREASE)
    return np.concatenate(
        [
            np.column_stack([at_low[:-1][smooth], at_low[1:][smooth]]),
            np.column_stack([at_high[:-1][smooth], at_high[1:][smooth]]),
        ]
    )

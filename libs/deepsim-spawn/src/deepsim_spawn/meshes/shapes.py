# SPDX-License-Identifier: Apache-2.0
"""Shapes as triangles, and heightmaps as heights."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deepsim_math import quaternions
from deepsim_spawn.description.geometry import (
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
from deepsim_spawn.description.height_grid import grid_triangles
from deepsim_spawn.errors import ModelFormatError

from .parts import Triangles, merged
from .pictures import read_picture
from .triangles import mesh_triangles

_FORMATS = ("PNG", "JPEG")  # Gazebo reads all others as elevation models


def heightmap_heights(heightmap: Heightmap) -> NDArray[np.float64]:
    """Returns the heights of a landscape at its pixels, or its array.

    The brightest pixel gets the height in the heightmap's `size`, whatever its brightness. In a
    colour picture only the blue channel counts, as in Gazebo 11. In a 16-bit picture all bits
    count, whereas Gazebo uses the lower 8. Needs the extra ``deepsim-spawn[images]``.

    Returns:
        Heights (rows, columns) [m] above the heightmap's position. Row 0 is the lower edge of the
        picture (least y), column 0 its left edge (least x); the outer pixels lie on the edges.

    Raises:
        ModelFormatError: The file is an elevation model, cannot be read, is not a square with a
            side of 2^k + 1 pixels, as Gazebo requires, or has more than 16 million pixels; or the
            extra is not installed.
    """
    if heightmap.heights is not None:
        return heightmap.heights
    file = heightmap.key
    if heightmap.is_elevation_model:
        raise ModelFormatError(
            "elevation models are not supported: a heightmap must be a .png or .jpg", file=file
        )
    pixels = read_picture(Path(file), _FORMATS)
    rows, columns, _ = pixels.shape
    if rows != columns or rows < 2 or (rows - 1) & (rows - 2):
        raise ModelFormatError(
            f"a heightmap must be a square with a side of 2^k + 1 pixels (3, 5, 9 ... 257, 513), "
            f"got {columns} x {rows}",
            file=file,
        )
    bright = pixels[::-1, :, -1].astype(np.float64)
    return np.asarray(bright * (heightmap.size.z / max(bright.max(), 1.0)))


def shape_triangles(geometry: Geometry, segments: int = 32) -> Triangles:
    """Returns the surface of a shape; planes become rectangles, landscapes open surfaces.

    Args:
        geometry: The shape.
        segments: Number of corners around the axis of round shapes, >= 3; they lie on the surface.

    Returns:
        Vertices (n, 3) in the frame of the shape [m], and faces (m, 3).

    Raises:
        ModelFormatError: A mesh or picture cannot be read.
    """
    match geometry:
        case Box(size):
            half_x, half_y, height = size.x / 2, size.y / 2, size.z
            return _prism(_rectangle(-half_x, -half_y, half_x, half_y), -height / 2, height)
        case Sphere(radius):
            return _turned(radius * _half_circle(segments), segments)
        case Ellipsoid(radii):
            points, faces = _turned(_half_circle(segments), segments)
            return points * np.array(radii), faces
        case Capsule(radius, length):
            round_end = radius * _half_circle(segments)
            round_end[:, 1] += (
                np.where(np.arange(len(round_end)) < len(round_end) / 2, -0.5, 0.5) * length
            )
            return _turned(round_end, segments)
        case Cylinder(radius, length):
            rim = [[0.0, -length / 2], [radius, -length / 2], [radius, length / 2]]
            return _turned(np.array([*rim, [0.0, length / 2]]), segments)
        case Cone(radius, length):
            rim = [[0.0, -length / 2], [radius, -length / 2], [0.0, length / 2]]
            return _turned(np.array(rim), segments)
        case Plane(normal, size):
            half_x, half_y = size[0] / 2, size[1] / 2
            flat = np.column_stack([_rectangle(-half_x, -half_y, half_x, half_y), np.zeros(4)])
            turned = quaternions.rotate(_upright(np.array(normal)), flat)
            return np.asarray(turned, dtype=np.float64), _FLAT
        case Mesh():
            return mesh_triangles(geometry)
        case Polyline(_, height):
            return merged([_prism(flat, 0.0, height) for flat in geometry.convex_parts()])
        case Heightmap(_, size, position):
            return grid_triangles(heightmap_heights(geometry), size.x, size.y, position)


_FLAT = np.array([[0, 1, 2], [0, 2, 3]])


def _rectangle(left: float, low: float, right: float, high: float) -> NDArray[np.float64]:
    """Returns corners (4, 2), counterclockwise."""
    return np.array([[left, low], [right, low], [right, high], [left, high]])


def _prism(polygon: NDArray[np.float64], bottom: float, height: float) -> Triangles:
    """Returns the surface of a counterclockwise convex polygon (n, 2), extruded along z [m]."""
    n = len(polygon)
    points = np.concatenate(
        [np.column_stack([polygon, np.full(n, z)]) for z in (bottom, bottom + height)]
    )
    here, there = np.arange(n), np.roll(np.arange(n), -1)
    fan = np.column_stack([np.zeros(n - 2, dtype=np.int64), here[1:-1], here[2:]])
    walls = [
        np.column_stack([here, there, there + n]),
        np.column_stack([here, there + n, here + n]),
    ]
    return points, np.concatenate([fan[:, ::-1], fan + n, *walls])


def _half_circle(segments: int) -> NDArray[np.float64]:
    """Returns a profile of the unit ball from pole to pole: radii and heights (n, 2), n even."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, 2 * math.ceil(segments / 4) + 2)
    edge = np.column_stack([np.cos(angles), np.sin(angles)])
    edge[[0, -1], 0] = 0.0
    return edge


def _turned(edge: NDArray[np.float64], segments: int) -> Triangles:
    """Returns the surface of revolution about z of a profile (n, 2) of radii and heights."""
    angles = np.arange(segments) * (2.0 * np.pi / segments)
    rings = [
        np.column_stack([r * np.cos(angles), r * np.sin(angles), np.full(segments, z)])
        for r, z in edge[1:-1].tolist()
    ]
    tips = [[0.0, 0.0, edge[0, 1]], [0.0, 0.0, edge[-1, 1]]]
    points = np.concatenate([*rings, tips])
    here = np.arange(segments)
    there = np.roll(here, -1)
    bottom, top = len(points) - 2, len(points) - 1
    faces = [np.column_stack([np.full(segments, bottom), there, here])]
    for ring in range(len(rings) - 1):
        low, high = ring * segments, (ring + 1) * segments
        faces.append(np.column_stack([here + low, there + low, there + high]))
        faces.append(np.column_stack([here + low, there + high, here + high]))
    last = (len(rings) - 1) * segments
    faces.append(np.column_stack([here + last, there + last, np.full(segments, top)]))
    return points, np.concatenate(faces)


def _upright(normal: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the quaternion of the shortest rotation from +z to a unit vector."""
    if normal[2] < -1.0 + 1e-12:
        return np.array([1.0, 0.0, 0.0, 0.0])
    turn = np.array([-normal[1], normal[0], 0.0, 1.0 + normal[2]])
    return np.asarray(turn / np.linalg.norm(turn))

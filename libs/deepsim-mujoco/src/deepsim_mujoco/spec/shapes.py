# SPDX-License-Identifier: Apache-2.0
"""The geoms of MuJoCo for geometries; boxes and convex meshes compose what it lacks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_mujoco.imports import mujoco
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
    TexturedSurface,
    heightmap_heights,
)

_FOOT = 1.0  # depth of the ground below the lowest point, as in Gazebo [m]


@dataclass(frozen=True, slots=True, eq=False)
class Landscape:
    """Uneven ground.

    Attributes:
        heights: Heights above the lowest point, (rows, columns) [m]; rows along y, columns along x.
        size: Full lengths along x and y [m].
        middle: Middle of the lowest level in the shape's frame [m].
    """

    heights: NDArray[np.float64]
    size: tuple[float, float]
    middle: Vector3

    @classmethod
    def of(cls, heightmap: Heightmap) -> Landscape:
        """Returns the landscape of a picture or an array."""
        heights = heightmap_heights(heightmap)
        lowest = float(heights.min())
        x, y, z = heightmap.position
        return cls(
            heights - lowest, (heightmap.size.x, heightmap.size.y), Vector3(x, y, z + lowest)
        )


def reason_left_out(heightmap: Heightmap, *, placed: bool) -> str:
    """Returns why MuJoCo cannot simulate a heightmap; empty if it can.

    Args:
        heightmap: The shape.
        placed: Whether its link stays where it is put; height fields cannot move.
    """
    if heightmap.is_elevation_model:
        return "an elevation model, not a picture"
    return "" if placed else "on a link that may move"


def add_landscape(spec: mujoco.MjSpec, name: str, landscape: Landscape) -> mujoco.MjsHField:
    """Adds a height field asset, with its frame at the middle of its lowest level."""
    rows, columns = landscape.heights.shape
    x, y = landscape.size
    top = float(landscape.heights.max())
    # MuJoCo scales heights to 0..1, except those of flat ground, which become 0.
    size = [x / 2, y / 2, top or 1.0, _FOOT]
    field = spec.add_hfield(name=name, nrow=rows, ncol=columns, size=size)
    field.userdata = landscape.heights.ravel()
    return field


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A shape defined by its corners.

    Attributes:
        vertices: Corners, (n, 3) [m].
        faces: Indices of each triangle's corners, (m, 3); None for the convex hull.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64] | None = None


Simple: TypeAlias = Box | Sphere | Cylinder | Capsule | Ellipsoid | Plane
Asset: TypeAlias = Mesh | Solid | Landscape | TexturedSurface
"""The shapes that need an asset, which geoms may share."""
Shape: TypeAlias = Simple | Asset
"""Every shape that a geom can have."""
Numbers: TypeAlias = tuple[float, ...]

_TYPES = {
    Box: mujoco.mjtGeom.mjGEOM_BOX,
    Sphere: mujoco.mjtGeom.mjGEOM_SPHERE,
    Cylinder: mujoco.mjtGeom.mjGEOM_CYLINDER,
    Capsule: mujoco.mjtGeom.mjGEOM_CAPSULE,
    Ellipsoid: mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    Plane: mujoco.mjtGeom.mjGEOM_PLANE,
    Mesh: mujoco.mjtGeom.mjGEOM_MESH,
    Solid: mujoco.mjtGeom.mjGEOM_MESH,
    Landscape: mujoco.mjtGeom.mjGEOM_HFIELD,
    TexturedSurface: mujoco.mjtGeom.mjGEOM_MESH,
}

# An upright cylinder on a plane gets phantom contacts as deep as its radius, because MuJoCo
# normalises the rounding noise of its axis. A tilt of 1e-5 rad (4 um at a 0.4 m rim) keeps the axis
# off the normal; a tenth of that is rounded away.
_CYLINDER_TILT = Quaternion.from_axis_angle(Vector3(1.0, 0.0, 0.0), 1e-5)

_GRID = 1.0  # spacing of the lines on planes that MuJoCo draws as infinite [m]
_SIDES = 48  # sides of the pyramid that stands for a cone
_FLAT = 1e-9  # smallest part of an outline [m^2]; MuJoCo refuses flat hulls


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


def apply_shape(
    geom: mujoco.MjsGeom, geometry: Shape, pose: Pose, *, asset: Callable[[Asset], str]
) -> None:
    """Sets the type, size and pose of a geom; `asset` returns the name of a shape's asset."""
    geom.type = _TYPES[type(geometry)]
    if isinstance(geometry, Asset):
        if isinstance(geometry, Landscape):
            pose = pose @ Pose(geometry.middle)
            geom.hfieldname = asset(geometry)
        else:
            geom.meshname = asset(geometry)
        geom.pos = list(pose.position)
        geom.quat = list(pose.orientation.normalized().to_wxyz())
    else:
        geom.pos, geom.quat, geom.size = _placed(geometry, pose)


@lru_cache(maxsize=1024)  # otherwise a third of the time of spawning many equal models
def _placed(geometry: Simple, pose: Pose) -> tuple[Numbers, Numbers, Numbers]:
    """Returns the position, quaternion (w, x, y, z) and size of a MuJoCo geom.

    The geom is that of a geometry at a pose.
    """
    if isinstance(geometry, Plane):
        pose = pose @ Pose((0.0, 0.0, 0.0), _turn_z_to(geometry.normal))
    if isinstance(geometry, Cylinder):
        pose = pose @ Pose((0.0, 0.0, 0.0), _CYLINDER_TILT)
    turn = pose.orientation.normalized().to_wxyz()
    return tuple(pose.position), tuple(map(float, turn)), _size(geometry)


def _size(geometry: Simple) -> Numbers:
    """Returns MuJoCo's size: half lengths, with the radius first."""
    match geometry:
        case Box(size):
            return tuple(length / 2 for length in size)
        case Sphere(radius):
            return radius, 0.0, 0.0
        case Cylinder(radius, length) | Capsule(radius, length):
            return radius, length / 2, 0.0
        case Ellipsoid(radii):
            return tuple(radii)
        case Plane(_, (x, y)):
            return x / 2, y / 2, _GRID


def _turn_z_to(normal: Vector3) -> Quaternion:
    """Returns the shortest rotation that takes +z to a unit vector."""
    sine = math.hypot(normal.x, normal.y)
    if sine < 1e-12:
        return Quaternion() if normal.z > 0.0 else Quaternion(1.0, 0.0, 0.0, 0.0)
    axis = Vector3(-normal.y / sine, normal.x / sine, 0.0)
    return Quaternion.from_axis_angle(axis, math.atan2(sine, normal.z))

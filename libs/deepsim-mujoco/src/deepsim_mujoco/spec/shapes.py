# SPDX-License-Identifier: Apache-2.0
"""Conversion of geometries to MuJoCo geoms."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_mujoco.engine import mujoco
from deepsim_spawn import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plane, Sphere

from .landscapes import Landscape
from .solids import Shape, Solid

Simple: TypeAlias = Box | Sphere | Cylinder | Capsule | Ellipsoid | Plane
Asset: TypeAlias = Mesh | Solid | Landscape
"""The shapes that need an asset, which geoms may share."""
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
}

# An upright cylinder on a plane gets phantom contacts as deep as its radius, because MuJoCo
# normalises the rounding noise of its axis. A tilt of 1e-5 rad (4 um at a 0.4 m rim) keeps the axis
# off the normal; a tenth of that is rounded away.
_CYLINDER_TILT = Quaternion.from_axis_angle(Vector3(1.0, 0.0, 0.0), 1e-5)

_GRID = 1.0  # spacing of the lines on planes that MuJoCo draws as infinite [m]


def apply_shape(
    geom: mujoco.MjsGeom, geometry: Shape, pose: Pose, *, asset: Callable[[Asset], str]
) -> None:
    """Sets the type, size and pose of a geom; `asset` returns the name of a shape's asset."""
    geom.type = _TYPES[type(geometry)]
    if isinstance(geometry, (Mesh, Solid, Landscape)):
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

# SPDX-License-Identifier: Apache-2.0
"""Where rays enter the shapes that MuJoCo has formulas for, all rays of a shape at once.

Every solid here is convex, so a ray is inside it during one interval. Rays are given in the frame
of the shape, by one origin (3,) and directions (3, n) of any length.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

Array = NDArray[np.float64]
Interval = tuple[Array, Array]


@dataclass(frozen=True, slots=True)
class Solid:
    """A kind of shape.

    Attributes:
        enter: From origin, directions and MuJoCo's size: (n,) multiples of the directions at
            which the rays enter, negative for rays that start inside, inf for those that miss.
        outward: From points (3, n) on the surface and the size: unit normals (3, n). None where
            the normal is +z everywhere.
    """

    enter: Callable[[Array, Array, Array], Array]
    outward: Callable[[Array, Array], Array] | None


def _slab(origin: float, rays: Array, half: float) -> Interval:
    """Between two planes at -half and half on one axis."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = (-half - origin) / rays, (half - origin) / rays
    return np.minimum(one, other), np.maximum(one, other)


def _unit_ball(origin: Array, rays: Array) -> Interval:
    """In the unit sphere, or, for two coordinates, in the endless tube of radius 1."""
    square = np.einsum("ij,ij->j", rays, rays)
    middle = -(origin @ rays)
    inside = 1.0 - origin @ origin
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.sqrt(middle * middle + square * inside)  # NaN for rays that miss
        enter, leave = (middle - reach) / square, (middle + reach) / square
    along_axis = square == 0.0
    if along_axis.any():
        enter[along_axis] = -np.inf if inside > 0 else np.nan
        leave[along_axis] = np.inf if inside > 0 else np.nan
    return enter, leave


def _common(*intervals: Interval) -> Array:
    """Where rays enter the intersection of solids, inf where they miss it."""
    enter, leave = intervals[0]
    for other_enter, other_leave in intervals[1:]:
        enter, leave = np.maximum(enter, other_enter), np.minimum(leave, other_leave)
    return np.where(enter <= leave, enter, np.inf)  # NaN compares as a miss


def _enter_plane(origin: Array, rays: Array, size: Array) -> Array:
    """Front side only; a half length of 0 is endless."""
    if origin[2] <= 0.0:
        return np.full(rays.shape[1], np.inf)
    hit = rays[2] < 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        depth: Array = -origin[2] / rays[2]
        for axis in (0, 1):
            if size[axis] > 0.0:
                hit &= np.abs(origin[axis] + depth * rays[axis]) <= size[axis]
    depth[~hit] = np.inf
    return depth


def enter_box(origin: Array, rays: Array, size: Array) -> Array:
    """Of half lengths size; see :attr:`Solid.enter`."""
    return _common(*(_slab(origin[i], rays[i], size[i]) for i in range(3)))


def _enter_sphere(origin: Array, rays: Array, size: Array) -> Array:
    return _common(_unit_ball(origin / size[0], rays / size[0]))


def _enter_ellipsoid(origin: Array, rays: Array, size: Array) -> Array:
    return _common(_unit_ball(origin / size, rays / size[:, None]))


def _enter_cylinder(origin: Array, rays: Array, size: Array) -> Array:
    tube = _unit_ball(origin[:2] / size[0], rays[:2] / size[0])
    return _common(tube, _slab(origin[2], rays[2], size[1]))


def _enter_capsule(origin: Array, rays: Array, size: Array) -> Array:
    end = np.array([0.0, 0.0, size[1]])
    enter = _enter_cylinder(origin, rays, size)
    for centre in (end, -end):
        enter = np.minimum(enter, _enter_sphere(origin - centre, rays, size))
    return enter


def _box_outward(points: Array, size: Array) -> Array:
    face = np.abs(points / size[:, None]).argmax(axis=0)
    normals: Array = np.where(face == np.arange(3)[:, None], np.sign(points), 0.0)
    return normals


def _sphere_outward(points: Array, size: Array) -> Array:
    normals: Array = points / size[0]
    return normals


def _ellipsoid_outward(points: Array, size: Array) -> Array:
    return _unit(points / (size * size)[:, None])


def _cylinder_outward(points: Array, size: Array) -> Array:
    on_cap = np.abs(points[2]) * size[0] > np.hypot(points[0], points[1]) * size[1]
    return _unit(np.where(on_cap == np.array([[False], [False], [True]]), points, 0.0))


def _capsule_outward(points: Array, size: Array) -> Array:
    normals = points.copy()
    normals[2] -= np.clip(points[2], -size[1], size[1])
    normals /= size[0]
    return normals


def _unit(vectors: Array) -> Array:
    units: Array = vectors / np.sqrt(np.einsum("ij,ij->j", vectors, vectors))
    return units


_GEOMS = mujoco.mjtGeom
SOLIDS = {
    int(_GEOMS.mjGEOM_PLANE): Solid(_enter_plane, None),
    int(_GEOMS.mjGEOM_BOX): Solid(enter_box, _box_outward),
    int(_GEOMS.mjGEOM_SPHERE): Solid(_enter_sphere, _sphere_outward),
    int(_GEOMS.mjGEOM_ELLIPSOID): Solid(_enter_ellipsoid, _ellipsoid_outward),
    int(_GEOMS.mjGEOM_CYLINDER): Solid(_enter_cylinder, _cylinder_outward),
    int(_GEOMS.mjGEOM_CAPSULE): Solid(_enter_capsule, _capsule_outward),
}
"""By MuJoCo's number of the geom type; meshes and height fields have no formula."""

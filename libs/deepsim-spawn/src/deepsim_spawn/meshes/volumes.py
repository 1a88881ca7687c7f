# SPDX-License-Identifier: Apache-2.0
"""Volume, centroid and inertia of shapes that are filled evenly."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose
from deepsim_spawn.description.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Plane,
    Sphere,
)

from .shapes import shape_triangles

Floats = NDArray[np.float64]


class Solid(NamedTuple):
    """A body of even density.

    Attributes:
        mass: [kg]; for a shape of density 1, its volume [m^3].
        centre: Centre of mass in some frame, (3,) [m].
        inertia: Tensor about the centre of mass, in the axes of that frame, (3, 3) [kg m^2].
    """

    mass: float
    centre: Floats
    inertia: Floats


def filled(geometry: Geometry) -> Solid | None:
    """Returns a shape filled with density 1 in its own frame; None if it encloses no volume.

    That of a polyline or closed mesh follows from its triangles (Eberly, Polyhedral Mass
    Properties); parts of a mesh that overlap count twice.

    Raises:
        ModelFormatError: A mesh cannot be read.
    """
    match geometry:
        case Box(size):
            x, y, z = size
            return _of_moments(x * y * z, x * x / 12, y * y / 12, z * z / 12)
        case Sphere(radius):
            return _of_moments(4 / 3 * math.pi * radius**3, *[radius**2 / 5] * 3)
        case Ellipsoid(radii):
            volume = 4 / 3 * math.pi * radii.x * radii.y * radii.z
            return _of_moments(volume, *(radius**2 / 5 for radius in radii))
        case Cylinder(radius, length):
            volume = math.pi * radius**2 * length
            return _of_moments(volume, radius**2 / 4, radius**2 / 4, length**2 / 12)
        case Cone(radius, length):
            volume, across = math.pi * radius**2 * length / 3, 3 / 20 * radius**2
            cone = _of_moments(volume, across, across, 3 / 80 * length**2)
            return cone._replace(centre=np.array([0.0, 0.0, -length / 4]))
        case Capsule(radius, length):
            middle, ends = math.pi * radius**2 * length, 4 / 3 * math.pi * radius**3
            across = (middle * radius**2 / 4 + ends * radius**2 / 5) / (middle + ends)
            # A half ball has its centroid 3 r / 8 from its flat side.
            end = radius**2 / 5 + length**2 / 4 + 3 / 8 * radius * length
            along = (middle * length**2 / 12 + ends * end) / (middle + ends)
            return _of_moments(middle + ends, across, across, along)
        case Plane() | Heightmap():
            return None
    return _of_triangles(*shape_triangles(geometry))


def _of_moments(volume: float, xx: float, yy: float, zz: float) -> Solid:
    """Returns a body centred on its frame from the mean squares of its coordinates [m^2]."""
    moments = volume * np.array([yy + zz, xx + zz, xx + yy])
    return Solid(volume, np.zeros(3), np.diag(moments))


def _of_triangles(points: Floats, faces: NDArray[np.int64]) -> Solid | None:
    """Returns what closed triangles that face outwards enclose; None if they are open."""
    if not _is_closed(points, faces):
        return None
    origin = points.mean(axis=0)  # close to the body, for the sake of rounding
    corners = (points - origin)[faces]
    volumes = np.linalg.det(corners) / 6.0  # of tetrahedra with the origin
    volume = float(volumes.sum())
    if abs(volume) <= 1e-12 * float(np.ptp(points, axis=0).max()) ** 3:
        return None
    if volume < 0.0:  # all triangles face inwards
        volumes, volume = -volumes, -volume
    sums = corners.sum(axis=1)
    centre = volumes @ sums / (4.0 * volume)
    products = np.einsum("n,nij,nik->jk", volumes, corners, corners)
    products += np.einsum("n,nj,nk->jk", volumes, sums, sums)
    second = products / 20.0 - volume * np.outer(centre, centre)
    inertia = np.trace(second) * np.eye(3) - second
    return Solid(volume, centre + origin, inertia)


def _is_closed(points: Floats, faces: NDArray[np.int64]) -> bool:
    """Returns whether each edge belongs to one triangle in each direction.

    Files such as STL repeat the corners of each triangle, so that places count, not numbers.
    """
    _, place = np.unique(points.astype(np.float32), axis=0, return_inverse=True)
    faces = place.reshape(-1)[faces]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    edges = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)
    there = edges[np.lexsort(edges.T)]
    back = edges[:, ::-1][np.lexsort(edges[:, ::-1].T)]
    return len(edges) > 0 and bool((there == back).all())


def together(parts: Iterable[tuple[Solid, float, Pose]]) -> Solid | None:
    """Returns the bodies of some densities [kg/m^3] at some poses as one; None without any."""
    posed = []
    for solid, density, pose in parts:
        turn = np.array(pose.orientation.normalized().to_matrix())
        centre = turn @ solid.centre + np.array(pose.position)
        posed.append(Solid(density * solid.mass, centre, density * turn @ solid.inertia @ turn.T))
    mass = sum(each.mass for each in posed)
    if mass <= 0.0:
        return None
    centre = sum((each.mass * each.centre for each in posed), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for each in posed:
        arm = each.centre - centre
        inertia += each.inertia + each.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Solid(mass, centre, inertia)

# SPDX-License-Identifier: Apache-2.0
"""Masses and inertias of links: from their filled shapes, and repaired where no body has them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, Vector3

from .description.checks import WORLD
from .description.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Sphere,
)
from .description.joint import JointDescription
from .description.link import CollisionDescription, Inertial
from .description.model import ModelDescription
from .description.sdf_paths import MOMENTS
from .meshes.shapes import shape_triangles
from .meshes.triangles import mesh_triangles
from .xml.element import Element

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


_MARGIN = 1e-6
"""Least second moment along an axis, relative to the sum over all axes; no body is made flatter."""

_THINNEST = 1e-9
"""Moments below this are rounding errors, relative to the largest moment or per mass [m^2]."""

_SECOND_TO_INERTIA = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
"""Maps the second moments along the principal axes to principal moments of inertia."""

WATER = 1000.0
"""Density [kg/m^3], close to the mean density of robots and their loads, and SDF's default."""


def even_solid(
    element: Element, collisions: Iterable[tuple[CollisionDescription, float]]
) -> Solid | None:
    """Returns the body that collisions of some densities [kg/m^3] form, in the link frame.

    An open mesh counts as its bounding box, with a warning; planes and heightmaps weigh nothing.

    Args:
        element: The element that asks for it, for messages.
        collisions: The shapes of the link; shapes that overlap count twice.
    """
    parts = []
    for collision, density in collisions:
        solid = filled(collision.geometry)
        if solid is None and isinstance(collision.geometry, Mesh):
            points, _ = mesh_triangles(collision.geometry)
            low, high = points.min(axis=0), points.max(axis=0)
            thick = np.maximum(high - low, 1e-6)
            box = filled(Box(Vector3(*thick.tolist())))
            assert box is not None
            solid = box._replace(centre=(low + high) / 2)
            element.warn(
                f"the mesh {collision.geometry.path.name} of collision {collision.name!r} is not "
                "closed",
                "for the inertia, open meshes count as their bounding boxes",
            )
        if solid is not None:
            parts.append((solid, density, collision.pose))
    return together(parts)


def inertial_of(element: Element, solid: Solid, mass: float | None = None) -> Inertial:
    """Returns the inertia of a body, scaled to a mass [kg] if one is given."""
    mass = solid.mass if mass is None else mass
    tensor = solid.inertia * (mass / solid.mass)
    upper = dict(zip(MOMENTS, tensor[np.triu_indices(3)].tolist(), strict=True))
    at = Pose(tuple(solid.centre.tolist()))
    return element.make(Inertial, mass=mass, pose=at, **upper)


def make_inertial(
    element: Element, mass: float, pose: Pose, moments: Mapping[str, float] | None
) -> Inertial | None:
    """Returns the mass and inertia of a link, or None if the mass is zero.

    An impossible tensor is replaced by the nearest possible one, with a warning.

    Args:
        element: The element of the inertia, for messages.
        mass: Mass of the link [kg].
        pose: Pose of the inertial frame in the link frame.
        moments: The six `MOMENTS` [kg m^2]; None assumes a ball as dense as water.
    """
    if mass == 0.0:
        element.repair("mass [kg] must be > 0, got 0", "a link without mass becomes a frame")
        return None
    if moments is None:
        radius = (0.75 * max(mass, 0.0) / (math.pi * WATER)) ** (1.0 / 3.0)
        moments = {name: 0.4 * mass * radius**2 * (name[1] == name[2]) for name in MOMENTS}
    ixx, ixy, ixz, iyy, iyz, izz = (moments[name] for name in MOMENTS)
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    impossible = mass > 0.0 and not is_physical(tensor)
    if impossible:
        tensor = nearest_physical(tensor, mass)
    upper = dict(zip(MOMENTS, tensor[np.triu_indices(3)].tolist(), strict=True))
    if impossible:
        given = ", ".join(f"{name} {moments[name]:g}" for name in MOMENTS)
        used = ", ".join(f"{name} {value:.4g}" for name, value in upper.items())
        element.warn(f"no rigid body has the inertia {given}; the nearest is used: {used}")
    return element.make(Inertial, mass=mass, pose=pose, **upper)


def is_physical(tensor: NDArray[np.float64]) -> bool:
    """Returns whether a rigid body can have the symmetric inertia tensor (3, 3).

    Its principal moments must be positive, and none larger than the sum of the other two.
    """
    low, middle, high = np.linalg.eigvalsh(tensor)
    return bool(low > _THINNEST * high and low + middle >= high * (1.0 - 1e-9))


def nearest_physical(tensor: NDArray[np.float64], mass: float) -> NDArray[np.float64]:
    """Returns the possible inertia nearest to an impossible one, in the Frobenius norm.

    A tensor is possible if the second moments of mass along its principal axes are all
    non-negative; each principal moment of inertia is the sum of the second moments along the other
    two axes. The nearest tensor shares the principal axes, so it follows from non-negative least
    squares.

    Args:
        tensor: (3, 3), symmetric [kg m^2].
        mass: Mass [kg]; a tensor of zeros becomes that of a ball of this mass with a radius of 1
            mm.

    Returns:
        (3, 3) tensor of a body that is not flat, so that rounding cannot make it impossible.
    """
    moments, axes = np.linalg.eigh(tensor)
    best = np.zeros(3)
    for free in itertools.product((False, True), repeat=3):
        second = np.zeros(3)
        columns = np.flatnonzero(free)
        second[columns] = np.linalg.lstsq(_SECOND_TO_INERTIA[:, columns], moments, rcond=None)[0]
        if second.min() >= 0.0 and _distance(second, moments) < _distance(best, moments):
            best = second
    if best.sum() <= _THINNEST * mass:
        best[:] = 0.2 * mass * 1e-3**2  # the second moment of a ball: m r^2 / 5
    best = np.maximum(best, _MARGIN * best.sum())
    nearest: NDArray[np.float64] = (axes * (_SECOND_TO_INERTIA @ best)) @ axes.T
    return nearest


def _distance(second: NDArray[np.float64], moments: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(_SECOND_TO_INERTIA @ second - moments))


FIXED = "fixed_to_world"
"""Name of the joint that fixes a base."""


def fix_massless_bases(model: ModelDescription, element: Element) -> ModelDescription:
    """Fixes the massless bases of a model to the world, as Bullet does, with a warning.

    A base is a link that is not the child of any joint, together with all links fixed to it. A
    model in which nothing can move becomes static.
    """
    if element.document.load.strict or model.static or model.models:
        return model
    bases = list(_massless_bases(model))
    if not bases:
        return model
    element.warn(f"{bases[0]!r} has no mass", "a base without mass is fixed to the world")
    if len(bases) == 1 and all(joint.type == "fixed" for joint in model.joints):
        return replace(model, static=True)
    names = {joint.name for joint in model.joints}
    joints = []
    for base in bases:
        name = FIXED if FIXED not in names else f"{FIXED}_{base}"
        names.add(name)
        joints.append(JointDescription(name, "fixed", WORLD, base))
    return replace(model, joints=(*model.joints, *joints))


def _massless_bases(model: ModelDescription) -> Iterator[str]:
    """Yields the name of the topmost link of each base without mass."""
    held = {joint.child: joint for joint in model.joints}
    fixed: dict[str, list[str]] = {}
    for joint in model.joints:
        if joint.type == "fixed":
            fixed.setdefault(joint.parent, []).append(joint.child)
    links = {link.name: link for link in model.links}
    for name in links:
        if name in held:
            continue
        group = [name]
        for part in group:
            group += fixed.get(part, [])
        if not any(links[part].inertial or links[part].kinematic for part in group):
            yield name

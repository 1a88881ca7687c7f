# SPDX-License-Identifier: Apache-2.0
"""Extents of a model: bounds and footprint."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Pose, Vector3

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
    Polyline,
    Sphere,
)
from .description.model import ModelDescription
from .meshes.shapes import heightmap_heights
from .meshes.triangles import mesh_triangles

Floats = NDArray[np.float64]

_CORNERS = np.array([*product((-0.5, 0.5), repeat=3)])
_UP = np.array([0.0, 0.0, 1.0])
_GROUND_DEPTH = 1.0  # of the solid ground below a heightmap's lowest point, in all engines [m]
_PARALLEL = 1e-9  # sine of the angle below which directions count as parallel


def corners(geometry: Geometry) -> Floats:
    """Returns points (n, 3) that span the shape's convex hull; none for round shapes and planes."""
    match geometry:
        case Box(size):
            return np.asarray(_CORNERS * np.array(size))
        case Heightmap(_, size, position):
            low, high = 0.0, size.z
            if not geometry.is_elevation_model:  # which is not read, and may fill its whole box
                heights = heightmap_heights(geometry)
                low, high = float(heights.min()), float(heights.max())
            low -= _GROUND_DEPTH
            middle = np.array([0.0, 0.0, (low + high) / 2]) + np.array(position)
            return np.asarray(_CORNERS * np.array([size.x, size.y, high - low]) + middle)
        case Mesh():
            return mesh_triangles(geometry)[0]
        case Polyline(outlines, height):
            flat = np.array([point for outline in outlines for point in outline])
            return prism(flat, height)
    return np.zeros((0, 3))


def prism(polygon: Floats, height: float) -> Floats:
    """Returns the corners (2n, 3) of a flat polygon (n, 2) extruded from z = 0."""
    bottom = np.column_stack([polygon, np.zeros(len(polygon))])
    return np.concatenate([bottom, bottom + height * _UP])


@dataclass(frozen=True, slots=True)
class Solid:
    """A shape posed in the frame of an extent.

    Attributes:
        geometry: The shape.
        points: Corners of the shape in its own frame (n, 3) [m].
        rotation: Rotation matrix of the shape's frame (3, 3).
        position: Position of the shape's frame (3,) [m].
    """

    geometry: Geometry
    points: Floats
    rotation: Floats
    position: Floats

    def reach(self, directions: Floats) -> Floats:
        """Returns the support function (n,) [m]: the largest p.d of its points for directions d.

        `directions` are (n, 3). The result is infinite where a half space is unbounded.
        """
        return self._own_reach(directions @ self.rotation) + directions @ self.position

    def _own_reach(self, directions: Floats) -> Floats:
        if len(self.points):
            return np.asarray((self.points @ directions.T).max(axis=0))
        length = np.linalg.norm(directions, axis=1)
        across, along = np.hypot(directions[:, 0], directions[:, 1]), np.abs(directions[:, 2])
        match self.geometry:
            case Sphere(radius):
                return np.asarray(radius * length)
            case Cylinder(radius, height):
                return np.asarray(radius * across + height / 2 * along)
            case Capsule(radius, height):
                return np.asarray(radius * length + height / 2 * along)
            case Ellipsoid(radii):
                return np.asarray(np.linalg.norm(directions * np.array(radii), axis=1))
            case Cone(radius, height):
                up = directions[:, 2] * height / 2
                return np.asarray(np.maximum(up, radius * across - up))
            case Plane(normal):
                aslant = np.linalg.norm(np.cross(directions, normal), axis=1) > _PARALLEL * length
                return np.where(aslant | (directions @ np.array(normal) < 0.0), np.inf, 0.0)
        raise TypeError(f"{type(self.geometry).__name__} has no known extent")

    def shadow(self, axes: Floats, tolerance: float) -> Floats:
        """Returns points (n, 2) [m] whose hull is the shadow (the projection) of the solid's hull.

        The solid is not a plane.

        Args:
            axes: The two axes of the projection plane (2, 3).
            tolerance: Largest distance of round edges from the polygon [m].
        """
        return self._own_shadow(axes @ self.rotation, tolerance) + axes @ self.position

    def _own_shadow(self, axes: Floats, tolerance: float) -> Floats:
        if len(self.points):
            return np.asarray(self.points @ axes.T)
        match self.geometry:
            case Sphere(radius):
                return radius * _circle(radius, tolerance)
            case Capsule(radius, height):
                end = axes[:, 2] * height / 2
                round_end = radius * _circle(radius, tolerance)
                return np.concatenate([round_end + end, round_end - end])
            case Ellipsoid(radii):
                # the image of the unit ball under A is that of the unit circle under sqrt(A A^T)
                squash = axes * np.array(radii)
                values, vectors = np.linalg.eigh(squash @ squash.T)
                root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
                return np.asarray(_circle(max(radii), tolerance) @ root)
            case Cylinder(radius, height) | Cone(radius, height):
                rim = radius * _circle(radius, tolerance) @ axes[:, :2].T
                up = axes[:, 2] * height / 2
                top = rim + up if isinstance(self.geometry, Cylinder) else up[None]
                return np.concatenate([rim - up, top])
        raise TypeError(f"{type(self.geometry).__name__} casts no finite shadow")


def _circle(radius: float, tolerance: float) -> Floats:
    """Returns points (n, 2) on the unit circle, dense enough for the tolerance."""
    cosine = max(1.0 - tolerance / radius, 0.0)
    quarter = math.ceil(math.pi / max(math.acos(cosine), 1e-3) / 4)
    angles = np.arange(4 * quarter) * (math.pi / 2 / quarter)
    return np.column_stack([np.cos(angles), np.sin(angles)])


def solids(model: ModelDescription, pose: Pose) -> Iterator[Solid]:
    """Yields the collisions of a model whose frame has the given pose."""
    for _, link, link_pose in model.all_links():
        for collision in link.collisions:
            points = corners(collision.geometry)
            placed = pose @ link_pose @ collision.pose
            yield Solid(
                collision.geometry,
                points,
                np.array(placed.orientation.normalized().to_matrix()),
                np.array(placed.position),
            )


_SIX = np.concatenate([np.eye(3), -np.eye(3)])


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest box along the axes of a frame that contains a model.

    >>> from deepsim_spawn import Box, CollisionDescription, LinkDescription, ModelDescription
    >>> shape = CollisionDescription("shape", Box((1, 2, 3)))
    >>> crate = ModelDescription("crate", links=(LinkDescription("body", collisions=(shape,)),))
    >>> Bounds.of(crate).upper
    Vector3(0.5, 1.0, 1.5)

    Attributes:
        lower: Lowest x, y and z [m]; -inf where a plane's half space is unbounded.
        upper: Highest x, y and z [m]; inf where a plane's half space is unbounded.
    """

    lower: Vector3
    upper: Vector3

    @classmethod
    def of(cls, model: ModelDescription, pose: Pose | None = None) -> Bounds | None:
        """Returns the bounds of a model's collisions.

        They are exact for every shape except heightmaps. A heightmap counts as the box from 1 m
        below its lowest point, because engines put that much ground below it, to its highest; if
        its file is an elevation model, from 1 m below 0 to the height in its `size`. A plane counts
        as the half space behind it, opposite to its normal.

        Args:
            model: The model.
            pose: Pose of the model frame in the frame of the bounds; by default the identity.

        Returns:
            The bounds, or None for a model without collisions.

        Raises:
            ModelFormatError: A mesh or heightmap cannot be read.
        """
        reaches = [solid.reach(_SIX) for solid in solids(model, pose or Pose())]
        if not reaches:
            return None
        furthest = np.max(reaches, axis=0)
        return cls(Vector3(*(0.0 - furthest[3:])), Vector3(*(0.0 + furthest[:3])))  # no -0.0

    @property
    def size(self) -> Vector3:
        """Full lengths along x, y, z [m]."""
        return self.upper - self.lower

    @property
    def center(self) -> Vector3:
        """Centre [m]; NaN along an axis that is unbounded on both sides."""
        return (self.lower + self.upper) / 2.0


def convex_hull(points: Floats) -> Floats:
    """Returns the corners of the convex hull, counterclockwise, by Andrew's monotone chain.

    For collinear points the corners are the two ends, for equal points that one point.
    """
    points = np.unique(points, axis=0)  # sorts by x, then by y
    if len(points) < 3:
        return points
    rows: list[tuple[float, float]] = [(x, y) for x, y in points.tolist()]
    chain = [*_half(rows)[:-1], *_half(rows[::-1])[:-1]]
    return np.array(chain)


def _half(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    chain: list[tuple[float, float]] = []
    for x, y in points:
        while len(chain) > 1:
            (ax, ay), (bx, by) = chain[-2:]
            if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                break
            chain.pop()
        chain.append((x, y))
    return chain


def contains(polygon: Floats, points: Floats) -> NDArray[np.bool_]:
    """Returns whether points (n, 2) lie in a counterclockwise convex polygon of >= 3 corners."""
    inside = np.ones(len(points), dtype=np.bool_)
    for (ax, ay), (bx, by) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        left = (bx - ax) * (points[:, 1] - ay) - (by - ay) * (points[:, 0] - ax)
        inside &= left >= 0.0
    return inside


_GROUND = np.eye(3)[:2]


@dataclass(frozen=True, slots=True, eq=False)
class Footprint:
    """The vertical projection of a model's collisions, as a union of convex polygons.

    >>> top = CollisionDescription("top", Box((2, 1, 0.1)), pose=Pose((0, 0, 0.7)))
    >>> table = ModelDescription("table", links=(LinkDescription("body", collisions=(top,)),))
    >>> Footprint.of(table).contains([(0.9, 0.4), (1.1, 0.0)]).tolist()
    [True, False]

    Attributes:
        pieces: Corners (n, 2) of each polygon [m], counterclockwise. Polygons may overlap.
    """

    pieces: tuple[Floats, ...]

    @classmethod
    def of(
        cls, model: ModelDescription, pose: Pose | None = None, *, tolerance: float = 1e-4
    ) -> Footprint:
        """Returns the footprint of a model, without planes.

        Meshes are covered triangle by triangle, so that holes remain, and heightmaps by the
        rectangle of their size.

        Args:
            model: The model.
            pose: Pose of the model frame in the frame of the footprint; by default the identity.
            tolerance: Largest distance of round edges from their polygons [m], > 0.

        Raises:
            ModelFormatError: A mesh cannot be read.
            ValueError: The tolerance is not > 0.
        """
        if not tolerance > 0.0:
            raise ValueError(f"tolerance must be > 0 m, got {tolerance}")
        return cls(
            tuple(
                piece
                for solid in solids(model, pose or Pose())
                for piece in _pieces(solid, tolerance)
                if len(piece) > 2
            )
        )

    def contains(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Returns for each of the points (n, 2) [m] whether it is covered."""
        given = np.asarray(points, dtype=np.float64)
        if given.ndim != 2 or given.shape[1] != 2:
            raise ValueError(f"points must have the shape (n, 2), got {given.shape}")
        covered = np.zeros(len(given), dtype=np.bool_)
        for piece in self.pieces:
            covered |= contains(piece, given)
        return covered


def _pieces(solid: Solid, tolerance: float) -> Iterator[Floats]:
    """Yields convex polygons that cover the projection of a solid."""
    match solid.geometry:
        case Plane():
            return
        case Mesh():
            vertices, faces = mesh_triangles(solid.geometry)
            yield from _triangles((vertices @ solid.rotation.T + solid.position)[:, :2][faces])
        case Polyline(_, height):
            for part in solid.geometry.convex_parts():
                placed = prism(part, height) @ solid.rotation.T + solid.position
                yield convex_hull(placed[:, :2])
        case _:
            yield convex_hull(solid.shadow(_GROUND, tolerance))


def _triangles(corners: Floats) -> Iterator[Floats]:
    """Yields each triangle of `corners` (n, 3, 2) with an area > 0, as (3, 2), counterclockwise."""
    (ax, ay), (bx, by) = (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
    doubled = ax * by - ay * bx
    yield from corners[doubled > 0.0]
    yield from corners[doubled < 0.0, ::-1]

# SPDX-License-Identifier: Apache-2.0
"""Extents and projections of shapes in their own frames."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

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
    Mesh,
    Plane,
    Sphere,
)
from deepsim_spawn.description.model import ModelDescription
from deepsim_spawn.description.polyline import Polyline
from deepsim_spawn.meshes.triangles import mesh_triangles
from deepsim_spawn.pictures import heightmap_heights

Floats = NDArray[np.float64]

_CORNERS = np.array([*product((-0.5, 0.5), repeat=3)])
_UP = np.array([0.0, 0.0, 1.0])
_PARALLEL = 1e-9  # sine of the angle below which directions count as parallel


def corners(geometry: Geometry) -> Floats:
    """Returns points (n, 3) that span the shape's convex hull; none for round shapes and planes."""
    match geometry:
        case Box(size):
            return np.asarray(_CORNERS * np.array(size))
        case Heightmap(_, size, position):
            low, high = 0.0, size.z
            if geometry.is_picture:  # elevation models are not read, and may fill their whole box
                heights = heightmap_heights(geometry)
                low, high = float(heights.min()), float(heights.max())
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

        The solid is no plane.

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

# SPDX-License-Identifier: Apache-2.0
"""The ground area that a model covers, in convex polygons: arrays (n, 2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Pose
from deepsim_spawn.description.geometry import Mesh, Plane
from deepsim_spawn.description.model import ModelDescription
from deepsim_spawn.description.polyline import Polyline
from deepsim_spawn.meshes.triangles import mesh_triangles

from .shapes import Floats, Solid, prism, solids


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

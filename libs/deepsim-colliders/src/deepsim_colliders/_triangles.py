# SPDX-License-Identifier: Apache-2.0
"""Arrays of triangles: rays, distances and enclosed points."""

from __future__ import annotations

import math
from typing import Iterator

import numpy as np
from numpy.typing import NDArray

from ._crossings import advance

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Slack of the edges relative to their length, so that no ray passes between two triangles.
_SLACK = 1e-9
_BLOCK = 1 << 16


class Triangles:
    """Triangles with corners (m, 3, 3) [m], counter-clockwise seen from outside."""

    def __init__(self, corners: Array) -> None:
        self.corners = corners
        self.first = corners[:, 0]
        self.edges = corners[:, 1] - self.first, corners[:, 2] - self.first
        self._cross = np.cross(*self.edges)
        self.normals = self._cross / np.linalg.norm(self._cross, axis=1, keepdims=True)
        self._height = np.einsum("md,md->m", self.first, self._cross)
        self._sides = np.cross(self.edges[1], self.first), np.cross(self.edges[0], self.first)
        lengths = [np.linalg.norm(edge, axis=1) for edge in self.edges]
        self._flat = 1e-12 * lengths[0] * lengths[1]
        self.middles = corners.mean(axis=1)
        self.radii = np.linalg.norm(corners - self.middles[:, np.newaxis], axis=2).max(axis=1)

    def meetings(self, origins: Array, directions: Array) -> Array:
        """Returns the t at which lines (n, 3) meet triangles, (n, m), or NaN.

        Uses the formula of Moeller and Trumbore (1997), with products of lines and triangles as
        matrices.
        """
        speeds = np.sqrt(np.einsum("nd,nd->n", directions, directions))[:, np.newaxis]
        unit = directions / speeds
        # Measured from the middle of the lines, which stays accurate if a ray starts far away.
        middle = -np.einsum("nd,nd->n", origins, unit)[:, np.newaxis]
        origin = origins + middle * unit
        u_edge, v_edge = self.edges
        turned = np.cross(unit, origin)
        det = -unit @ self._cross.T
        with np.errstate(divide="ignore", invalid="ignore"):
            u = -(turned @ v_edge.T + unit @ self._sides[0].T) / det
            v = (turned @ u_edge.T + unit @ self._sides[1].T) / det
            times = (origin @ self._cross.T - self._height) / det + middle
            met = (np.abs(det) > self._flat) & (u >= -_SLACK) & (v >= -_SLACK)
            met &= u + v <= 1.0 + _SLACK
        times[~met] = np.nan
        found: Array = times / speeds
        return found

    def first_met(self, origins: Array, directions: Array) -> tuple[Array, NDArray[np.intp]]:
        """Returns the first t >= 0 at which rays (n, 3) meet a triangle, or NaN, and its number."""
        starts, faces = np.empty(len(origins)), np.empty(len(origins), dtype=np.intp)
        for block in self._blocks(len(origins)):
            times = self.meetings(origins[block], directions[block])
            times[~(times >= 0.0)] = np.inf
            faces[block] = times.argmin(axis=1)
            starts[block] = times.min(axis=1)
        starts[starts == np.inf] = np.nan
        return starts, faces

    def nearest(self, points: Array) -> tuple[Array, Array]:
        """Returns the distances (n,) of points (n, 3) from the nearest triangle.

        Also returns the vectors (n, 3) from the nearest points of the triangles.
        """
        least, away = np.full(len(points), np.inf), np.zeros(points.shape)
        for block in self._blocks(len(points)):
            gaps = _gaps(self.corners, points[block, np.newaxis])
            squares = np.einsum("nmd,nmd->nm", gaps, gaps)
            pick = np.arange(len(squares)), squares.argmin(axis=1)
            least[block], away[block] = np.sqrt(squares[pick]), gaps[pick]
        return least, away

    def sweep(self, origins: Array, directions: Array, radii: Array, farthest: Array) -> Array:
        """Returns the distance at which balls that move along rays (n, 3) meet a triangle.

        It is infinity for misses. Directions have length 1, and no ball touches the surface at its
        start.
        """
        starts = np.full(len(origins), np.inf)
        for block in self._blocks(len(origins)):
            away = self.middles - origins[block, np.newaxis]
            ahead = np.einsum("nmd,nd->nm", away, directions[block])
            aside = np.einsum("nmd,nmd->nm", away, away) - ahead * ahead
            reach = self.radii + radii[block, np.newaxis]
            near = (aside <= reach * reach * (1.0 + 1e-6)) & (ahead >= -reach)
            near &= ahead - reach <= farthest[block, np.newaxis]
            ray, face = np.nonzero(near)
            corners, ray = self.corners[face], ray + block.start

            def gaps(
                some: NDArray[np.intp], points: Array, corners: Array = corners
            ) -> tuple[Array, Array]:
                away = _gaps(corners[some, np.newaxis], points[:, np.newaxis])[:, 0]
                distance = np.linalg.norm(away, axis=1)
                return distance, away / np.maximum(distance, 1e-300)[:, np.newaxis]

            met = advance(gaps, origins[ray], directions[ray], radii[ray], farthest[ray])
            np.minimum.at(starts, ray, met)
        return starts

    def enclose(self, points: Array) -> Flags:
        """Returns whether a closed surface encloses points (n, 3) (Oosterom, Strackee 1983)."""
        inside = np.empty(len(points), dtype=np.bool_)
        for block in self._blocks(len(points)):
            a, b, c = (self.corners[:, k] - points[block, np.newaxis] for k in range(3))
            x, y, z = (np.linalg.norm(side, axis=2) for side in (a, b, c))
            volume = np.einsum("nmd,nmd->nm", a, np.cross(b, c))
            rest = (
                x * y * z
                + np.einsum("nmd,nmd->nm", a, b) * z
                + np.einsum("nmd,nmd->nm", b, c) * x
                + np.einsum("nmd,nmd->nm", c, a) * y
            )
            inside[block] = np.abs(np.arctan2(volume, rest).sum(axis=1)) > math.pi
        return inside

    def _blocks(self, count: int) -> Iterator[slice]:
        step = max(1, _BLOCK // len(self.corners))
        for start in range(0, count, step):
            yield slice(start, start + step)


def _gaps(corners: Array, points: Array) -> Array:
    """Returns the vectors to points (n, m, 3) from the nearest points of triangles (n, m, 3, 3).

    The first axis of `corners` may be missing.
    """
    edges = np.roll(corners, -1, axis=-2) - corners
    normal = np.cross(edges[..., 0, :], edges[..., 1, :])
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    height = ((points - corners[..., 0, :]) * normal).sum(axis=-1)
    best = height[..., np.newaxis] * normal
    over = np.ones(height.shape, dtype=np.bool_)
    to_edges, least = np.zeros(best.shape), np.full(height.shape, np.inf)
    for k in range(3):
        edge, away = edges[..., k, :], points - corners[..., k, :]
        over &= (away * np.cross(normal, edge)).sum(axis=-1) >= 0.0
        part = (away * edge).sum(axis=-1) / (edge * edge).sum(axis=-1)
        gap = away - np.clip(part, 0.0, 1.0)[..., np.newaxis] * edge
        square = (gap * gap).sum(axis=-1)
        closer = square < least
        to_edges, least = (
            np.where(closer[..., np.newaxis], gap, to_edges),
            np.minimum(square, least),
        )
    found: Array = np.where(over[..., np.newaxis], best, to_edges)
    return found


def is_closed(faces: NDArray[np.intp]) -> bool:
    """Returns whether each edge is shared with one neighbour, in opposite directions."""
    edges = np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)])
    there = set(map(tuple, edges.tolist()))
    return len(there) == len(edges) and all((b, a) in there for a, b in there)

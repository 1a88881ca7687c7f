# SPDX-License-Identifier: Apache-2.0
"""Arrays of triangles: rays, distances and enclosed points."""

from __future__ import annotations

import math
from typing import Iterator

import numpy as np
from numpy.typing import NDArray

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
        cross = np.cross(*self.edges)
        self.normals = cross / np.linalg.norm(cross, axis=1, keepdims=True)
        self.middles = corners.mean(axis=1)
        self.radii = np.linalg.norm(corners - self.middles[:, np.newaxis], axis=2).max(axis=1)

    def meetings(self, origin: Array, direction: Array) -> tuple[Array, NDArray[np.intp]]:
        """Returns each t at which a line meets a triangle, and the triangle's number.

        Uses the formula of Moeller and Trumbore (1997).
        """
        unit = direction / math.sqrt(direction @ direction)
        away = self.middles - origin
        aside = np.einsum("md,md->m", away, away) - (away @ unit) ** 2
        radii = self.radii * (1.0 + 1e-6)
        near = np.flatnonzero(aside <= radii * radii + 1e-12 * np.abs(away).max() ** 2)
        u_edge, v_edge = self.edges[0][near], self.edges[1][near]
        across = np.cross(unit, v_edge)
        det = np.einsum("md,md->m", u_edge, across)
        offset = origin - self.first[near]
        turned = np.cross(offset, u_edge)
        with np.errstate(divide="ignore", invalid="ignore"):
            u = np.einsum("md,md->m", offset, across) / det
            v = turned @ unit / det
            times = np.einsum("md,md->m", v_edge, turned) / det
            sizes = np.linalg.norm(u_edge, axis=1) * np.linalg.norm(v_edge, axis=1)
            flat = np.abs(det) <= 1e-12 * sizes
            met = ~flat & (u >= -_SLACK) & (v >= -_SLACK) & (u + v <= 1.0 + _SLACK)
        return times[met] / math.sqrt(direction @ direction), near[met]

    def first_met(self, origins: Array, directions: Array) -> tuple[Array, NDArray[np.intp]]:
        """Returns the first t >= 0 at which rays (n, 3) meet a triangle, or NaN, and its number.

        Uses the formula of `meetings`, with products of rays and triangles as matrices.
        """
        starts, faces = np.full(len(origins), np.nan), np.zeros(len(origins), dtype=np.intp)
        speeds = np.sqrt(np.einsum("nd,nd->n", directions, directions))
        u_edge, v_edge = self.edges
        normal = np.cross(u_edge, v_edge)
        u_side, v_side = np.cross(v_edge, self.first), np.cross(u_edge, self.first)
        flat = 1e-12 * np.linalg.norm(u_edge, axis=1) * np.linalg.norm(v_edge, axis=1)
        for block in self._blocks(len(origins)):
            origin = origins[block]
            unit = directions[block] / speeds[block, np.newaxis]
            turned = np.cross(unit, origin)
            det = -unit @ normal.T
            with np.errstate(divide="ignore", invalid="ignore"):
                u = -(turned @ v_edge.T + unit @ u_side.T) / det
                v = (turned @ u_edge.T + unit @ v_side.T) / det
                height = origin @ normal.T - np.einsum("md,md->m", self.first, normal)
                times = height / det
                met = (np.abs(det) > flat) & (u >= -_SLACK) & (v >= -_SLACK)
                met &= (u + v <= 1.0 + _SLACK) & (times >= 0.0)
            times[~met] = np.inf
            pick = times.argmin(axis=1)
            least = times[np.arange(len(pick)), pick]
            faces[block] = pick
            starts[block] = np.where(least < np.inf, least / speeds[block], np.nan)
        return starts, faces

    def distances(self, points: Array) -> Array:
        """Returns the distance of points (n, 3) from the nearest triangle."""
        least = np.full(len(points), np.inf)
        for block in self._blocks(len(points)):
            least[block] = self._distances(points[block]).min(axis=1)
        return least

    def _distances(self, points: Array) -> Array:
        """Returns the distance of each point from each triangle."""
        offset = points[:, np.newaxis] - self.first
        height = np.einsum("nmd,md->nm", offset, self.normals)
        over = np.ones(height.shape, dtype=np.bool_)
        to_edges = np.full(height.shape, np.inf)
        for k in range(3):
            start, edge = self.corners[:, k], self.corners[:, k - 2] - self.corners[:, k]
            away = points[:, np.newaxis] - start
            over &= np.einsum("nmd,md->nm", away, np.cross(self.normals, edge)) >= 0.0
            part = np.einsum("nmd,md->nm", away, edge) / np.einsum("md,md->m", edge, edge)
            gap = away - np.clip(part, 0.0, 1.0)[..., np.newaxis] * edge
            to_edges = np.minimum(to_edges, np.einsum("nmd,nmd->nm", gap, gap))
        return np.where(over, np.abs(height), np.sqrt(to_edges))

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


def is_closed(faces: NDArray[np.intp]) -> bool:
    """Returns whether each edge is shared with one neighbour, in opposite directions."""
    edges = np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)])
    there = set(map(tuple, edges.tolist()))
    return len(there) == len(edges) and all((b, a) in there for a, b in there)

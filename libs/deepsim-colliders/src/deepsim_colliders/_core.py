# SPDX-License-Identifier: Apache-2.0
"""The core of a 2D collider: a shapely geometry, prepared for queries in its frame."""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np
import shapely
from numpy.typing import NDArray

from ._crossings import Crossing, advance, first_piece
from ._frames import Pair

Array = NDArray[np.float64]

# Slack of the ends of an edge relative to its length, so that no ray passes through a corner.
_SLACK = 1e-9

# Pairs of a ray and an edge per block, so that the arrays fit in the cache of one CPU core.
_BLOCK = 1 << 15


class Outline:
    """All edges of lines, as arrays."""

    def __init__(self, lines: shapely.Geometry, gap: float) -> None:
        chains = [shapely.get_coordinates(line) for line in shapely.get_parts(lines)]
        starts = np.concatenate([chain[:-1] for chain in chains])
        edges = np.concatenate([np.diff(chain, axis=0) for chain in chains])
        lengths = np.hypot(edges[:, 0], edges[:, 1])
        real = lengths > 0.0
        self._starts, self._edges, self._lengths = starts[real], edges[real], lengths[real]
        self._gap = gap

    def crossing(
        self,
        origin: Pair,
        direction: Pair,
        covers: Callable[[Array], NDArray[np.bool_]],
    ) -> Crossing | None:
        """Returns the first connected piece of the ray, t >= 0, inside the geometry.

        Args:
            origin: start of the ray in the frame of the geometry.
            direction: of any length, which is the unit of t.
            covers: function of x and y that returns whether points are in the geometry.
        """
        inside = bool(covers(np.array(origin)))
        if math.hypot(*direction) == 0.0:
            return Crossing(-math.inf, math.inf, direction) if inside else None
        (times,), (flush,), (sines,) = self._meetings(np.array([origin]), np.array([direction]))
        met = np.flatnonzero(times < math.inf)
        if not met.size:
            return None
        # Along an edge, both of its ends count; `times` has the nearer one.
        along = np.flatnonzero(flush)
        ends = np.concatenate([self._starts[along], (self._starts + self._edges)[along]]) - origin
        knots = np.concatenate([times[met], ends @ direction / np.dot(direction, direction)])
        edges = np.concatenate([met, along, along])
        order = np.argsort(knots, kind="stable")
        order = order[knots[order] >= 0.0]
        knots, edges = knots[order], edges[order]
        if inside:
            knots, edges = np.concatenate([[0.0], knots]), np.concatenate([edges[:1], edges])
        side = edges[:1]
        ((nx, ny),) = self._normals(side, flush[side], sines[side], direction).tolist()
        return Crossing(*first_piece(origin, direction, knots, covers), (nx, ny))

    def enter(self, origins: Array, directions: Array) -> tuple[Array, Array]:
        """Returns the first t >= 0 at which each ray meets an edge, and the normal there.

        Args:
            origins: shape (n, 2), in the frame of the geometry.
            directions: shape (n, 2), of any length, which is the unit of t.

        Returns:
            Times (n,), infinite for misses, and normals against the rays (n, 2).
        """
        times = np.empty(len(origins))
        normals = np.empty((len(origins), 2))
        step = max(1, _BLOCK // max(len(self._starts), 1))
        for start in range(0, len(origins), step):
            block = slice(start, start + step)
            all_times, flush, sines = self._meetings(origins[block], directions[block])
            first = np.argmin(all_times, axis=1)
            pick = np.arange(first.size), first
            times[block] = all_times[pick]
            normals[block] = self._normals(first, flush[pick], sines[pick], directions[block])
        return times, normals

    def sweep(self, origins: Array, directions: Array, radii: Array, farthest: Array) -> Array:
        """Returns the distance at which discs that move along rays (n, 2) meet an edge.

        It is infinity for misses. No disc touches an edge at its start.
        """
        times = np.empty(len(origins))
        edges, count = self._edges, len(self._starts)
        squares = (edges * edges).sum(axis=1)
        step = max(1, _BLOCK // max(count, 1))
        for start in range(0, len(origins), step):
            block = slice(start, start + step)
            ray, edge = (each.ravel() for each in np.indices((len(origins[block]), count)))
            ray += start

            def gaps(
                some: NDArray[np.intp], points: Array, edge: NDArray[np.intp] = edge
            ) -> tuple[Array, Array]:
                line = edge[some]
                away = points - self._starts[line]
                part = np.clip((away * edges[line]).sum(axis=1) / squares[line], 0.0, 1.0)
                away = away - part[:, np.newaxis] * edges[line]
                distance = np.hypot(*away.T)
                return distance, away / np.maximum(distance, 1e-300)[:, np.newaxis]

            met = advance(gaps, origins[ray], directions[ray], radii[ray], farthest[ray])
            times[block] = met.reshape(-1, count).min(axis=1)
        return times

    def _meetings(
        self, origins: Array, directions: Array
    ) -> tuple[Array, NDArray[np.bool_], Array]:
        """Returns the first t >= 0 at which each ray meets each edge, or infinity.

        Also returns whether the ray runs along the edge, and the sine of the angle between them.
        """
        ox, oy = origins.T[..., np.newaxis]
        dx, dy = directions.T[..., np.newaxis]
        speed = np.hypot(dx, dy)
        wx, wy = self._starts[:, 0] - ox, self._starts[:, 1] - oy
        ex, ey = self._edges.T
        with np.errstate(divide="ignore", invalid="ignore"):
            sines = (dx * ey - dy * ex) / (speed * self._lengths)
            aside = (wx * dy - wy * dx) / speed  # of the start of the edge, from the line
            along = aside / (self._lengths * sines)
            times = (wx * ey - wy * ex) / (self._lengths * sines * speed)
            parallel = np.abs(sines) <= 1e-12
            met = ~parallel & (along >= -_SLACK) & (along <= 1.0 + _SLACK) & (times >= 0.0)
            times[~met] = math.inf
            flush = parallel & (np.abs(aside) <= self._gap)
            if flush.any():
                begin = (wx * dx + wy * dy) / speed**2
                for end in (begin, begin + (ex * dx + ey * dy) / speed**2):
                    sooner = flush & (end >= 0.0) & (end < times)
                    times[sooner] = end[sooner]
        return times, flush, sines

    def _normals(
        self, edges: NDArray[np.intp], flush: NDArray[np.bool_], sines: Array, directions: object
    ) -> Array:
        """Returns unit normals of edges facing the rays; for a ray along an edge, its reverse."""
        ex, ey = self._edges[edges].T / self._lengths[edges]
        side = np.where(sines > 0.0, -1.0, 1.0)
        dx, dy = np.atleast_2d(np.asarray(directions, dtype=np.float64)).T
        with np.errstate(divide="ignore", invalid="ignore"):
            speed = np.hypot(dx, dy)
            normals = np.where(flush, [-dx / speed, -dy / speed], [side * ey, -side * ex])
        return normals.T


Points = NDArray[np.float64]
Flags = NDArray[np.bool_]

KINDS = ("Polygon", "MultiPolygon", "LineString", "LinearRing", "MultiLineString")


class Core:
    """A geometry, and what queries of it need.

    Args:
        geometry: valid geometry in the frame of its collider [m].
        margin: distance by which the collider extends beyond it [m].
        touch: gap below which surfaces count as touching, relative to their size.
    """

    def __init__(self, geometry: shapely.Geometry, margin: float, touch: float) -> None:
        self.geometry = geometry
        self.vertices: Points = shapely.get_coordinates(geometry)
        radius = float(np.hypot(*self.vertices.T).max())
        # Far from its frame, a geometry is only as precise as a float there.
        room = 0.5 * float(np.hypot(*np.ptp(self.vertices, axis=0)))
        self.size = radius + margin
        self.extent = min(radius, max(room, 1e-6 * radius)) + margin
        self.boundary = geometry.boundary if geometry.area > 0.0 else geometry
        # The same shape, grown by the touching distance: shapely treats geometries as closed sets,
        # but after a rotation only rounding would decide whether points are on the surface.
        self.closed = shapely.buffer(geometry, touch * self.extent, join_style="mitre")
        # Rays meet the edges of a core without a margin.
        self.outline = None if margin else Outline(self.boundary, touch * self.extent)
        shapely.prepare([self.geometry, self.boundary, self.closed])

    def covers(self, geometries: Any, reach: Any = None) -> Flags:
        """Returns whether geometries, widened by `reach` [m], are inside the geometry."""
        covered: Flags = shapely.covers(self.closed, geometries)
        if reach is not None:
            covered = covered & ~shapely.dwithin(self.boundary, geometries, reach)
        return covered


def checked(geometry: Any, name: str, kinds: tuple[str, ...] = KINDS) -> shapely.Geometry:
    """Returns a geometry without z.

    Raises:
        TypeError: when it is not one of `kinds`.
        ValueError: when it is empty or invalid.
    """
    if not isinstance(geometry, shapely.Geometry) or geometry.geom_type not in kinds:
        raise TypeError(f"{name} takes one of {', '.join(kinds)}, got {geometry!r}")
    if geometry.is_empty:
        raise ValueError(f"{name} needs a geometry with points, got {geometry.wkt}")
    if not geometry.is_valid:
        reason = shapely.is_valid_reason(geometry)
        raise ValueError(
            f"invalid geometry: {reason}; repair it, for example with shapely.make_valid"
        )
    return shapely.force_2d(geometry)

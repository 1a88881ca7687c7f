# SPDX-License-Identifier: Apache-2.0
"""Rays against the edges of a shapely geometry."""

from __future__ import annotations

import math
from typing import Callable

import numpy as np
import shapely
from numpy.typing import NDArray

from ._crossings import Crossing
from ._frames import Pair

# Slack of the ends of an edge, as a part of its length: no ray slips through a corner.
_SLACK = 1e-9


class Outline:
    """All edges of some lines, as arrays."""

    def __init__(self, lines: shapely.Geometry) -> None:
        chains = [shapely.get_coordinates(line) for line in shapely.get_parts(lines)]
        starts = np.concatenate([chain[:-1] for chain in chains])
        edges = np.concatenate([np.diff(chain, axis=0) for chain in chains])
        lengths = np.hypot(edges[:, 0], edges[:, 1])
        real = lengths > 0.0
        self._starts, self._edges, self._lengths = starts[real], edges[real], lengths[real]
        self._size = float(np.abs(starts).max())

    def cross(
        self,
        origin: Pair,
        direction: Pair,
        covers: Callable[[NDArray[np.float64]], NDArray[np.bool_]],
    ) -> Crossing | None:
        """Find the first connected piece of the ray, t >= 0, in the geometry.

        Args:
            origin: start of the ray in the frame of the geometry.
            direction: of any length; t counts in this length.
            covers: tells which of many points are in the geometry or on its edges.
        """
        speed = math.hypot(*direction)
        inside = bool(covers(np.array(origin)))
        if speed == 0.0:
            return Crossing(-math.inf, math.inf, direction) if inside else None
        times, normals = self._meetings(origin, direction, speed)
        if not times.size:
            return None
        order = np.argsort(times)
        knots = np.concatenate([[0.0], times[order]]) if inside else times[order]
        middles = 0.5 * (knots[1:] + knots[:-1])
        within = covers(np.array(origin) + middles[:, np.newaxis] * direction)
        end = knots[-1] if within.all() else knots[int(np.argmin(within))]
        nx, ny = normals[order[0]].tolist()
        return Crossing(float(knots[0]), float(end), (nx, ny))

    def _meetings(
        self, origin: Pair, direction: Pair, speed: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Every t >= 0 at which the ray meets an edge, with the edge's normal against the ray."""
        dx, dy = direction
        wx, wy = (self._starts - origin).T
        ex, ey = self._edges.T
        sine = (dx * ey - dy * ex) / (speed * self._lengths)
        aside = (wx * dy - wy * dx) / speed  # of the start of the edge, from the line of the ray
        parallel = np.abs(sine) <= 1e-12
        with np.errstate(divide="ignore", invalid="ignore"):
            times = (wx * ey - wy * ex) / (self._lengths * sine * speed)
            along = aside / (self._lengths * sine)
        met = ~parallel & (along >= -_SLACK) & (along <= 1.0 + _SLACK) & (times >= 0.0)
        normals = np.stack([ey, -ex], axis=-1) / self._lengths[:, np.newaxis]
        normals *= np.where(sine > 0.0, -1.0, 1.0)[:, np.newaxis]

        # The ray runs along an edge: it meets both ends, head on.
        flush = parallel & (np.abs(aside) <= _SLACK * self._size)
        ends = np.concatenate([self._starts[flush], (self._starts + self._edges)[flush]]) - origin
        end_times = (ends @ direction) / speed**2
        end_times = end_times[end_times >= 0.0]
        head_on = np.broadcast_to(np.array([-dx, -dy]) / speed, (end_times.size, 2))
        return (
            np.concatenate([times[met], end_times]),
            np.concatenate([normals[met], head_on]),
        )

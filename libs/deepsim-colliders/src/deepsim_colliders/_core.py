# SPDX-License-Identifier: Apache-2.0
"""The core of a 2D collider: a shapely geometry, prepared for queries in its frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from ._outline import Outline

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

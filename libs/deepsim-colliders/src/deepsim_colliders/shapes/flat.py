# SPDX-License-Identifier: Apache-2.0
"""Colliders of the plane: shapely geometries and rectangles."""

from __future__ import annotations

from typing import SupportsFloat

import shapely

from deepsim_colliders._borders import positive
from deepsim_colliders._core import checked
from deepsim_colliders._crossings import Crossing, cross_box
from deepsim_colliders._frames import Pair
from deepsim_colliders._shape import BOX, Solid
from deepsim_colliders.collider import ORIGIN
from deepsim_colliders.collider_2d import Collider2D
from deepsim_math import Pose


class GeometryCollider(Collider2D):
    """Collider made of shapely areas or lines, such as a track, a lane or a wall.

    The geometry moves and turns with the frame. It is prepared once; queries transform the other
    side into its frame.

    >>> lane = GeometryCollider(shapely.LineString([(0, 0), (10, 0), (10, 10)]).buffer(2.0))
    >>> lane.contains((5, 1.9)), lane.contains((5, 2.1))
    (True, False)

    Args:
        geometry: Polygon, MultiPolygon, LineString, LinearRing or MultiLineString [m]; z is
            ignored.

    Raises:
        TypeError: when `geometry` is of another type.
        ValueError: when `geometry` is empty or invalid; the message gives the reason.
    """

    def __init__(self, geometry: shapely.Geometry, *, pose_offset: Pose = ORIGIN) -> None:
        super().__init__(pose_offset)
        self._geometry = checked(geometry, type(self).__name__)

    @property
    def geometry(self) -> shapely.Geometry:
        """The geometry in the frame of the collider, without z."""
        return self._geometry

    def core(self) -> shapely.Geometry:
        """Returns the geometry."""
        return self._geometry

    def _sizes(self) -> str:
        return repr(self._geometry)


class RectangleCollider(Collider2D):
    """Rectangle centred on its frame.

    >>> car = RectangleCollider(length=4.0, width=2.0, pose_offset=Pose((1.0, 0, 0)))
    >>> car.contains((2.9, 0.9)), car.contains((-1.1, 0))
    (True, False)

    Args:
        length: along its x axis [m], > 0.
        width: along its y axis [m], > 0.
    """

    def __init__(
        self, length: SupportsFloat, width: SupportsFloat, *, pose_offset: Pose = ORIGIN
    ) -> None:
        super().__init__(pose_offset)
        self._half = 0.5 * positive(length, "length"), 0.5 * positive(width, "width")
        self._numbers = Solid(BOX, self._half, 0.0)

    @property
    def length(self) -> float:
        """Length along x [m]."""
        return 2.0 * self._half[0]

    @property
    def width(self) -> float:
        """Width along y [m]."""
        return 2.0 * self._half[1]

    def core(self) -> shapely.Geometry:
        """Returns the rectangle."""
        x, y = self._half
        return shapely.Polygon([(x, y), (-x, y), (-x, -y), (x, -y)])

    def _sizes(self) -> str:
        return f"length={self.length}, width={self.width}"

    def _cross(self, origin: Pair, direction: Pair) -> Crossing | None:
        return cross_box(origin, direction, self._half)

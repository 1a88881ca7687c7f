# SPDX-License-Identifier: Apache-2.0
"""Colliders of shapely geometries."""

from __future__ import annotations

import shapely

from deepsim_colliders._core import checked
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

# SPDX-License-Identifier: Apache-2.0
"""The base class of 2D colliders."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from deepsim_math import Point, Pose, Vector3

from ._borders import numbers, unmasked
from ._frames import Frame2D, Pair
from ._shape import Shape
from .proximity import Separation


class Collider2D(Shape):
    """Collider on the ground, which uses x, y and yaw of its pose and ignores z.

    In 3D it extends infinitely up and down: a ray meets it where the ray's projection on the ground
    does. The yaw is the direction of the pose's forward axis seen from above, or 0 while this axis
    is vertical; any other tilt is ignored.

    >>> from deepsim_colliders import RectangleCollider
    >>> from deepsim_math import Ray
    >>> RectangleCollider(2.0, 2.0).raycast(Ray((-3, 0, 7), (1, 0, 0))).distance
    2.0
    """

    dimensions = 2

    def _make_frame(self, pose: Pose) -> Frame2D:
        return Frame2D(pose)

    def _flat(self) -> tuple[shapely.Geometry, float]:
        """Returns the core of the shape in the world, and the width of the band around it [m]."""
        raise NotImplementedError(f"{type(self).__name__} has no outline")

    def _spot(self, point: Pair) -> Spot:
        return Spot(point)

    def _separation(self, other: Any) -> Separation:
        (mine, reach), (theirs, width) = self._flat(), other._flat()
        (first, second), gap = _nearest(mine, theirs)
        if gap > 0.0:
            normal = (second[0] - first[0]) / gap, (second[1] - first[1]) / gap
            first = first[0] + reach * normal[0], first[1] + reach * normal[1]
            second = second[0] - width * normal[0], second[1] - width * normal[1]
        else:
            normal = (0.0, 0.0)
        return Separation(gap - reach - width, normal, first, second)

    def _corners(self) -> Sequence[Pair]:
        shape, width = self._flat()
        if width > 0.0:
            return []
        corners = [tuple(line.coords) for line in shapely.get_parts(_lines(shape))]
        return [
            corner for line in corners for corner in (line[:-1] if line[0] == line[-1] else line)
        ]

    def _span(self, axis: int) -> tuple[float, float]:
        shape, width = self._flat()
        return shape.bounds[axis] - width, shape.bounds[axis + 2] + width

    def _point(self, values: Any) -> Pair:
        if not isinstance(values, (Point, Vector3)):
            if hasattr(values, "__len__") and len(values) == 2:
                x, y = numbers(values, "a point").tolist()
                return x, y
            values = Point.from_array(unmasked(values, "a point"))
        return values.x, values.y

    def _refuse_array(self, points: NDArray[np.float64]) -> None:
        if points.shape[-1:] not in ((2,), (3,)):
            raise ValueError(f"points must have shape (..., 2) or (..., 3), got {points.shape}")


class Spot:
    """A point on the ground as a shape."""

    def __init__(self, point: Pair) -> None:
        self._place = shapely.Point(point)

    def _flat(self) -> tuple[shapely.Geometry, float]:
        return self._place, 0.0


def _nearest(a: shapely.Geometry, b: shapely.Geometry) -> tuple[tuple[Pair, Pair], float]:
    """Returns the closest points of two geometries and their distance."""
    first, second = shapely.get_coordinates(shapely.shortest_line(a, b)).tolist()
    return (tuple(first), tuple(second)), float(shapely.distance(a, b))


def _lines(shape: shapely.Geometry) -> shapely.Geometry:
    """Returns the boundary of an area, or the lines themselves."""
    return shape.boundary if shape.area > 0.0 else shape

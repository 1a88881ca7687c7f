# SPDX-License-Identifier: Apache-2.0
"""What all colliders share: where they are, whether they are on, and the three questions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Point, Pose, Ray, Vector3

from ._follower import Follower
from .hit import Hit
from .layers import Layered

if TYPE_CHECKING:
    from ._crossings import Crossing
    from ._shape import Shape

Target = Union["Collider", Point, Vector3, Sequence[float], NDArray[Any]]


class Collider(Follower, Layered, ABC):
    """Shape that can be asked what it meets.

    The shape is fixed in the collider's own frame; `pose` says where that frame is now: the pose of
    what it is attached to, composed with `pose_offset`. Each query reads the pose anew.

    Colliders are closed sets: their surface belongs to them. Touching counts as intersecting, and
    what touches from the inside is contained, a collider in itself for one. Surfaces closer than
    1e-9 of the sizes involved count as touching.

    A disabled collider meets nothing, whichever side asks; nor does one whose pose is not finite.
    Colliders whose `layers` and `mask` exclude each other do not meet; points and rays know no
    layers.

    Args:
        pose_offset: pose in the frame of what it is attached to, or in the world frame while it is
            attached to nothing.
    """

    dimensions: int
    """2 or 3. Colliders meet colliders of the same dimensions only."""

    def __init__(self, pose_offset: Pose) -> None:
        Follower.__init__(self, pose_offset)
        Layered.__init__(self)

    def intersects(self, target: Target) -> bool:
        """Whether they share at least one point; for a point, whether it is in the collider.

        Args:
            target: collider of the same dimensions, or a point: three numbers in the world frame
                (a 2D collider ignores z and takes two as well).

        Raises:
            TypeError: for a collider of other dimensions or what is neither.
        """
        if not isinstance(target, Collider):
            return self.contains(target)
        self._refuse_other_dimensions(target)
        if not self._may_meet(target):
            return False
        others = target._live_shapes()
        for shape in self._live_shapes():
            for other in others:
                if shape._meets(other):
                    return True
        return False

    def contains(self, target: Target) -> bool:
        """Whether no point of `target` is outside the collider.

        Args:
            target: as for `intersects`.

        Raises:
            TypeError: for a collider of other dimensions or what is neither.
        """
        shapes = self._live_shapes()
        if not isinstance(target, Collider):
            point = self._point(target)
            return any(shape._holds_here(point) for shape in shapes)
        self._refuse_other_dimensions(target)
        others = target._live_shapes()
        if not (others and self._may_meet(target)):
            return False
        return all(any(shape._contains(other) for shape in shapes) for other in others)

    __contains__ = contains

    def contains_points(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether each of many points is in the collider, as `contains` of each.

        Args:
            points: shape (..., 3), in the world frame; a 2D collider takes (..., 2) as well.

        Returns:
            Array of shape (...).

        Raises:
            ValueError: when `points` has another shape.
        """
        array = np.asarray(points, dtype=np.float64)
        self._refuse_array(array)
        flat = array[..., : self.dimensions].reshape(-1, self.dimensions)
        inside = np.zeros(len(flat), dtype=np.bool_)
        for shape in self._live_shapes():
            inside |= shape._hold_here(flat)
        return inside.reshape(array.shape[:-1])

    def raycast(self, ray: Ray) -> Hit | None:
        """Find where the ray first meets the collider; None when it does not.

        One rule for all colliders: the ray is the points at distances >= 0. When it starts in the
        collider or on its surface, the distance is 0 and there is no normal.

        Raises:
            TypeError: when `ray` is not a Ray.
        """
        if not isinstance(ray, Ray):
            raise TypeError(
                f"raycast needs a Ray, got {ray!r}; make one with Ray(origin, direction)"
            )
        shapes = self._live_shapes()
        origin, direction = self._point(ray.origin), self._point(ray.direction)
        first: Crossing | None = None
        for shape in shapes:
            crossing = shape._cross_here(origin, direction)
            if crossing and (first is None or crossing.start < first.start):
                first = crossing
        if first is None:
            return None
        end = first.end
        if len(shapes) > 1:
            end = _connected_end(shapes, origin, direction, end)
        inside = first.normal is None
        normal = None if first.normal is None else Vector3(*first.normal)
        point = ray.origin if inside else ray.get_point(first.start)
        return Hit(self, first.start, point, normal, end, inside)

    def _refuse_other_dimensions(self, other: Collider) -> None:
        if other.dimensions != self.dimensions:
            raise TypeError(
                f"cannot test {type(self).__name__} ({self.dimensions}D) "
                f"against {type(other).__name__} ({other.dimensions}D)"
            )

    @abstractmethod
    def _placed_shapes(self, base: Pose) -> list[tuple[Shape, Pose, bool]]:
        """The shapes of which the collider is the union, and whether each is enabled.

        With the pose of each when what the collider is attached to is at `base`.
        """

    @abstractmethod
    def _live_shapes(self) -> Sequence[Shape]:
        """The shapes that take part now, each with its frame read from its pose."""

    @abstractmethod
    def _point(self, values: Any) -> Any:
        """Coordinates of a point or vector, as many as there are dimensions."""

    @abstractmethod
    def _refuse_array(self, points: NDArray[np.float64]) -> None:
        """Raise ValueError when `points` is no array of points for this many dimensions."""


def _connected_end(shapes: Sequence[Shape], origin: Any, direction: Any, end: float) -> float:
    """Follow a ray that leaves one shape at `end` through the shapes that it is in there."""
    grown = True
    while grown and end < math.inf:
        grown = False
        for shape in shapes:
            place = tuple(o + end * d for o, d in zip(origin, direction))
            crossing = shape._cross_here(place, direction)
            # Leaving the same shape once more, by touching or by rounding, is no progress.
            least = shape._gap + 1e-12 * (math.hypot(*place) + end)
            if crossing and crossing.normal is None and crossing.end > least:
                end += crossing.end
                grown = True
    return end

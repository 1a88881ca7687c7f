# SPDX-License-Identifier: Apache-2.0
"""The base class of all colliders, with their queries."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Point, Pose, Ray, Vector3

from ._borders import numbers
from ._follower import Follower
from ._raycast import all_hits, first_hit
from .layers import Layered
from .results import Bounds, Contact, Hit

if TYPE_CHECKING:
    from ._shape import Shape
    from .proximity import Separation

Target = Union["Collider", Point, Vector3, Sequence[float], NDArray[Any]]


class Collider(Follower, Layered, ABC):
    """A shape that can be tested against other shapes, points and rays.

    The shape is fixed in the collider's own frame. `pose` is the current pose of that frame: the
    pose of its source, composed with `pose_offset`. Each query reads it.

    Colliders are closed sets: their surface belongs to them. Touching counts as intersecting, and
    a collider contains itself and others that touch it from the inside. Surfaces closer than 1e-9
    of the sizes involved count as touching.

    A collider that is disabled, or whose pose is not finite, meets nothing. Colliders whose
    `layers` and `mask` exclude each other do not meet; points and rays ignore layers.

    The `target` of a query is a collider of the same dimensions, or a point: three numbers in the
    world frame (a 2D collider ignores z and also accepts two). Anything else raises TypeError.

    >>> from deepsim_colliders import BoxCollider, SphereCollider
    >>> box = BoxCollider(1.0, 1.0, 1.0)
    >>> ball = SphereCollider(0.5, pose_offset=Pose((0, 0, 2.0)))
    >>> box.intersects(ball), box.distance(ball)
    (False, 1.0)

    Args:
        pose_offset: pose in the frame of the source, or in the world frame without a source.
    """

    dimensions: int
    """Number of dimensions, 2 or 3; colliders only meet others with the same number."""

    def __init__(self, pose_offset: Pose) -> None:
        Follower.__init__(self, pose_offset)
        Layered.__init__(self)

    def intersects(self, target: Target) -> bool:
        """Returns whether the collider shares a point with `target`."""
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
        """Returns whether all of `target` lies within the collider."""
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
        """Returns whether each of an array of points is in the collider.

        Args:
            points: shape (..., 3), in the world frame; a 2D collider also accepts (..., 2).

        Returns:
            Array of shape (...).

        Raises:
            TypeError: when `points` are masked or not real numbers.
            ValueError: when `points` has another shape.
        """
        array = self._points_array(points)
        flat = array[..., : self.dimensions].reshape(-1, self.dimensions)
        inside = np.zeros(len(flat), dtype=np.bool_)
        for shape in self._live_shapes():
            inside |= shape._hold_here(flat)
        return inside.reshape(array.shape[:-1])

    def raycast(self, ray: Ray) -> Hit | None:
        """Returns the first hit of a ray, or None if it misses.

        For all colliders alike, a ray consists of the points at distances >= 0. If it starts inside
        the collider or on its surface, the distance is 0 and the normal is None.

        Raises:
            TypeError: when `ray` is not a Ray.
        """
        return first_hit(self, ray)

    def raycast_all(self, ray: Ray) -> list[Hit]:
        """Returns all connected pieces of a ray inside the collider, nearest first.

        >>> from deepsim_colliders import BoxCollider, CompoundCollider
        >>> gate = CompoundCollider(
        ...     [BoxCollider(1, 1, 4, pose_offset=Pose((0, y, 2))) for y in (-3, 3)]
        ... )
        >>> hits = gate.raycast_all(Ray((0, -9, 1), (0, 1, 0)))
        >>> [(hit.distance, hit.exit_distance) for hit in hits]
        [(5.5, 6.5), (11.5, 12.5)]

        Raises:
            TypeError: when `ray` is not a Ray.
        """
        return all_hits(self, ray)

    def distance(self, target: Target) -> float:
        """Returns the distance to `target` [m]; 0 if they meet.

        It is infinity if either is disabled or not finite, or if their layers exclude each other.
        """
        found = self._least_separation(target)
        return math.inf if found is None else max(found.distance, 0.0)

    def closest_points(self, target: Target) -> tuple[Point, Point] | None:
        """Returns the closest points of the collider and `target`.

        If they meet, both are the same common point. The result is None if `distance` is
        infinite.
        """
        found = self._least_separation(target)
        if found is None:
            return None
        first, second = found.first, found.second
        if found.distance <= 0.0:
            first = second = tuple(0.5 * (a + b) for a, b in zip(first, second))
        return _world_point(first), _world_point(second)

    def contacts(self, target: Collider) -> list[Contact]:
        """Returns the contacts of two 3D colliders that touch or overlap, deepest first.

        Two faces in contact have a contact at each corner of their common area; other pairs of
        convex shapes have a single one. A mesh has the contacts of its triangles.

        >>> from deepsim_colliders import PlaneCollider, SphereCollider
        >>> ball = SphereCollider(1.0, pose_offset=Pose((2, 0, 0.75)))
        >>> ball.contacts(PlaneCollider())
        [Contact(point=Point(2.0, 0.0, -0.125), normal=Vector3(0.0, 0.0, -1.0), depth=0.25)]

        Raises:
            TypeError: for 2D colliders, or another object.
        """
        if not isinstance(target, Collider):
            raise TypeError(f"contacts needs a collider, got {target!r}")
        self._refuse_other_dimensions(target)
        if self.dimensions != 3:
            raise TypeError("contacts needs 3D colliders, got 2D ones")
        found = [
            Contact(Point(*point), Vector3(*(n + 0.0 for n in normal)), depth)  # no -0.0
            for shape, other in self._live_pairs(target)
            for normal, points in shape._meetings(other)
            for point, depth in points
        ]
        return sorted(found, key=lambda contact: -contact.depth)

    @property
    def bounds(self) -> Bounds | None:
        """The smallest box around the collider along the world axes; None if it is disabled."""
        shapes = self._live_shapes()
        if not shapes:
            return None
        lower, upper = [-math.inf] * 3, [math.inf] * 3
        for axis in range(self.dimensions):
            spans = [shape._span(axis) for shape in shapes]
            lower[axis] = min(span[0] for span in spans) + 0.0  # no -0.0
            upper[axis] = max(span[1] for span in spans) + 0.0
        return Bounds(Point(*lower), Point(*upper))

    def corners(self) -> NDArray[np.float64]:
        """Returns the corners in the world frame, (n, dimensions) [m]; round shapes have none."""
        found = [corner for shape in self._live_shapes() for corner in shape._corners()]
        return np.array(found, dtype=np.float64).reshape(-1, self.dimensions)

    def _least_separation(self, target: Target) -> Separation | None:
        """Returns the separation of the nearest shapes, or None.

        It is None if either side is disabled or not finite, or if layers exclude each other.
        """
        if not isinstance(target, Collider):
            point, nearest = self._point(target), None
            pairs = [(shape, shape._spot(point)) for shape in self._live_shapes()]
            pairs = [pair for pair in pairs if math.isfinite(sum(point))]
        else:
            self._refuse_other_dimensions(target)
            pairs, nearest = self._live_pairs(target), None
        for shape, other in pairs:
            found = shape._separation(other)
            if nearest is None or found.distance < nearest.distance:
                nearest = found
        return nearest

    def _live_pairs(self, target: Collider) -> list[tuple[Shape, Shape]]:
        """Returns all pairs of live shapes; none if the layers exclude each other."""
        if not self._may_meet(target):
            return []
        others = target._live_shapes()
        return [(shape, other) for shape in self._live_shapes() for other in others]

    def _points_array(self, points: ArrayLike, name: str = "points") -> NDArray[np.float64]:
        """Returns points as an array (..., dimensions), or (..., 3) where z is ignored."""
        array = numbers(points, name)
        self._refuse_array(array)
        return array

    def _refuse_other_dimensions(self, other: Collider) -> None:
        if other.dimensions != self.dimensions:
            raise TypeError(
                f"cannot test {type(self).__name__} ({self.dimensions}D) "
                f"against {type(other).__name__} ({other.dimensions}D)"
            )

    @abstractmethod
    def _placed_shapes(self, base: Pose) -> list[tuple[Shape, Pose, bool]]:
        """Returns the shape, pose and enabled flag of each part, for a source at `base`."""

    @abstractmethod
    def _live_shapes(self) -> Sequence[Shape]:
        """Returns the enabled shapes at their current poses."""

    @abstractmethod
    def _point(self, values: Any) -> Any:
        """Returns the coordinates of a point or vector, one per dimension."""

    @abstractmethod
    def _refuse_array(self, points: NDArray[np.float64]) -> None:
        """Raises ValueError unless `points` is an array of points of these dimensions."""


def _world_point(values: Sequence[float]) -> Point:
    """Returns a 3D point; points of 2D colliders get z = 0."""
    return Point(values[0], values[1], values[2] if len(values) > 2 else 0.0)

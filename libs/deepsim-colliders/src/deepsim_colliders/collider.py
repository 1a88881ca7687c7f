# SPDX-License-Identifier: Apache-2.0
"""The queries that all colliders answer."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Point, Pose, Ray, Vector3

from ._borders import numbers
from ._follower import Follower
from ._hits import all_hits, first_hit
from .contact import Bounds, Contact
from .hit import Hit
from .layers import Layered

if TYPE_CHECKING:
    from ._shape import Shape
    from .separation import Separation

Target = Union["Collider", Point, Vector3, Sequence[float], NDArray[Any]]


class Collider(Follower, Layered, ABC):
    """Shape that answers which other shapes, points and rays it meets.

    The shape is fixed in the collider's own frame; `pose` says where that frame is now: the
    pose of its source, composed with `pose_offset`. Each query reads the current pose.

    Colliders are closed sets: their surface belongs to them. Touching counts as intersecting, and
    a collider contains others that touch it from the inside, itself included. Surfaces closer than
    1e-9 of the sizes involved count as touching.

    A disabled collider meets nothing, whichever side asks; nor does one whose pose is not finite.
    Colliders whose `layers` and `mask` exclude each other do not meet; points and rays know no
    layers.

    >>> from deepsim_colliders import BoxCollider, SphereCollider
    >>> box = BoxCollider(1.0, 1.0, 1.0)
    >>> ball = SphereCollider(0.5, pose_offset=Pose((0, 0, 2.0)))
    >>> box.intersects(ball), box.distance(ball)
    (False, 1.0)

    Args:
        pose_offset: pose in the frame of the source, or in the world frame without a source.
    """

    dimensions: int
    """2 or 3. Colliders meet colliders of the same dimensions only."""

    def __init__(self, pose_offset: Pose) -> None:
        Follower.__init__(self, pose_offset)
        Layered.__init__(self)

    def intersects(self, target: Target) -> bool:
        """Returns whether both share a point; for a point, whether it is in the collider.

        Args:
            target: collider of the same dimensions, or a point: three numbers in the world frame
                (a 2D collider ignores z and takes two as well).

        Raises:
            TypeError: for a collider of other dimensions, or another object.
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
        """Returns whether no point of `target` is outside the collider.

        Args:
            target: as for `intersects`.

        Raises:
            TypeError: for a collider of other dimensions, or another object.
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
        """Returns whether each of many points is in the collider, as `contains` of each.

        Args:
            points: shape (..., 3), in the world frame; a 2D collider takes (..., 2) as well.

        Returns:
            Array of shape (...).

        Raises:
            TypeError: when `points` are not real numbers, or masked.
            ValueError: when `points` has another shape.
        """
        array = self._points_array(points)
        flat = array[..., : self.dimensions].reshape(-1, self.dimensions)
        inside = np.zeros(len(flat), dtype=np.bool_)
        for shape in self._live_shapes():
            inside |= shape._hold_here(flat)
        return inside.reshape(array.shape[:-1])

    def raycast(self, ray: Ray) -> Hit | None:
        """Finds the first meeting of the ray and the collider; None when it misses.

        One rule for all colliders: the ray is the points at distances >= 0. When it starts in the
        collider or on its surface, the distance is 0 and the normal is None.

        Raises:
            TypeError: when `ray` is not a Ray.
        """
        return first_hit(self, ray)

    def raycast_all(self, ray: Ray) -> list[Hit]:
        """Finds all connected pieces of the ray in the collider, the nearest first.

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
        """Returns the distance between both [m]; 0 when they meet, infinite when one takes no part.

        Args:
            target: as for `intersects`.

        Raises:
            TypeError: for a collider of other dimensions, or another object.
        """
        found = self._least_separation(target)
        return math.inf if found is None else max(found.distance, 0.0)

    def closest_points(self, target: Target) -> tuple[Point, Point] | None:
        """Returns the points of both that are nearest to each other; None when one takes no part.

        When they meet, both are the same point of the two.

        Args:
            target: as for `intersects`.

        Raises:
            TypeError: for a collider of other dimensions, or another object.
        """
        found = self._least_separation(target)
        if found is None:
            return None
        first, second = found.first, found.second
        if found.distance <= 0.0:
            first = second = tuple(0.5 * (a + b) for a, b in zip(first, second))
        return _world_point(first), _world_point(second)

    def contacts(self, target: Collider) -> list[Contact]:
        """Returns the contacts of two colliders in space that touch or overlap, the deepest first.

        Faces that lie on each other have a contact at each corner of the area that both cover;
        other pairs of convex shapes have one. A mesh has those of its triangles.

        >>> from deepsim_colliders import PlaneCollider, SphereCollider
        >>> ball = SphereCollider(1.0, pose_offset=Pose((2, 0, 0.75)))
        >>> ball.contacts(PlaneCollider())
        [Contact(point=Point(2.0, 0.0, -0.125), normal=Vector3(0.0, 0.0, -1.0), depth=0.25)]

        Raises:
            TypeError: for 2D colliders, or another object.
        """
        if not isinstance(target, Collider):
            raise TypeError(f"contacts are those of two colliders, got {target!r}")
        self._refuse_other_dimensions(target)
        if self.dimensions != 3:
            raise TypeError("contacts are those of 3D colliders, and these are 2D")
        found = [
            Contact(Point(*point), Vector3(*(n + 0.0 for n in normal)), depth)  # no -0.0
            for shape, other in self._live_pairs(target)
            for normal, points in shape._meetings(other)
            for point, depth in points
        ]
        return sorted(found, key=lambda contact: -contact.depth)

    @property
    def bounds(self) -> Bounds | None:
        """The smallest box along the axes of the world around it; None when it takes no part."""
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
        """Returns the separation of the nearest shapes of both; None when one takes no part."""
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
        """Yields each pair of shapes that take part; none if their layers exclude each other."""
        if not self._may_meet(target):
            return []
        others = target._live_shapes()
        return [(shape, other) for shape in self._live_shapes() for other in others]

    def _points_array(self, points: ArrayLike, name: str = "points") -> NDArray[np.float64]:
        """Reads points, (..., dimensions), and (..., 3) where z is ignored."""
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
        """Returns the shapes of which the collider is the union, and whether each is enabled.

        Each comes with its pose when the source is at `base`.
        """

    @abstractmethod
    def _live_shapes(self) -> Sequence[Shape]:
        """Returns the shapes that take part now, each with its frame read from its pose."""

    @abstractmethod
    def _point(self, values: Any) -> Any:
        """Returns the coordinates of a point or vector, as many as there are dimensions."""

    @abstractmethod
    def _refuse_array(self, points: NDArray[np.float64]) -> None:
        """Raises ValueError when `points` is not an array of points of these dimensions."""


def _world_point(values: Sequence[float]) -> Point:
    """Returns a point in space; those of 2D colliders have z = 0."""
    return Point(values[0], values[1], values[2] if len(values) > 2 else 0.0)

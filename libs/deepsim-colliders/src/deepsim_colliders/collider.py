# SPDX-License-Identifier: Apache-2.0
"""The base class of all colliders: attachment, layers and queries."""

from __future__ import annotations

import inspect
import math
import operator
from abc import ABCMeta, abstractmethod
from typing import TYPE_CHECKING, Any, Callable, Protocol, Sequence, SupportsIndex, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Point, Pose, Ray, Vector3

from ._borders import numbers
from .results import Bounds, Hit, first_hit

if TYPE_CHECKING:
    from ._shape import Shape
    from .proximity import Separation

ALL_LAYERS = 0xFFFFFFFF
"""Mask of all 32 layers."""

ORIGIN = Pose()


class PoseSource(Protocol):
    """An object with a pose in the world frame, such as a transform or a body.

    >>> from deepsim_colliders import SphereCollider
    >>> from deepsim_math import Pose
    >>> class Robot:
    ...     pose = Pose((1, 2, 0))
    >>> bumper = SphereCollider(0.3)
    >>> bumper.attach(Robot())
    >>> bumper.pose.position
    Point(1.0, 2.0, 0.0)
    """

    @property
    def pose(self) -> Pose:
        """Pose in the world frame; each query reads it."""


class Collider(metaclass=ABCMeta):
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

    def __init__(self, pose_offset: Pose = ORIGIN) -> None:
        self._source: tuple[Any, bool] | None = None  # and whether it is a function
        self._offset = Pose.from_array(pose_offset)
        # Source, offset and the pose that they make: one attribute, so that threads never mix them.
        self._known: tuple[Any, Pose, Pose] | None = None
        self._enabled = True
        self._layers = 1
        self._mask = ALL_LAYERS

    # Attachment.

    def attach(self, source: PoseSource | Callable[[], Pose]) -> None:
        """Attaches this to `source`: an object with a `pose`, or a function that returns one.

        An earlier source is detached first.

        Raises:
            TypeError: `source` has no pose and is not callable.
            ValueError: `source` is this collider, or is attached to it.
        """
        # Looked up without evaluating it: the pose itself may become available later.
        has_pose = isinstance(source, Collider) or (
            inspect.getattr_static(source, "pose", None) is not None
        )
        if not has_pose and not callable(source):
            raise TypeError(
                f"cannot attach to {source!r}: "
                "give an object with a `pose`, or a function that returns a Pose"
            )
        above: Any = source
        while isinstance(above, Collider):
            if above is self:
                raise ValueError(f"cannot attach {self!r} to {source!r}, which follows it")
            above = above._source and above._source[0]
        self.detach()
        self._source = source, not has_pose
        self.on_attach(source)

    def detach(self) -> None:
        """Detaches this from its source; `pose_offset` is then relative to the world frame."""
        followed, self._source = self._source, None
        if followed is not None:
            self.on_detach(followed[0])

    def on_attach(self, source: Any) -> None:  # noqa: B027 (a hook)
        """Hook for subclasses: called after attaching to `source`."""

    def on_detach(self, source: Any) -> None:  # noqa: B027 (a hook)
        """Hook for subclasses: called after detaching from `source`."""

    @property
    def pose_offset(self) -> Pose:
        """Pose in the frame of the source; settable."""
        return self._offset

    @pose_offset.setter
    def pose_offset(self, pose: Pose) -> None:
        self._offset = Pose.from_array(pose)

    @property
    def pose(self) -> Pose:
        """Current pose in the world frame."""
        base, offset, known = self._base_now(), self._offset, self._known
        # Values are immutable: the same objects make the same pose.
        if known is not None and known[0] is base and known[1] is offset:
            return known[2]
        pose = Pose.from_array(base)
        pose = pose if offset is ORIGIN else pose @ offset
        if isinstance(base, Pose):
            self._known = base, offset, pose
        return pose

    def _base_now(self) -> Any:
        """Returns the pose of the source, in the form that the source provides."""
        followed = self._source
        if followed is None:
            return ORIGIN
        source, is_function = followed
        return source() if is_function else source.pose

    # What it meets.

    @property
    def enabled(self) -> bool:
        """Whether the collider takes part in queries; True by default."""
        return self._enabled

    def enable(self) -> None:
        """Enables the collider."""
        self._enabled = True

    def disable(self) -> None:
        """Disables the collider: it meets nothing until it is enabled."""
        self._enabled = False

    @property
    def layers(self) -> int:
        """Layers of the collider, one bit each; by default 1, the first layer.

        Settable to an integer from 0 to 0xFFFFFFFF. With 0, it meets no other collider.
        """
        return self._layers

    @layers.setter
    def layers(self, bits: SupportsIndex) -> None:
        self._layers = layer_bits(bits, "layers")

    @property
    def mask(self) -> int:
        """Layers that the collider meets, one bit each; all by default; settable.

        Two colliders meet only if each lies on a layer of the other's mask.
        """
        return self._mask

    @mask.setter
    def mask(self, bits: SupportsIndex) -> None:
        self._mask = layer_bits(bits, "mask")

    # Queries.

    def intersects(self, target: Target) -> bool:
        """Returns whether the collider shares a point with `target`."""
        if not isinstance(target, Collider):
            return self.contains(target)
        return any(shape._meets(other) for shape, other in self._live_pairs(target))

    def contains(self, target: Target) -> bool:
        """Returns whether all of `target` lies within the collider."""
        if not isinstance(target, Collider):
            point = self._point(target)
            return any(one._holds(one._frame.to_local(point)) for one in self._live_shapes())
        self._refuse_other_dimensions(target)
        others = target._live_shapes()
        if not (others and self._may_meet(target)):
            return False
        shapes = self._live_shapes()
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

    @property
    def bounds(self) -> Bounds | None:
        """The smallest box around the collider along the world axes; None if it is disabled."""
        shapes = self._live_shapes()
        if not shapes:
            return None
        lower, upper = [-math.inf] * 3, [math.inf] * 3
        for axis in range(self.dimensions):
            forward = tuple(float(k == axis) for k in range(self.dimensions))
            back = tuple(-part for part in forward)
            lower[axis] = min(-shape._support(back) for shape in shapes) + 0.0  # no -0.0
            upper[axis] = max(shape._support(forward) for shape in shapes) + 0.0
        return Bounds(Point(*lower), Point(*upper))

    def corners(self) -> NDArray[np.float64]:
        """Returns the corners in the world frame, (n, dimensions) [m]; round shapes have none."""
        found = [corner for shape in self._live_shapes() for corner in shape._corners()]
        return np.array(found, dtype=np.float64).reshape(-1, self.dimensions)

    def _least_separation(self, target: Target) -> Separation | None:
        """Returns the separation of the nearest shapes, or None.

        It is None if either side is disabled or not finite, or if layers exclude each other.
        """
        if isinstance(target, Collider):
            pairs: Sequence[tuple[Shape, Any]] = self._live_pairs(target)
        else:
            point = self._point(target)
            finite = math.isfinite(sum(point))
            pairs = [(one, one._spot(point)) for one in self._live_shapes() if finite]
        found = (shape._separation(other) for shape, other in pairs)
        return min(found, key=operator.attrgetter("distance"), default=None)

    def _live_pairs(self, target: Collider) -> list[tuple[Shape, Shape]]:
        """Returns all pairs of live shapes; none if the layers exclude each other."""
        self._refuse_other_dimensions(target)
        if not self._may_meet(target):
            return []
        others = target._live_shapes()
        return [(shape, other) for shape in self._live_shapes() for other in others]

    def _may_meet(self, other: Collider) -> bool:
        return bool(self._layers & other._mask and other._layers & self._mask)

    def _points_array(self, points: ArrayLike, name: str = "points") -> NDArray[np.float64]:
        """Returns points as an array (..., dimensions), or (..., 3) where z is ignored."""
        array = numbers(points, name)
        if array.shape[-1:] == (3,) or (self.dimensions == 2 and array.shape[-1:] == (2,)):
            return array
        flat = "(..., 2) or " if self.dimensions == 2 else ""
        raise ValueError(f"{name} must have shape {flat}(..., 3), got {array.shape}")

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


Target = Union[Collider, Point, Vector3, Sequence[float], NDArray[Any]]


def layer_bits(value: SupportsIndex, name: str) -> int:
    """Returns a set of layers as bits; raises TypeError or ValueError for anything else."""
    try:
        bits = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name} must be an integer with one bit per layer, such as 1 << 3, got {value!r}"
        ) from None
    if not 0 <= bits <= ALL_LAYERS:
        raise ValueError(f"{name} must be within 0 and {ALL_LAYERS:#x} (32 layers), got {value!r}")
    return bits


def _world_point(values: Sequence[float]) -> Point:
    """Returns a 3D point; points of 2D colliders get z = 0."""
    return Point(values[0], values[1], values[2] if len(values) > 2 else 0.0)

# SPDX-License-Identifier: Apache-2.0
"""What all colliders share: where they are, whether they are on, and the three questions."""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from typing import Any, Callable, ClassVar, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Point, Pose, Ray, Vector3

from ._crossings import Crossing
from .hit import Hit
from .pose_source import PoseSource

Target = Union["Collider", Point, Vector3, Sequence[float], NDArray[Any]]

# Touching counts as meeting. Rounding moves a turned surface by some 1e-16 of its size, so what
# comes within this part of the sizes counts as touching.
TOUCH = 1e-9

ORIGIN = Pose()


class Collider(ABC):
    """Shape that can be asked what it meets.

    The shape is fixed in the collider's own frame; `pose` says where that frame is now: the pose of
    what it is attached to, composed with `pose_offset`. Each query reads the pose anew.

    Colliders are closed sets: their surface belongs to them. Touching counts as intersecting, and
    what touches from the inside is contained, a collider in itself for one. Surfaces closer than
    1e-9 of the sizes involved count as touching.

    A disabled collider meets nothing, whichever side asks; nor does one whose pose is not finite.

    Args:
        pose_offset: pose in the frame of what it is attached to, or in the world frame while it is
            attached to nothing.
    """

    dimensions: ClassVar[int]
    """2 or 3. Colliders meet colliders of the same dimensions only."""

    def __init__(self, pose_offset: Pose) -> None:
        self._source: Any = None
        self._source_is_function = False
        self._offset = Pose.from_array(pose_offset)
        self._base: Pose | None = None
        self._pose = self._offset
        self._framed: Pose | None = None
        self._frame: Any = None
        self._enabled = True

    @property
    def enabled(self) -> bool:
        """Whether the collider takes part; True at first."""
        return self._enabled

    def enable(self) -> None:
        """Take part again."""
        self._enabled = True

    def disable(self) -> None:
        """Meet nothing until enabled again."""
        self._enabled = False

    def attach(self, source: PoseSource | Callable[[], Pose]) -> None:
        """Follow `source`: an object with a `pose`, or a function that returns one.

        Raises:
            TypeError: when `source` has neither.
        """
        # Looked up without asking for it: the thing itself may come into being later.
        has_pose = inspect.getattr_static(source, "pose", None) is not None
        if not has_pose and not callable(source):
            raise TypeError(
                f"cannot attach to {source!r}: "
                "give an object with a `pose`, or a function that returns a Pose"
            )
        self._source = source
        self._source_is_function = not has_pose

    def detach(self) -> None:
        """Follow nothing: `pose_offset` is in the world frame now."""
        self._source = None

    @property
    def pose_offset(self) -> Pose:
        """Pose in the frame of what it is attached to; may be set."""
        return self._offset

    @pose_offset.setter
    def pose_offset(self, pose: Pose) -> None:
        self._offset = Pose.from_array(pose)
        self._base = None

    @property
    def pose(self) -> Pose:
        """Pose in the world frame, now."""
        source = self._source
        if source is None:
            base = ORIGIN
        elif self._source_is_function:
            base = source()
        else:
            base = source.pose
        if (
            self._base is None or base is not self._base
        ):  # values are immutable: the same object is the same pose
            pose = Pose.from_array(base)
            self._pose = pose if self._offset is ORIGIN else pose @ self._offset
            self._base = base if isinstance(base, Pose) else None
        return self._pose

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
        if not (self._ready() and target._ready()):
            return False
        answer = self._intersects(target)
        if answer is NotImplemented:
            answer = target._intersects(self)
        if answer is NotImplemented:
            raise TypeError(
                f"no intersection test between {type(self).__name__} and {type(target).__name__}"
            )
        return bool(answer)

    def contains(self, target: Target) -> bool:
        """Whether no point of `target` is outside the collider.

        Args:
            target: as for `intersects`.

        Raises:
            TypeError: for a collider of other dimensions or what is neither.
        """
        if isinstance(target, Collider):
            self._refuse_other_dimensions(target)
            return self._ready() and target._ready() and self._contains(target)
        point = self._point(target)
        return self._ready() and self._holds(self._frame.to_local(point))

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
        self._refuse_shape(array)
        if not self._ready():
            return np.zeros(array.shape[:-1], dtype=np.bool_)
        frame = self._frame
        with np.errstate(invalid="ignore"):  # a point that is not finite is outside
            offset = array[..., : self.dimensions] - np.array(frame.origin)
            return self._hold(offset @ np.array(frame.axes).T)

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
        if not self._ready():
            return None
        frame = self._frame
        origin = frame.to_local(self._point(ray.origin))
        direction = frame.turn_to_local(self._point(ray.direction))
        crossing = self._cross(origin, direction)
        if self._holds(origin):
            leaves = max(crossing.end, 0.0) if crossing else 0.0
            return Hit(self, 0.0, ray.origin, None, leaves, True)
        if crossing is None or not crossing.start >= 0.0:
            return None
        normal = Vector3(*frame.turn_to_world(crossing.normal))
        point = ray.get_point(crossing.start)
        return Hit(self, crossing.start, point, normal, crossing.end, False)

    def _refuse_other_dimensions(self, other: Collider) -> None:
        if other.dimensions != self.dimensions:
            raise TypeError(
                f"cannot test {type(self).__name__} ({self.dimensions}D) "
                f"against {type(other).__name__} ({other.dimensions}D)"
            )

    def _touch(self, other: Collider) -> float:
        """Gap [m] below which this and `other` count as touching."""
        return TOUCH * (self._size + other._size)

    def _ready(self) -> bool:
        """Read the pose, once for a query, into `_frame`; False when there is nothing to meet."""
        if not self._enabled:
            return False
        pose = self.pose
        if pose is not self._framed:
            self._framed = pose
            self._frame = self._make_frame(pose) if math.isfinite(sum(pose)) else None
        return self._frame is not None

    # What the dimensions decide.

    @abstractmethod
    def _make_frame(self, pose: Pose) -> Any:
        """Frame2D or Frame3D of a pose."""

    @abstractmethod
    def _point(self, values: Any) -> Any:
        """Coordinates of a point or vector, as many as there are dimensions."""

    @abstractmethod
    def _refuse_shape(self, points: NDArray[np.float64]) -> None:
        """Raise ValueError when `points` is no array of points for this many dimensions."""

    # What a shape answers in its own frame.

    @property
    @abstractmethod
    def _size(self) -> float:
        """Distance of the farthest point of the shape from the origin of its frame."""

    @abstractmethod
    def _holds(self, point: Any) -> bool:
        """Whether a point is in the shape or touches it."""

    @abstractmethod
    def _hold(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """`_holds` for an array of points."""

    @abstractmethod
    def _cross(self, origin: Any, direction: Any) -> Crossing | None:
        """Find the first connected piece of a ray or its line in the shape."""

    # What a shape answers in the world frame, once both sides are `_ready`.

    @abstractmethod
    def _near(self, point: Any, reach: float) -> bool:
        """Whether some point of the shape is within `reach` of `point`."""

    @abstractmethod
    def _farthest(self, point: Any) -> float:
        """Distance from `point` of the point of the shape that is farthest from it."""

    @abstractmethod
    def _support(self, direction: Any) -> float:
        """How far the shape reaches along the unit vector `direction`: max of p . direction."""

    @abstractmethod
    def _intersects(self, other: Any) -> Any:
        """Whether both meet; NotImplemented leaves the question to `other`."""

    @abstractmethod
    def _contains(self, other: Any) -> bool:
        """Whether `other`, of the same dimensions, is in the shape."""

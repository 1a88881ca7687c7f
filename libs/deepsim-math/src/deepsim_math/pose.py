# SPDX-License-Identifier: Apache-2.0
"""Position and orientation of one frame in another."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ._coordinates import make, xyz
from ._formulas import turn
from ._numbers import numbers
from ._value import Row, drafts_of, slot_setters
from .point import Point
from .rotation import Quaternion, as_quaternion
from .vector3 import Vector3

if TYPE_CHECKING:
    from ._typing import RotationLike, VectorLike

_ORIGIN = Point()
_IDENTITY = Quaternion()


class Pose(Row):
    """Where a frame sits in its parent frame: position [m] and orientation.

    `a @ b` is `b`, given in the frame of `a`, in the parent frame of `a`. As a sequence or an array
    it is px, py, pz, qx, qy, qz, qw.

    >>> Pose((1, 0, 0), Euler(0, 0, 0)) @ Pose((0, 2, 0))
    Pose(Point(1.0, 2.0, 0.0), Quaternion(0.0, 0.0, 0.0, 1.0))

    Args:
        position: a Point, or three numbers.
        orientation: a Quaternion, an Euler, or four numbers x, y, z, w; kept as given, not
            normalized.
    """

    _names = ("position", "orientation")
    __slots__ = _names

    position: Point
    orientation: Quaternion

    _fields = attrgetter("position", "orientation")

    def __init__(
        self, position: VectorLike = _ORIGIN, orientation: RotationLike = _IDENTITY
    ) -> None:
        if type(position) is not Point:
            position = Point.from_array(position)
        if type(orientation) is not Quaternion:
            orientation = as_quaternion(orientation)
        _set_position(self, position)
        _set_orientation(self, orientation)

    @classmethod
    def from_array(cls: type[Pose], values: Any) -> Pose:
        """Make one from px, py, pz, qx, qy, qz, qw; a Pose is returned as it is.

        Raises:
            TypeError: when `values` is not a sequence of numbers.
            ValueError: when there are not seven.
        """
        if type(values) is cls:
            return values
        row = numbers(values, 7, "Pose")
        return cls(Point(*row[:3]), Quaternion(*row[3:]))

    def _row(self) -> tuple[float, ...]:
        origin, rotation = self.position, self.orientation
        x, y, z, w = rotation.x, rotation.y, rotation.z, rotation.w
        return origin.x, origin.y, origin.z, x, y, z, w

    @property
    def forward(self) -> Vector3:
        """Unit x axis of this frame, in the parent frame."""
        return self.orientation.rotate(Vector3(1.0, 0.0, 0.0))

    @property
    def left(self) -> Vector3:
        """Unit y axis of this frame, in the parent frame."""
        return self.orientation.rotate(Vector3(0.0, 1.0, 0.0))

    @property
    def up(self) -> Vector3:
        """Unit z axis of this frame, in the parent frame."""
        return self.orientation.rotate(Vector3(0.0, 0.0, 1.0))

    def __matmul__(self, other: Any) -> Pose:
        if type(other) is not Pose and not isinstance(other, Pose):
            return NotImplemented
        rotation, point, origin = self.orientation, other.position, self.position
        x, y, z = turn(rotation, point.x, point.y, point.z)
        pose: Pose = _draft()
        pose.position = make(Point, origin.x + x, origin.y + y, origin.z + z)
        pose.orientation = rotation * other.orientation
        pose.__class__ = Pose
        return pose

    def inverse(self) -> Pose:
        """Pose of the parent frame in this frame: ``pose @ pose.inverse()`` is the identity.

        Raises:
            ValueError: when the orientation has zero length.
        """
        back, point = self.orientation.inverse(), self.position
        x, y, z = turn(back, point.x, point.y, point.z)
        return Pose(make(Point, -x, -y, -z), back)

    def relative(self, other: Pose) -> Pose:
        """Pose of `other` in the frame of this one, both given in the same parent frame."""
        return self.inverse() @ other

    def transform_point(self, point: VectorLike) -> Point:
        """Take a point from this frame to the parent frame.

        Raises:
            ValueError: when the orientation has zero length.
        """
        x, y, z = xyz(point)
        x, y, z = turn(self.orientation, x, y, z)
        origin = self.position
        return make(Point, origin.x + x, origin.y + y, origin.z + z)

    def transform_vector(self, vector: VectorLike) -> Vector3:
        """Take a direction or displacement from this frame to the parent frame: rotate only.

        Raises:
            ValueError: when the orientation has zero length.
        """
        return self.orientation.rotate(Vector3.from_array(vector))

    def inverse_transform_point(self, point: VectorLike) -> Point:
        """Take a point from the parent frame to this frame.

        Raises:
            ValueError: when the orientation has zero length.
        """
        x, y, z = xyz(point)
        origin = self.position
        back = self.orientation.conjugate()
        x, y, z = turn(back, x - origin.x, y - origin.y, z - origin.z)
        return make(Point, x, y, z)

    def inverse_transform_vector(self, vector: VectorLike) -> Vector3:
        """Take a direction or displacement from the parent frame to this frame: rotate only.

        Raises:
            ValueError: when the orientation has zero length.
        """
        return self.orientation.conjugate().rotate(Vector3.from_array(vector))

    def isclose(self, other: Pose, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Whether the position is close and the orientation is the same rotation."""
        return self.position.isclose(other.position, rel_tol, abs_tol) and self.orientation.isclose(
            other.orientation, rel_tol, abs_tol
        )


_set_position, _set_orientation = slot_setters(Pose)
_draft = drafts_of(Pose)

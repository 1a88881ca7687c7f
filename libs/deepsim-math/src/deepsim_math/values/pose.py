# SPDX-License-Identifier: Apache-2.0
"""Position and orientation of one frame in another."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Sequence, SupportsFloat, overload

import numpy as np

from deepsim_math import poses
from deepsim_math._value import Field, Row, drafts_of, number, numbers, slot_setters
from deepsim_math.formulas import motions as formulas

from .coordinates import Point, Vector3, make, xyz
from .rotation import Quaternion, as_quaternion, make_quaternion
from .twist import Twist

if TYPE_CHECKING:
    from deepsim_math._typing import FloatArray, NDArray, RotationLike, VectorLike

_ORIGIN = Point()
_IDENTITY = Quaternion()


class Pose(Row):
    """Position [m] and orientation of a frame in its parent frame.

    `a @ b` expresses `b`, given in the frame of `a`, in the parent frame of `a`. As a sequence or
    an array it is px, py, pz, qx, qy, qz, qw. Operations on an orientation of zero length raise
    ValueError.

    >>> Pose((1, 0, 0), Euler(0, 0, 0)) @ Pose((0, 2, 0))
    Pose(Point(1.0, 2.0, 0.0), Quaternion(0.0, 0.0, 0.0, 1.0))

    Args:
        position: a Point, or three numbers.
        orientation: a Quaternion, an Euler, or four numbers x, y, z, w; not normalized.
    """

    __match_args__ = ("position", "orientation")
    __slots__ = __match_args__

    position: Field[Point]
    orientation: Field[Quaternion]

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
        """Builds a Pose from px, py, pz, qx, qy, qz, qw; a Pose is returned unchanged."""
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

    @property
    def yaw(self) -> float:
        """Heading [rad] in (-pi, pi]: the yaw of the orientation."""
        return self.orientation.yaw

    @classmethod
    def from_matrix(cls, matrix: Any) -> Pose:
        """Converts a homogeneous (4, 4) matrix.

        Raises:
            ValueError: when `matrix` is not a rigid motion (within 1e-3).
        """
        array = np.asarray(matrix, dtype=np.float64)
        if array.shape != (4, 4):
            raise ValueError(f"the matrix of a pose must have shape (4, 4), got {array.shape}")
        if np.abs(array[3] - (0.0, 0.0, 0.0, 1.0)).max() > 1e-3:
            raise ValueError(f"the last row of a pose's matrix must be 0, 0, 0, 1, got {array[3]}")
        return cls(Point(*array[:3, 3].tolist()), Quaternion.from_matrix(array[:3, :3]))

    def to_matrix(self) -> FloatArray:
        """Returns the homogeneous (4, 4) matrix, which takes x, y, z, 1 to the parent frame."""
        return np.array(formulas.to_matrix(*self._row())).reshape(4, 4)

    @overload
    def __matmul__(self, other: Pose) -> Pose: ...
    @overload
    def __matmul__(self, other: Vector3) -> Vector3: ...
    @overload
    def __matmul__(self, other: Point | Sequence[float]) -> Point: ...
    @overload
    def __matmul__(self, other: NDArray[Any]) -> FloatArray: ...
    def __matmul__(self, other: Any) -> Any:
        """Transforms a Pose, a Point or a Vector3 from this frame to the parent frame.

        Arrays have one per row: poses (..., 7) or points (..., 3); three plain numbers are a point.

        Raises:
            ValueError: for an array of another shape.
        """
        if type(other) is Pose or isinstance(other, Pose):
            a, q, b, r = self.position, self.orientation, other.position, other.orientation
            return make_pose(
                formulas.compose(
                    a.x, a.y, a.z, q.x, q.y, q.z, q.w, b.x, b.y, b.z, r.x, r.y, r.z, r.w
                )
            )
        if isinstance(other, Vector3):
            return self.orientation.rotate(other)
        if isinstance(other, (Point, tuple, list)):
            return self.transform_point(other)
        if not isinstance(other, np.ndarray):
            return NotImplemented
        batch = poses.compose if other.shape[-1:] == (7,) else poses.transform_points
        return batch(self, other)

    def __rmatmul__(self, other: NDArray[Any]) -> FloatArray:
        """Returns this pose, given in the frames of poses (..., 7), in their parent frame."""
        return poses.compose(other, self) if isinstance(other, np.ndarray) else NotImplemented

    if not TYPE_CHECKING:  # for type checkers there is no such operator

        def __mul__(self, other: object) -> Any:
            if isinstance(other, Pose):
                raise TypeError("poses compose with @: write a @ b instead of a * b")
            return NotImplemented

    def inverse(self) -> Pose:
        """Returns the pose of the parent frame in this frame.

        ``pose @ pose.inverse()`` is the identity.
        """
        return make_pose(formulas.inverse(*self._row()))

    def relative(self, other: Pose) -> Pose:
        """Returns the pose of `other` in this frame, both given in the same parent frame."""
        return make_pose(formulas.relative(*self._row(), *other._row()))

    def interpolate(self, other: Pose, t: SupportsFloat) -> Pose:
        """Interpolates to `other` (t = 1): the position linearly, the orientation by slerp.

        For a screw motion about one axis, use ``a @ Pose.exp(t * a.relative(b).log())``.
        """
        return make_pose(formulas.interpolate(*self._row(), *other._row(), number(t, "t")))

    @classmethod
    def exp(cls, twist: Twist) -> Pose:
        """Returns the pose that a frame reaches when it moves by `twist` for 1 s.

        The twist is constant in the moving frame's own axes; for another time, scale it:
        ``pose @ Pose.exp(dt * twist)``. `log` is the inverse (Murray, Li and Sastry 1994).
        """
        return make_pose(formulas.exponential(*twist._row()))

    def log(self) -> Twist:
        """Returns the constant twist, in the moving frame's axes, that reaches this pose in 1 s.

        The motion starts at the identity; `Pose.exp` is the inverse (Murray, Li and Sastry 1994).
        """
        return Twist._of(formulas.logarithm(*self._row()))

    def transform_point(self, point: VectorLike) -> Point:
        """Transforms a point from this frame to the parent frame."""
        p, q = self.position, self.orientation
        x, y, z = xyz(point)
        return make(Point, *formulas.transform(p.x, p.y, p.z, q.x, q.y, q.z, q.w, x, y, z))

    def transform_vector(self, vector: VectorLike) -> Vector3:
        """Rotates a direction or displacement from this frame to the parent frame."""
        return self.orientation.rotate(Vector3.from_array(vector))

    def transform_twist(self, twist: Twist) -> Twist:
        """Transforms the twist of a rigid body from this frame to the parent frame (the adjoint).

        Each twist refers to the body's point at the origin of its own frame. `Twist.rotate` only
        changes the axes.
        """
        return Twist._of(formulas.transform_twist(*self._row(), *twist._row()))

    def inverse_transform_point(self, point: VectorLike) -> Point:
        """Transforms a point from the parent frame to this frame."""
        return make(Point, *formulas.inverse_transform(*self._row(), *xyz(point)))

    def inverse_transform_vector(self, vector: VectorLike) -> Vector3:
        """Rotates a direction or displacement from the parent frame to this frame."""
        return self.orientation.conjugate().rotate(Vector3.from_array(vector))

    def inverse_transform_twist(self, twist: Twist) -> Twist:
        """Transforms the twist of a rigid body from the parent frame to this frame."""
        return Twist._of(formulas.inverse_transform_twist(*self._row(), *twist._row()))

    def isclose(self, other: Pose, rel_tol: float = 1e-9, abs_tol: float = 1e-9) -> bool:
        """Returns whether the position is close and the orientation is the same rotation."""
        return self.position.isclose(other.position, rel_tol, abs_tol) and self.orientation.isclose(
            other.orientation, rel_tol, abs_tol
        )


_set_position, _set_orientation = slot_setters(Pose)
_draft = drafts_of(Pose)


def make_pose(row: tuple[float, ...]) -> Pose:
    """Builds a pose from seven Python floats, without the checks of the constructor."""
    pose: Any = _draft()
    pose.position = make(Point, row[0], row[1], row[2])
    pose.orientation = make_quaternion(row[3], row[4], row[5], row[6])
    pose.__class__ = Pose
    made: Pose = pose
    return made

# SPDX-License-Identifier: Apache-2.0
"""Arrays of poses px, py, pz, qx, qy, qz, qw, shape (..., 7): the methods of Pose in batch.

Leading axes broadcast; float32 is kept when all arguments are float32. `out` receives the result
and may be one of the arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _quaternion_formulas as rotations
from . import quaternions
from ._blocks import by_matrix, float_arrays, run, run_rows

if TYPE_CHECKING:
    from ._typing import ArrayLike, FloatArray


def compose(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Poses `b`, given in the frames of `a`, in the parent frame of `a`: a @ b.

    Raises:
        ValueError: when a quaternion of `a` has zero length.
    """
    return run(_compose, (a, b), (7, 7), 7, out)


def inverse(pose: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Poses of the parent frame in the frames of `pose`.

    Raises:
        ValueError: when a quaternion has zero length.
    """
    return run(_inverse, (pose,), (7,), 7, out)


def relative(a: ArrayLike, b: ArrayLike, out: FloatArray | None = None) -> FloatArray:
    """Poses `b` in the frames of `a`, both given in the same parent frame: inverse(a) @ b.

    Raises:
        ValueError: when a quaternion of `a` has zero length.
    """
    return run(_relative, (a, b), (7, 7), 7, out)


def transform_points(
    pose: ArrayLike, points: ArrayLike, out: FloatArray | None = None
) -> FloatArray:
    """Take points (..., 3) from the frames of `pose` to the parent frame.

    Raises:
        ValueError: when a quaternion has zero length.
    """
    pose, points = float_arrays(pose, points)
    if pose.shape == (7,) and points.ndim > 1:  # one frame for many points
        matrix = quaternions.to_matrix(pose[3:])
        return run_rows(by_matrix(matrix, pose[:3]), (points,), (3,), 3, out)
    return run(_transform, (pose, points), (7, 3), 3, out)


def inverse_transform_points(
    pose: ArrayLike, points: ArrayLike, out: FloatArray | None = None
) -> FloatArray:
    """Take points (..., 3) from the parent frame to the frames of `pose`.

    Raises:
        ValueError: when a quaternion has zero length.
    """
    return transform_points(inverse(pose), points, out)


def _compose(*c: Any) -> tuple[Any, ...]:
    px, py, pz, qx, qy, qz, qw, ox, oy, oz, rx, ry, rz, rw = c
    x, y, z = _transform(px, py, pz, qx, qy, qz, qw, ox, oy, oz)
    return (x, y, z, *rotations.multiply(qx, qy, qz, qw, rx, ry, rz, rw))


def _inverse(px: Any, py: Any, pz: Any, qx: Any, qy: Any, qz: Any, qw: Any) -> tuple[Any, ...]:
    bx, by, bz, bw = rotations.inverse(qx, qy, qz, qw)
    x, y, z = rotations.rotate(bx, by, bz, bw, px, py, pz)
    return -x, -y, -z, bx, by, bz, bw


def _relative(*c: Any) -> tuple[Any, ...]:
    return _compose(*_inverse(*c[:7]), *c[7:])


def _transform(
    px: Any, py: Any, pz: Any, qx: Any, qy: Any, qz: Any, qw: Any, x: Any, y: Any, z: Any
) -> tuple[Any, ...]:
    x, y, z = rotations.rotate(qx, qy, qz, qw, x, y, z)
    x += px
    y += py
    z += pz
    return x, y, z

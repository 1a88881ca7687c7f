# SPDX-License-Identifier: Apache-2.0
"""Arrays of poses px, py, pz, qx, qy, qz, qw, shape (..., 7): the methods of Pose in batch.

Leading axes broadcast; float32 is kept when all array arguments are float32. A quaternion of
zero length raises ValueError with the index of its row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import quaternions
from ._blocks import (
    by_matrix,
    float_arrays,
    functions_of,
    refuse,
    refuse_non_rotations,
    run,
    run_rows,
)
from .formulas import motions as formulas

if TYPE_CHECKING:
    from ._typing import F, Floats, NDArray


def __dir__() -> list[str]:
    return functions_of(globals())


def compose(a: Floats[F], b: Floats[F]) -> NDArray[F]:
    """Returns poses `b`, given in the frames of `a`, in the parent frame of `a`: a @ b."""
    return run(formulas.compose, (a, b), (7, 7), 7)


def inverse(pose: Floats[F]) -> NDArray[F]:
    """Returns poses of the parent frame in the frames of `pose`."""
    return run(formulas.inverse, (pose,), (7,), 7)


def relative(a: Floats[F], b: Floats[F]) -> NDArray[F]:
    """Returns poses `b` in the frames of `a`, both given in one parent frame: inverse(a) @ b."""
    return run(formulas.relative, (a, b), (7, 7), 7)


def transform_points(pose: Floats[F], points: Floats[F]) -> NDArray[F]:
    """Transforms points (..., 3) from the frames of `pose` to the parent frame."""
    pose, points = float_arrays(pose, points)
    if pose.shape == (7,) and points.ndim > 1:  # one frame for many points
        matrix = quaternions.to_matrix(pose[3:])
        return run_rows(by_matrix(matrix, pose[:3]), (points,), (3,), 3)
    return run(formulas.transform, (pose, points), (7, 3), 3)


def inverse_transform_points(pose: Floats[F], points: Floats[F]) -> NDArray[F]:
    """Transforms points (..., 3) from the parent frame to the frames of `pose`."""
    pose, points = float_arrays(pose, points)
    if pose.shape == (7,) and points.ndim > 1:
        return transform_points(inverse(pose), points)
    return run(formulas.inverse_transform, (pose, points), (7, 3), 3)


def transform_twists(pose: Floats[F], twists: Floats[F]) -> NDArray[F]:
    """Transforms twists (..., 6) from the frames of `pose` to the parent frame."""
    return run(formulas.transform_twist, (pose, twists), (7, 6), 6)


def inverse_transform_twists(pose: Floats[F], twists: Floats[F]) -> NDArray[F]:
    """Transforms twists (..., 6) from the parent frame to the frames of `pose`."""
    return run(formulas.inverse_transform_twist, (pose, twists), (7, 6), 6)


def to_matrix(pose: Floats[F]) -> NDArray[F]:
    """Returns homogeneous matrices (..., 4, 4), which transform points to the parent frame."""
    entries = run(formulas.to_matrix, (pose,), (7,), 16)
    return entries.reshape(*entries.shape[:-1], 4, 4)


def from_matrix(matrix: Floats[F]) -> NDArray[F]:
    """Converts homogeneous matrices (..., 4, 4) of rigid motions.

    Raises:
        ValueError: when a matrix is not a rigid motion (within 1e-3); the message has its index.
    """
    (m,) = float_arrays(matrix)
    refuse_non_rotations(m, 4)
    wrong = (np.abs(m[..., 3, :] - (0.0, 0.0, 0.0, 1.0)) > 1e-3).any(axis=-1)
    refuse(wrong, "the last row of a rigid motion must be 0, 0, 0, 1", m[..., 3, :])
    return run(formulas.from_matrix, (m.reshape(*m.shape[:-2], 16),), (16,), 7)


def interpolate(a: Floats[F], b: Floats[F], t: Floats[F]) -> NDArray[F]:
    """Interpolates from `a` (t = 0) to `b` (t = 1), `t` (...); see `Pose.interpolate`."""
    return run(formulas.interpolate, (a, b, t), (7, 7, 0), 7, exact=False)


def exp(twist: Floats[F]) -> NDArray[F]:
    """Returns the poses that twists (..., 6) reach in one second; see `Pose.exp`."""
    return run(formulas.exponential, (twist,), (6,), 7, exact=False)


def log(pose: Floats[F]) -> NDArray[F]:
    """Returns the twists (..., 6) that take frames to poses in one second; see `Pose.log`."""
    return run(formulas.logarithm, (pose,), (7,), 6, exact=False)


def mean(pose: Floats[F], weights: Floats[F] | None = None) -> NDArray[F]:
    """Returns the mean positions and the mean rotations of poses (..., n, 7), shape (..., 7).

    Raises:
        ValueError: as in `quaternions.mean`.
    """
    (rows,) = float_arrays(pose)
    turn = quaternions.mean(rows[..., 3:], weights)
    w = np.ones(rows.shape[-2]) if weights is None else float_arrays(weights)[0]
    place = np.einsum("...n,...ni->...i", w, rows[..., :3]) / w.sum(axis=-1)[..., None]
    return np.concatenate([place.astype(rows.dtype), turn], axis=-1)

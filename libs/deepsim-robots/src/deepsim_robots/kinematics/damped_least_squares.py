# SPDX-License-Identifier: Apache-2.0
"""One step of inverse kinematics: damped least squares over Jacobians."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import quaternions

Floats = NDArray[np.float64]


def pose_error(pose: ArrayLike, goal: ArrayLike) -> Floats:
    """Returns the difference of goals and poses, (w, 6): linear [m], then rotation vector [rad].

    Args:
        pose: (w, 7), world frame.
        goal: (w, 7), world frame.
    """
    here, there = np.asarray(pose, dtype=np.float64), np.asarray(goal, dtype=np.float64)
    turn = quaternions.multiply(there[:, 3:], quaternions.conjugate(here[:, 3:]))
    rotation = quaternions.to_rotation_vector(turn)
    return np.concatenate([there[:, :3] - here[:, :3], rotation], axis=1)


def joint_step(jacobian: Floats, error: Floats, damping: Floats | float) -> Floats:
    """Returns the step of joints that reduces an error, J^T (J J^T + damping^2)^-1 error, (w, k).

    Damping keeps steps small where the arm can hardly move that way (Wampler, Manipulator Inverse
    Kinematic Solutions Based on Vector Formulations and Damped Least-Squares Methods, 1986).

    Args:
        jacobian: (w, m, k) with m of the rows of `Dynamics.jacobian`.
        error: (w, m)
        damping: > 0, or (w,).
    """
    turned = jacobian.swapaxes(1, 2)
    square = jacobian @ turned
    diagonal = np.arange(square.shape[1])
    square[:, diagonal, diagonal] += np.asarray(damping * damping)[..., None]
    force = np.linalg.solve(square, error[..., None])
    return np.asarray((turned @ force)[..., 0], dtype=np.float64)


def next_positions(
    jacobian: Floats,
    error: Floats,
    damping: Floats | float,
    position: Floats,
    limits: tuple[Floats, Floats],
    step: float,
) -> Floats:
    """Returns joint positions one step nearer to a goal, within their limits, (w, k).

    Joints that would leave their limits are kept there, and the others take their share.

    Args:
        jacobian: (w, m, k)
        error: (w, m)
        damping: > 0, or (w,).
        position: Of the joints, (w, k).
        limits: Least and largest positions, (k,) each.
        step: Largest change of a joint, > 0.
    """
    lower, upper = limits
    change = joint_step(jacobian, error, damping)
    kept = ((position <= lower) & (change < 0.0)) | ((position >= upper) & (change > 0.0))
    if kept.any():
        change = joint_step(jacobian * ~kept[:, None], error, damping)
    largest = np.abs(change).max(axis=1, keepdims=True)
    change *= step / np.maximum(largest, step)
    return np.clip(position + change, lower, upper)

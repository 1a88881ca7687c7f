# SPDX-License-Identifier: Apache-2.0
"""Computes steps of inverse kinematics by damped least squares."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import quaternions

Floats = NDArray[np.float64]


def pose_error(pose: ArrayLike, goal: ArrayLike) -> Floats:
    """Returns the differences from poses to goals, (w, 6): linear [m], then rotation vector [rad].

    Args:
        pose: Current poses in the world frame, (w, 7).
        goal: Desired poses in the world frame, (w, 7).
    """
    here, there = np.asarray(pose, dtype=np.float64), np.asarray(goal, dtype=np.float64)
    turn = quaternions.multiply(there[:, 3:], quaternions.conjugate(here[:, 3:]))
    rotation = quaternions.to_rotation_vector(turn)
    return np.concatenate([there[:, :3] - here[:, :3], rotation], axis=1)


def joint_step(jacobian: Floats, error: Floats, damping: Floats | float) -> Floats:
    """Returns joint steps that reduce an error, J^T (J J^T + damping^2)^-1 error, (w, k).

    Damping keeps the steps small near singular poses, where the arm can hardly move in some
    directions (Wampler, Manipulator Inverse Kinematic Solutions Based on Vector Formulations and
    Damped Least-Squares Methods, 1986).

    Args:
        jacobian: First m rows of `Dynamics.jacobian`, (w, m, k).
        error: Differences to the goals, (w, m).
        damping: Damping, > 0, a number or (w,).
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
    """Returns joint positions one step closer to the goals, within their limits, (w, k).

    Joints that would exceed their limits stay at them, and the other joints compensate.

    Args:
        jacobian: As for `joint_step`.
        error: As for `joint_step`.
        damping: As for `joint_step`.
        position: Current positions, (w, k).
        limits: Lowest and highest positions, (k,) each.
        step: Largest change of a joint's position, > 0 [rad or m].
    """
    lower, upper = limits
    change = joint_step(jacobian, error, damping)
    kept = ((position <= lower) & (change < 0.0)) | ((position >= upper) & (change > 0.0))
    if kept.any():
        change = joint_step(jacobian * ~kept[:, None], error, damping)
    largest = np.abs(change).max(axis=1, keepdims=True)
    change *= step / np.maximum(largest, step)
    return np.clip(position + change, lower, upper)

# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics by damped least squares with restarts, in all worlds at once."""

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


_STEP = 0.8  # largest step of a joint [rad or m]
_DAMPING = 0.1
_PATIENCE = 4  # a search restarts if this number of iterations does not reduce the error by 30 %
_INNER = 0.8  # searches restart within this share of the joints' ranges, about the middle


class Search:
    """Searches for joint positions that reach goals in w worlds; the caller evaluates each step.

    Close to a goal, the damping decreases with the error, for fast convergence (Sugihara,
    Solvability-Unconcerned Inverse Kinematics by the Levenberg-Marquardt Method, 2011). A search
    without progress restarts at other positions, in a fixed order; the best positions are kept.

    Args:
        start: Initial positions, (w, k).
        limits: Lowest and highest positions, (k,) each.
        tolerance: Largest error of a solution in each component [m, rad].

    Attributes:
        best: The best positions so far, (w, k).
    """

    def __init__(self, start: Floats, limits: tuple[Floats, Floats], tolerance: float) -> None:
        count, joints = start.shape
        self._tolerance = tolerance
        self._lower, self._upper = limits
        least = np.maximum(limits[0], -np.pi)
        most = np.minimum(limits[1], np.pi)
        self._middle, self._half = (least + most) / 2.0, (most - least) / 2.0
        self._shares = _golden(joints)
        self._starts = np.zeros(count)
        self._nearest = np.full(count, np.inf)  # since the last start
        self._patience = np.full(count, _PATIENCE)
        self.best = start.copy()
        self._least = np.full(count, np.inf)

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Whether the best positions are a solution, (w,)."""
        return self._least <= self._tolerance

    def next(self, position: Floats, jacobian: Floats, error: Floats) -> Floats:
        """Returns the positions to evaluate next, (w, k).

        Args:
            position: Current positions, (w, k).
            jacobian: Jacobians of the end effector at these positions, (w, m, k).
            error: Differences from the end effector to the goals, (w, m).
        """
        largest = np.abs(error).max(axis=1)
        nearer = largest < self._least
        self.best[nearer] = position[nearer]
        self._least[nearer] = largest[nearer]
        length = np.sqrt((error * error).sum(axis=1))
        progress = length < 0.7 * self._nearest
        self._nearest = np.where(progress, length, self._nearest)
        self._patience = np.where(progress, _PATIENCE, self._patience - 1)
        damping = _DAMPING * np.minimum(1.0, length) + 1e-4
        limits = self._lower, self._upper
        moved = next_positions(jacobian, error, damping, position, limits, _STEP)
        stuck = (self._patience < 0) & ~self.solved
        self._starts[stuck] += 1.0
        self._nearest[stuck] = np.inf
        self._patience[stuck] = _PATIENCE
        share = np.mod(0.5 + self._starts[:, None] * self._shares, 1.0)
        other = self._middle + _INNER * self._half * (2.0 * share - 1.0)
        moved = np.where(stuck[:, None], other, moved)
        return np.where(self.solved[:, None], self.best, moved)


def _golden(count: int) -> Floats:
    """Returns the increments of Roberts' R sequence, (count,), which fills a cube evenly."""
    base = 2.0
    for _ in range(40):  # the root of x^(count + 1) = x + 1
        base = (1.0 + base) ** (1.0 / (count + 1))
    return np.array([base ** -(n + 1.0) for n in range(count)])

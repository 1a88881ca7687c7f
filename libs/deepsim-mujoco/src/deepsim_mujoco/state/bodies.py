# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo bodies of a table's rows, their places in the states, and rotations of many at once.

Rotations have the same bits as MuJoCo's. Their arrays have components along the first axis and
bodies along the second; sums are written out, because the last bits of a matrix product may depend
on the number of its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Pose, poses
from deepsim_mujoco.imports import mujoco

from .layout import Floats, Layout, Part, Rows

_IN_QPOS = np.array([0, 1, 2, 4, 5, 6, 3])[:, None]  # MuJoCo's quaternions are w x y z


class Hold(IntEnum):
    """The way in which a row's body is held, which determines how its pose is set."""

    FREE = 0
    """The body has a free joint."""
    PLACED = 1
    """The body has a mocap pose and stays where it is put."""
    SEVERAL = 2
    """Several bodies move together: a model of several trees, or one jointed to the world."""
    JOINTS = 3
    """Joints connect the body to others; its pose cannot be set."""


class Bodies:
    """The body of each of n rows.

    Args:
        layout: The layout of the compiled model.
        starts: Start of each world's state in the array of all states, (W,).
        body: Number of each row's body, (n,).
        offsets: Pose of each row's frame in the frame of its body, (n, 7).

    Attributes:
        body: Number of each row's body, (n,).
        offset: Pose of each row's frame in the frame of its body, (n, 7).
        inverse_offset: Inverse of each offset, (n, 7).
        is_shifted: Whether each offset differs from the identity, (n,).
        shifted: Rows whose offset differs from the identity.
        hold: `Hold` of each body, regardless of the other bodies of its model, (n,).
        free: Rows with a free joint.
        own: Rows whose pose is part of the state.
        derived: All other rows, whose poses follow from those of bodies above them.
        jointed: Derived rows that move.
        at: Places of pose, linear and angular velocity in a world's state, (13, n).
        poses_at: Places of the poses of own rows in the states of all worlds, (W * own, 7).
        derived_at: Bodies of derived rows among the bodies of all worlds, (W * derived,).
        jointed_at: Bodies of jointed rows among the bodies of all worlds, (W * jointed,).
        trees_at: Roots of the trees of jointed rows, (W * jointed,).
        free_arms: Result of `arms` for the free rows of all worlds.
        jointed_arms: Result of `arms` for the jointed rows of all worlds.
        twists_at: Places of orientations and velocities of free rows, (10, W * free).
    """

    def __init__(self, layout: Layout, starts: Rows, body: ArrayLike, offsets: ArrayLike) -> None:
        self._layout, self._starts = layout, starts
        model, start = layout.model, layout.start
        self.body: Rows = np.asarray(body, dtype=np.intp)
        n = len(self.body)
        joint, mocap = model.body_jntadr[self.body], model.body_mocapid[self.body]
        if model.njnt:
            is_free = (joint >= 0) & (model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE)
        else:
            is_free = np.zeros(n, dtype=np.bool_)
        self.hold = np.where(is_free, Hold.FREE, np.where(mocap >= 0, Hold.PLACED, Hold.JOINTS))
        self.free = np.flatnonzero(is_free)
        self.own = np.flatnonzero(self.hold != Hold.JOINTS)
        self.derived = np.flatnonzero(self.hold == Hold.JOINTS)
        moves = model.body_dofnum[model.body_weldid[self.body]] > 0
        self.jointed = self.derived[moves[self.derived]]
        self.at = np.zeros((13, n), dtype=np.intp)
        joints = joint[self.free]
        qpos, qvel = start[Part.mjSTATE_QPOS], start[Part.mjSTATE_QVEL]
        self.at[:7, self.free] = qpos + model.jnt_qposadr[joints] + _IN_QPOS
        self.at[7:, self.free] = qvel + model.jnt_dofadr[joints] + np.arange(6)[:, None]
        placed = np.flatnonzero(self.hold == Hold.PLACED)
        position, turn = start[Part.mjSTATE_MOCAP_POS], start[Part.mjSTATE_MOCAP_QUAT]
        self.at[:3, placed] = position + 3 * mocap[placed] + _IN_QPOS[:3]
        self.at[3:7, placed] = turn + 4 * mocap[placed] + _IN_QPOS[3:] - 3
        self.poses_at = self._in_all_worlds(self.at[:7, self.own]).T.copy()
        self.twists_at = self._in_all_worlds(self.at[3:, self.free])
        bodies = self.body + model.nbody * np.arange(len(starts))[:, None]
        roots = bodies - self.body + model.body_rootid[self.body]
        self.derived_at = bodies[:, self.derived].reshape(-1)
        self.jointed_at = bodies[:, self.jointed].reshape(-1)
        self.trees_at = roots[:, self.jointed].reshape(-1)
        self.offset = np.asarray(offsets, dtype=np.float64).reshape(-1, 7)
        self.is_shifted: NDArray[np.bool_] = (self.offset != np.asarray(Pose())).any(axis=1)
        self.shifted = np.flatnonzero(self.is_shifted)
        self.inverse_offset = poses.inverse(self.offset) if len(self.shifted) else self.offset
        self.free_arms = self.arms(np.tile(self.free, len(starts)))
        self.jointed_arms = self.arms(np.tile(self.jointed, len(starts)))

    def arms(self, rows: Rows) -> Floats | None:
        """Returns the offsets of rows in their bodies' axes, (3, k) [m]; None if all are 0."""
        return self.offset[rows, :3].T if len(self.shifted) else None

    def select(self, rows: Sequence[int] | Rows) -> Bodies:
        """Returns the bodies of some rows."""
        return Bodies(self._layout, self._starts, self.body[rows], self.offset[rows])

    def _in_all_worlds(self, at: Rows) -> Rows:
        return (at[:, None] + self._starts[:, None]).reshape(len(at), -1)


_X, _Y, _Z, _W = range(4)

# The elements of a rotation matrix are sums of two products, and those on the diagonal of four.
# Doubling and changing signs are exact, so they are done on the first factors.
_TERMS = [
    *[(_W, _W, 1), (_W, _W, 1), (_W, _W, 1)],
    *[(_X, _Y, 2), (_X, _Z, 2), (_X, _Y, 2), (_Y, _Z, 2), (_X, _Z, 2), (_Y, _Z, 2)],
    *[(_X, _X, 1), (_X, _X, -1), (_X, _X, -1)],
    *[(_W, _Z, -2), (_W, _Y, 2), (_W, _Z, 2), (_W, _X, -2), (_W, _Y, -2), (_W, _X, 2)],
    *[(_Y, _Y, -1), (_Y, _Y, 1), (_Y, _Y, -1)],
    *[(_Z, _Z, -1), (_Z, _Z, -1), (_Z, _Z, 1)],
]
_LEFT = np.array([left for left, _, _ in _TERMS])
_RIGHT = np.array([right for _, right, _ in _TERMS])
_FACTOR = np.array([[factor] for _, _, factor in _TERMS], dtype=np.float64)
_BY_ROW = np.array([0, 3, 4, 5, 1, 6, 7, 8, 2])
_BY_COLUMN = _BY_ROW.reshape(3, 3).T.reshape(-1)
_EACH_THRICE = np.repeat(np.arange(3), 3)
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])


def matrices(quaternions: Floats) -> Floats:
    """Returns rotation matrices (9, k), like ``mju_quat2Mat``: the diagonal, then the rest by rows.

    Args:
        quaternions: Unit quaternions x y z w, (4, k).
    """
    products = quaternions.take(_LEFT, axis=0)
    products *= _FACTOR
    products *= quaternions.take(_RIGHT, axis=0)
    result = products[:9]
    result += products[9:18]
    diagonal = result[:3]
    diagonal += products[18:21]
    diagonal += products[21:]
    return result


def rotate(matrix: Floats, vectors: Floats) -> Floats:
    """Returns the products R v of rotation matrices R (9, k) and vectors v (3, k).

    The matrices are as `matrices` returns them.
    """
    return _sums(matrix.take(_BY_COLUMN, axis=0), vectors)


def rotate_back(matrix: Floats, vectors: Floats) -> Floats:
    """Returns the products R^T v of rotation matrices R (9, k) and vectors v (3, k).

    The matrices are as `matrices` returns them.
    """
    return _sums(matrix.take(_BY_ROW, axis=0), vectors)


def _sums(elements: Floats, vectors: Floats) -> Floats:
    elements *= vectors.take(_EACH_THRICE, axis=0)
    total = elements[:3]
    total += elements[3:6]
    total += elements[6:]
    return total


def cross(a: Floats, b: Floats) -> Floats:
    """Returns the cross products a x b of vectors (3, k)."""
    total: Floats = a.take(_NEXT, axis=0) * b.take(_LAST, axis=0)
    total -= a.take(_LAST, axis=0) * b.take(_NEXT, axis=0)
    return total

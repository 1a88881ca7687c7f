# SPDX-License-Identifier: Apache-2.0
"""Rows of a table as MuJoCo bodies: where their poses and velocities lie."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, poses

from .engine import mujoco

Rows = NDArray[np.intp]
Floats = NDArray[np.floating[Any]]

XYZ = np.arange(3)
_IN_QPOS = np.array([0, 1, 2, 4, 5, 6, 3])  # MuJoCo's quaternions are w x y z
IN_ROW = np.tile(XYZ, 3)
"""Spreads vectors (k, 3) over the elements of matrices (k, 9), along each row."""
IN_COLUMN = np.repeat(XYZ, 3)
"""The same along each column."""


def sum_rows(products: Floats) -> Floats:
    """Folds the products of `IN_ROW` to R v, (k, 3).

    Added one by one: the last bit of a matrix product may depend on how many rows it has.
    """
    total: Floats = products[:, 0::3] + products[:, 1::3]
    total += products[:, 2::3]
    return total


def sum_columns(products: Floats) -> Floats:
    """Folds the products of `IN_COLUMN` to R^T v, (k, 3)."""
    total: Floats = products[:, 0:3] + products[:, 3:6]
    total += products[:, 6:9]
    return total


class Hold(IntEnum):
    """What holds a row's body, and so what setting its pose means."""

    FREE = 0
    """Its own free joint."""
    PLACED = 1
    """Its own mocap pose: it stays where it is put."""
    SEVERAL = 2
    """Several bodies move together: a model in parts, or one that a joint holds to the world."""
    JOINTS = 3
    """Joints to other bodies: its pose cannot be set."""


class Bodies:
    """The body of each row of one table.

    Args:
        model: The compiled model.
        names: The body of each row.
        offsets: (n, 7) pose of each row's frame in the frame of its body.

    Attributes:
        body: (n,) index of the body.
        qpos_pose: (n, 7) where the numbers of a pose lie in qpos (rows with a free joint).
        dof: (n,) address of its free joint's velocity, or -1.
        mocap: (n,) index of its mocap pose, or -1.
        free: Rows with a free joint.
        unfree: Rows without one.
        jointed: Of those, the rows that move with the bodies above them.
        quaternion_at: (n, 4) where the body's quaternion lies in xquat.
        linear_at: (n, 3) where the free joint's linear velocity lies in qvel (rows with one).
        angular_at: (n, 9) the same of the angular velocity, spread by `IN_ROW`.
        offset: (n, 7) pose of each row's frame in the frame of its body.
        inverse_offset: (n, 7) the inverse.
        is_shifted: (n,) bool, whether the offset is more than the identity.
        shifted: Those rows.
    """

    def __init__(
        self, model: mujoco.MjModel, names: Sequence[str], offsets: Sequence[Pose]
    ) -> None:
        self.body = np.array([model.body(name).id for name in names], dtype=np.intp)
        joint = model.body_jntadr[self.body]
        has_joint = np.flatnonzero(joint >= 0)
        types = model.jnt_type[joint[has_joint]]
        self.free = has_joint[types == mujoco.mjtJoint.mjJNT_FREE]
        address = np.zeros(len(names), dtype=np.intp)
        address[self.free] = model.jnt_qposadr[joint[self.free]]
        self.qpos_pose = address[:, None] + _IN_QPOS
        self.dof = np.full(len(names), -1, dtype=np.intp)
        self.dof[self.free] = model.jnt_dofadr[joint[self.free]]
        self.mocap = model.body_mocapid[self.body].astype(np.intp)
        moves = model.body_dofnum[model.body_weldid[self.body]] > 0
        moves[self.free] = False
        self.jointed = np.flatnonzero(moves)
        self.unfree = np.flatnonzero(self.dof < 0)
        self.quaternion_at = 4 * self.body[:, None] + np.array([1, 2, 3, 0])
        self.linear_at = np.maximum(self.dof, 0)[:, None] + XYZ
        self.angular_at = np.maximum(self.dof, 0)[:, None] + 3 + IN_ROW

        self.offset = np.array(offsets).reshape(-1, 7)
        self.inverse_offset = poses.inverse(self.offset)
        self.is_shifted = (self.offset != np.asarray(Pose())).any(axis=1)
        self.shifted = np.flatnonzero(self.is_shifted)

    def hold(self) -> Rows:
        """What holds each body by itself, as `Hold`."""
        own = np.full(len(self.body), Hold.JOINTS, dtype=np.intp)
        own[self.mocap >= 0] = Hold.PLACED
        own[self.free] = Hold.FREE
        return own

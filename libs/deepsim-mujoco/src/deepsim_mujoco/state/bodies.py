# SPDX-License-Identifier: Apache-2.0
"""Rows of a table as MuJoCo bodies, and the places of their numbers in the states."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Pose, poses
from deepsim_mujoco.engine import mujoco

from .layout import Floats, Part, Rows, start

_IN_QPOS = np.array([0, 1, 2, 4, 5, 6, 3])[:, None]  # MuJoCo's quaternions are w x y z


class Hold(IntEnum):
    """The way in which a row's body is held, which decides how its pose is set."""

    FREE = 0
    """Its own free joint."""
    PLACED = 1
    """Its own mocap pose: it stays where it is put."""
    SEVERAL = 2
    """Several bodies move together: a model in parts, or one that a joint holds to the world."""
    JOINTS = 3
    """Joints to other bodies: its pose cannot be set."""


class Bodies:
    """The body of each of n rows.

    Args:
        model: The compiled model.
        starts: (W,) where the state of each world begins, in one array of all states.
        body: (n,) number of the body of each row.
        offsets: (n, 7) pose of each row's frame in the frame of its body.

    Attributes:
        body: As given.
        offset: As given.
        inverse_offset: (n, 7) the inverse.
        is_shifted: (n,) bool, whether the offset is more than the identity.
        shifted: Those rows.
        hold: (n,) what holds each body by itself, as `Hold`.
        free: Rows with a free joint.
        own: Rows with a pose of their own in the state.
        derived: All others, whose poses follow from those of bodies above them.
        jointed: Of the derived rows those that move.
        at: (13, n) where pose, linear and angular velocity lie in a world's part of the state.
        poses_at: (W * own, 7) where the poses of own rows lie in the states of all worlds.
        derived_at: (W * derived,) which of the bodies of all worlds the derived rows have.
        jointed_at: (W * jointed,) the same of jointed rows.
        trees_at: (W * jointed,) the roots of their trees.
        free_arms: As `arms` of the free rows of all worlds.
        jointed_arms: The same of jointed rows.
        twists_at: (10, W * free) the same of orientations and velocities of free rows.
    """

    def __init__(
        self, model: mujoco.MjModel, starts: Rows, body: ArrayLike, offsets: ArrayLike
    ) -> None:
        self._model, self._starts = model, starts
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
        qpos, qvel = start(model, Part.mjSTATE_QPOS), start(model, Part.mjSTATE_QVEL)
        self.at[:7, self.free] = qpos + model.jnt_qposadr[joints] + _IN_QPOS
        self.at[7:, self.free] = qvel + model.jnt_dofadr[joints] + np.arange(6)[:, None]
        placed = np.flatnonzero(self.hold == Hold.PLACED)
        position, turn = start(model, Part.mjSTATE_MOCAP_POS), start(model, Part.mjSTATE_MOCAP_QUAT)
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
        self.inverse_offset = poses.inverse(self.offset)
        self.is_shifted: NDArray[np.bool_] = (self.offset != np.asarray(Pose())).any(axis=1)
        self.shifted = np.flatnonzero(self.is_shifted)
        self.free_arms = self.arms(np.tile(self.free, len(starts)))
        self.jointed_arms = self.arms(np.tile(self.jointed, len(starts)))

    def arms(self, rows: Rows) -> Floats | None:
        """Returns the offsets of the frames of rows, in the axes of their bodies, (3, k).

        It is None if none of the n rows is shifted.
        """
        return self.offset[rows, :3].T if len(self.shifted) else None

    def select(self, rows: Sequence[int] | Rows) -> Bodies:
        """Returns some of the rows."""
        return Bodies(self._model, self._starts, self.body[rows], self.offset[rows])

    def _in_all_worlds(self, at: Rows) -> Rows:
        return (at[:, None] + self._starts[:, None]).reshape(len(at), -1)

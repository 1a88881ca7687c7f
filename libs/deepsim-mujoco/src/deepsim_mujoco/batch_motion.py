# SPDX-License-Identifier: Apache-2.0
"""Poses and twists of many worlds at once, to and from rows of MuJoCo's state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Cells, Refusal

from .bodies import IN_COLUMN, IN_ROW, XYZ, Floats, Hold, Rows, sum_columns, sum_rows
from .engine import mujoco
from .motion import Motion, StateKind
from .stepping import INTEGRATION

_W, _X, _Y, _Z = 6, 3, 4, 5  # of a pose
_MINIMUM = 1e-15  # mjMINVAL: MuJoCo leaves a quaternion this close to unit length as it is


class _Places:
    """Where the numbers of one table's rows lie in a row of the state.

    Args:
        model: The compiled model.
        motion: Of one world with this model.
        kind: The table.

    Attributes:
        simple: (n,) bool, rows that have a free joint or stay where they are put, in the frame of
            their body: what MuJoCo makes of their numbers is known without asking it.
        free: (n,) bool, those of them with a free joint.
        pose: (n, 7) of simple rows.
        linear: (n, 3) of free rows; angular velocities follow them.
    """

    def __init__(self, model: mujoco.MjModel, motion: Motion, kind: StateKind) -> None:
        bodies, hold = motion.bodies[kind], motion.hold[kind]

        def start(part: mujoco.mjtState) -> int:
            before = [each for each in _PARTS if each.value < part.value]
            return sum(mujoco.mj_stateSize(model, int(each)) for each in before)

        state = mujoco.mjtState
        placed = np.concatenate(
            [
                start(state.mjSTATE_MOCAP_POS) + 3 * bodies.mocap[:, None] + XYZ,
                start(state.mjSTATE_MOCAP_QUAT) + 4 * bodies.mocap[:, None] + [1, 2, 3, 0],
            ],
            axis=1,
        )
        self.simple = np.isin(hold, (Hold.FREE, Hold.PLACED)) & ~bodies.is_shifted
        self.free = self.simple & (hold == Hold.FREE)
        moving = start(state.mjSTATE_QPOS) + bodies.qpos_pose
        self.pose = np.where(self.free[:, None], moving, placed)
        self.linear = start(state.mjSTATE_QVEL) + bodies.linear_at


_PARTS = [
    part
    for part in mujoco.mjtState.__members__.values()
    if int(part).bit_count() == 1 and int(part) & INTEGRATION
]
"""The components of a row of the state, in no order; they lie in that of their bits."""


class BatchMotion:
    """Reads and writes the states of many worlds of one compiled model.

    Models and links that move freely, or stay where they are put, are read and written for all
    worlds by a few array operations; any other row goes through one world's `Motion`.

    Args:
        model: The compiled model.
        data: A state of it, to work in.
        motion: Reads and writes that one.
        state: (W, n) the integration state of each world, live.
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, motion: Motion, state: Floats
    ) -> None:
        self._model, self._data, self._motion, self._state = model, data, motion, state
        kinds: tuple[StateKind, StateKind] = ("models", "links")
        self._places = {kind: _Places(model, motion, kind) for kind in kinds}

    def read(self, kind: StateKind, pose: Floats, twist: Floats) -> None:
        """Fills pose (W, n, 7) and twist (W, n, 6) of all models or links."""
        places = self._places[kind]
        if not places.simple.all():
            for number in range(len(self._state)):
                self._load(number)
                self._motion.read(kind, pose[number], twist[number])
            return
        pose[:] = self._state[:, places.pose]
        _normalize(pose)
        free = np.flatnonzero(places.free)
        linear = self._state[:, places.linear[free]]
        angular = self._state[:, places.linear[free][:, :1] + 3 + IN_ROW]
        turned = sum_rows((_matrices(pose[:, free]) * angular).reshape(-1, 9))
        twist[:] = 0.0
        twist[:, free] = np.concatenate([linear, turned.reshape(linear.shape)], axis=2)

    def write(self, kind: StateKind, pose: Cells | None, twist: Cells | None) -> list[Refusal]:
        """Sets poses (k, 7) and twists (k, 6) of cells; see `Motion.write`."""
        if pose is None and twist is None:
            return []
        places = self._places[kind]
        single = np.zeros(len(self._state), dtype=np.bool_)  # worlds where a row is not simple
        if pose is not None:
            single[pose.worlds[~places.simple[pose.rows]]] = True
        if twist is not None:
            single[twist.worlds[~places.free[twist.rows]]] = True
        refusals = []
        for number in np.flatnonzero(single).tolist():
            refusals += self._write_one(number, kind, pose, twist)
        if single.any():
            pose, twist = _without(pose, single), _without(twist, single)
        if pose is not None:
            self._write_pose(places, pose)
        if twist is not None:
            self._write_twist(places, twist.worlds, twist.rows, twist.values)
        return refusals

    def _write_pose(self, places: _Places, cells: Cells) -> None:
        free = places.free[cells.rows]
        worlds, rows = cells.worlds[free], cells.rows[free]
        at = places.linear[rows]
        # MuJoCo has angular velocities in the axes of the body: turning it would turn them.
        linear = self._state[worlds[:, None], at]
        spread = self._state[worlds[:, None], at[:, :1] + 3 + IN_ROW]
        angular = sum_rows(self._matrices_of(places, worlds, rows) * spread)
        self._state[cells.worlds[:, None], places.pose[cells.rows]] = cells.values
        self._write_twist(places, worlds, rows, np.concatenate([linear, angular], axis=1))

    def _write_twist(self, places: _Places, worlds: Rows, rows: Rows, values: Floats) -> None:
        at, angular = places.linear[rows], values[:, 3:]
        turned = self._matrices_of(places, worlds, rows) * angular[:, IN_COLUMN]
        self._state[worlds[:, None], at] = values[:, :3]
        self._state[worlds[:, None], at + 3] = sum_columns(turned)

    def _matrices_of(self, places: _Places, worlds: Rows, rows: Rows) -> Floats:
        pose = self._state[worlds[:, None], places.pose[rows]]
        _normalize(pose)
        return _matrices(pose)

    def _write_one(
        self, number: int, kind: StateKind, pose: Cells | None, twist: Cells | None
    ) -> list[Refusal]:
        """Sets the cells of one world."""
        self._load(number)
        refusals = self._motion.write(kind, _within(pose, number), _within(twist, number))
        mujoco.mj_getState(self._model, self._data, self._state[number], INTEGRATION)
        return [refusal._replace(world=number) for refusal in refusals]

    def _load(self, number: int) -> None:
        mujoco.mj_setState(self._model, self._data, self._state[number], INTEGRATION)
        self._motion.state_changed()


def _within(cells: Cells | None, number: int) -> Cells | None:
    if cells is None:
        return None
    mine = cells.worlds == number
    return Cells(cells.worlds[mine], cells.rows[mine], cells.values[mine]) if mine.any() else None


def _without(cells: Cells | None, worlds: NDArray[np.bool_]) -> Cells | None:
    if cells is None:
        return None
    rest = ~worlds[cells.worlds]
    return Cells(cells.worlds[rest], cells.rows[rest], cells.values[rest])


def _normalize(pose: Floats) -> None:
    """Makes quaternions unit as mju_normalize4 does, bit for bit."""
    w, x, y, z = (pose[..., i] for i in (_W, _X, _Y, _Z))
    norm = np.sqrt(w * w + x * x + y * y + z * z)
    off = np.abs(norm - 1.0) > _MINIMUM
    if off.any():
        pose[..., 3:][off] *= (1.0 / norm[off])[:, None]


def _matrices(pose: Floats) -> Floats:
    """Rotation matrices (..., 9) as of mju_quat2Mat, bit for bit."""
    w, x, y, z = (pose[..., i] for i in (_W, _X, _Y, _Z))
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    wx, wy, wz, xy, xz, yz = w * x, w * y, w * z, x * y, x * z, y * z
    matrices = np.empty((*pose.shape[:-1], 9))
    matrices[..., 0] = ww + xx - yy - zz
    matrices[..., 1] = 2.0 * (xy - wz)
    matrices[..., 2] = 2.0 * (xz + wy)
    matrices[..., 3] = 2.0 * (xy + wz)
    matrices[..., 4] = ww - xx + yy - zz
    matrices[..., 5] = 2.0 * (yz - wx)
    matrices[..., 6] = 2.0 * (xz - wy)
    matrices[..., 7] = 2.0 * (yz + wx)
    matrices[..., 8] = ww - xx - yy + zz
    return matrices

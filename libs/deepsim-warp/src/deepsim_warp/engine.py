# SPDX-License-Identifier: Apache-2.0
"""The engine: MuJoCo models as MuJoCo Warp takes them, and the capacities of their worlds."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from .batch import WarpBatch, flags_of
from .buffer import Transfers
from .imports import mjw, wp

_PID = int(mujoco.mjtDyn.mjDYN_PID)
_ALL_INPUTS = 7  # position, velocity and feedforward, as the servos of deepsim-mujoco have
_CONTACTS_OF_BODY = 8  # of a box with another
_FEWEST_CONTACTS = 48
_ROWS_OF_EQUALITY = 6  # a weld


@dataclass(frozen=True)
class WarpEngine:
    """Steps the worlds of a simulator with MuJoCo Warp.

    Attributes:
        device: The device of warp.
        contacts: Number of contacts to make room for in each world; None for a number that depends
            on the model.
        constraints: Number of rows of constraints to make room for in each world; None for as many
            as the contacts and the model can have.
        deterministic: Whether the results of a run have the same bits in each repetition.
        transfers: Counts the copies between host and device.
    """

    device: Any
    contacts: int | None
    constraints: int | None
    deterministic: bool
    transfers: Transfers

    def check(self, model: mujoco.MjModel) -> None:
        """Raises ValueError for a model with features that MuJoCo Warp does not support."""
        pid = np.flatnonzero(model.actuator_dyntype == _PID)
        own = (model.actuator_ctrlspec[pid] == _ALL_INPUTS) & (model.actuator_actnum[pid] == 1)
        if not own.all():
            name = model.actuator(int(pid[~own][0])).name
            raise ValueError(f"MuJoCo Warp has no PID actuators, and {name!r} is one")
        try:
            self._put(model)
        except NotImplementedError as error:
            raise ValueError(f"MuJoCo Warp does not support it: {error}") from error

    def batch(self, model: mujoco.MjModel, worlds: int) -> WarpBatch:
        """Returns a batch of worlds of a checked model."""
        contacts = default_contacts(model) if self.contacts is None else self.contacts
        rows = most_constraints(model, contacts) if self.constraints is None else self.constraints

        def make() -> tuple[Any, Any]:
            with wp.ScopedDevice(self.device):
                there = self._put(model)
                data = mjw.make_data(
                    _without_pid(model), nworld=worlds, nconmax=contacts, njmax=rows
                )
            return there, data

        return WarpBatch(model, worlds, self.device, make, self.transfers)

    def _put(self, model: mujoco.MjModel) -> Any:
        """Returns the model on the device."""
        with wp.ScopedDevice(self.device):
            there = mjw.put_model(_without_pid(model))
        there.opt.deterministic = self.deterministic
        there.opt.warn_overflow = 0  # the batch raises errors instead
        return there


def _without_pid(model: mujoco.MjModel) -> mujoco.MjModel:
    """Returns a copy whose servos are affine in their state, which `kernels.drive_servos` sets."""
    changed = copy.copy(model)
    pid = model.actuator_dyntype == _PID
    changed.actuator_dyntype[pid] = int(mujoco.mjtDyn.mjDYN_NONE)
    changed.actuator_gaintype[pid] = int(mujoco.mjtGain.mjGAIN_FIXED)
    changed.actuator_gainprm[pid] = 0.0
    changed.actuator_gainprm[pid, 0] = 1.0
    changed.opt.disableflags = flags_of(changed.opt.disableflags)
    return changed


def default_contacts(model: mujoco.MjModel) -> int:
    """Returns the number of contacts of a world for which there is room if none is given."""
    solid = (model.geom_contype | model.geom_conaffinity) != 0
    moves = model.body_weldid[model.geom_bodyid] != 0
    bodies = len(np.unique(model.geom_bodyid[solid & moves]))
    rough = 2 * model.nv if model.nhfield else 0  # a foot on a landscape touches several triangles
    return max(_FEWEST_CONTACTS, _CONTACTS_OF_BODY * bodies, rough)


def most_constraints(model: mujoco.MjModel, contacts: int) -> int:
    """Returns the number of rows of constraints that a world with so many contacts can have.

    It is a power of two, because warp compiles kernels for each number.
    """
    dimensions = (1, model.geom_condim.max(initial=1), model.pair_dim.max(initial=1))
    rows = int(max(dimensions))
    if model.opt.cone == mujoco.mjtCone.mjCONE_PYRAMIDAL:
        rows = max(1, 2 * (rows - 1))
    of_model = _ROWS_OF_EQUALITY * model.neq + model.nv + 2 * model.njnt + 3 * model.ntendon
    return 1 << int(of_model + rows * contacts - 1).bit_length()

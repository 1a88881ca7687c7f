# SPDX-License-Identifier: Apache-2.0
"""The layout of MuJoCo's states, and the numbers that outlive a recompile."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.spec.axes import Axis

INTEGRATION = int(mujoco.mjtState.mjSTATE_INTEGRATION)
"""The parts of a state on which later physics depends, including warm starts."""

Part = mujoco.mjtState
Rows = NDArray[np.intp]
Floats = NDArray[np.floating[Any]]

SERVO_INPUTS = 3
"""Numbers of a servo's control: target position, target velocity, feedforward."""
_QPOS_SIZE = np.array([7, 4, 1, 1])  # by mjtJoint: free, ball, slide, hinge
_DOF_SIZE = np.array([6, 3, 1, 1])
_OF_DOFS = (
    Part.mjSTATE_QVEL,
    Part.mjSTATE_WARMSTART,
    Part.mjSTATE_QFRC_APPLIED,
)


def start(model: mujoco.MjModel, part: mujoco.mjtState) -> int:
    """Returns the start of a part in the state; parts are in the order of their bits."""
    return int(mujoco.mj_stateSize(model, INTEGRATION & (int(part) - 1)))


def numbers_of(model: mujoco.MjModel, addresses: NDArray[np.int32]) -> dict[str, int]:
    """Returns the numbers of all objects of one type by name.

    Args:
        model: The compiled model.
        addresses: Addresses of the names, such as ``model.name_bodyadr``.
    """
    text = model.names
    return {
        text[address : text.index(b"\0", address)].decode(): number
        for number, address in enumerate(addresses.tolist())
    }


def dofs_of(model: mujoco.MjModel, axes: Iterable[Axis]) -> tuple[Rows, Rows]:
    """Returns the joint and the degree of freedom of each of n axes, (n,) each."""
    number = numbers_of(model, model.name_jntadr)
    pairs = [(number[axis.joint], axis.degree) for axis in axes]
    joint, degree = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return joint, model.jnt_dofadr[joint] + degree


def kept_numbers(old: mujoco.MjModel, new: mujoco.MjModel) -> tuple[Rows, Rows]:
    """Returns the places of the joints, bodies and servos that two models have in common.

    Returns:
        Places in a state of the old model, and in a state of the new model.
    """
    found = [(np.zeros(1, np.intp),) * 2]  # the time
    before, after = _kept(old, new, "name_jntadr")
    kind = new.jnt_type[after]

    def add(part: mujoco.mjtState, size: Any, in_old: Rows, in_new: Rows) -> None:
        sizes = np.broadcast_to(size, in_old.shape)
        found.append(
            (_spread(start(old, part) + in_old, sizes), _spread(start(new, part) + in_new, sizes))
        )

    in_old, in_new = old.jnt_qposadr[before], new.jnt_qposadr[after]
    add(Part.mjSTATE_QPOS, _QPOS_SIZE[kind], in_old, in_new)
    in_old, in_new = old.jnt_dofadr[before], new.jnt_dofadr[after]
    for part in _OF_DOFS:
        add(part, _DOF_SIZE[kind], in_old, in_new)
    before, after = _kept(old, new, "name_bodyadr")
    add(Part.mjSTATE_XFRC_APPLIED, 6, 6 * before, 6 * after)
    placed = new.body_mocapid[after] >= 0
    in_old, in_new = old.body_mocapid[before[placed]], new.body_mocapid[after[placed]]
    add(Part.mjSTATE_MOCAP_POS, 3, 3 * in_old, 3 * in_new)
    add(Part.mjSTATE_MOCAP_QUAT, 4, 4 * in_old, 4 * in_new)
    before, after = kept_servos(old, new)
    in_old, in_new = old.actuator_ctrladr[before], new.actuator_ctrladr[after]
    add(Part.mjSTATE_CTRL, SERVO_INPUTS, in_old, in_new)
    add(Part.mjSTATE_ACT, 1, old.actuator_actadr[before], new.actuator_actadr[after])
    first, second = zip(*found, strict=True)
    return np.concatenate(first), np.concatenate(second)


def kept_servos(old: mujoco.MjModel, new: mujoco.MjModel) -> tuple[Rows, Rows]:
    """Returns the index in each model of every servo that the two models have in common."""
    return _kept(old, new, "name_actuatoradr")


def _kept(old: mujoco.MjModel, new: mujoco.MjModel, addresses: str) -> tuple[Rows, Rows]:
    """Returns the index in each model of every object that the two models have in common."""
    before = numbers_of(old, getattr(old, addresses))
    after = numbers_of(new, getattr(new, addresses))
    kept = [name for name in after if name in before]
    return (
        np.array([before[name] for name in kept], dtype=np.intp),
        np.array([after[name] for name in kept], dtype=np.intp),
    )


def block(numbers: Floats, places: Rows) -> Floats | None:
    """Returns a view of some columns of (W, m) numbers, or None if they are not evenly spaced.

    Copying a view takes half the time of `take`.
    """
    steps = np.diff(places)
    if len(steps) and steps[0] > 0 and (steps == steps[0]).all():
        return numbers[:, places[0] : places[-1] + 1 : steps[0]]
    return None


def _spread(starts: Rows, sizes: Rows) -> Rows:
    """Returns the indices of several blocks, given their starts and sizes."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(sizes.sum())

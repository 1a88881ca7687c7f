# SPDX-License-Identifier: Apache-2.0
"""The layout of MuJoCo's states, and the numbers that outlive a recompile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco

INTEGRATION = int(mujoco.mjtState.mjSTATE_INTEGRATION)
"""The parts of a state on which later physics depends, including warm starts."""

Part = mujoco.mjtState
Rows = NDArray[np.intp]
Floats = NDArray[np.floating[Any]]

_QPOS_SIZE = np.array([7, 4, 1, 1])  # by mjtJoint: free, ball, slide, hinge
_DOF_SIZE = np.array([6, 3, 1, 1])
_OF_DOFS = (
    Part.mjSTATE_QVEL,
    Part.mjSTATE_WARMSTART,
    Part.mjSTATE_QFRC_APPLIED,
)
_PARTS = (
    *_OF_DOFS,
    Part.mjSTATE_QPOS,
    Part.mjSTATE_ACT,
    Part.mjSTATE_CTRL,
    Part.mjSTATE_XFRC_APPLIED,
    Part.mjSTATE_MOCAP_POS,
    Part.mjSTATE_MOCAP_QUAT,
)


@dataclass(frozen=True)
class Layout:
    """The numbers of a compiled model's objects by name, and the order of its states.

    Attributes:
        model: MuJoCo's model.
        start: Start of each part in the state of a world.
        bodies: Number of each body.
        joints: Number of each joint; an axis of a ball joint is none.
        actuators: Number of each actuator; servos have the names of their axes.
        sensors: Number of each sensor of MuJoCo.
        geoms: Number of each geom.
        materials: Number of each material.
        lights: Number of each light.
    """

    model: mujoco.MjModel
    start: Mapping[mujoco.mjtState, int]
    bodies: Mapping[str, int]
    joints: Mapping[str, int]
    actuators: Mapping[str, int]
    sensors: Mapping[str, int]
    geoms: Mapping[str, int]
    materials: Mapping[str, int]
    lights: Mapping[str, int]

    @classmethod
    def of(cls, model: mujoco.MjModel) -> Layout:
        """Returns the layout of a compiled model."""
        names = model.names

        def numbers(addresses: NDArray[np.int32]) -> dict[str, int]:
            return {
                names[address : names.index(b"\0", address)].decode(): number
                for number, address in enumerate(addresses.tolist())
            }

        # Parts are in the order of their bits.
        before = {part: INTEGRATION & (int(part) - 1) for part in _PARTS}
        return cls(
            model=model,
            start={part: mujoco.mj_stateSize(model, bits) for part, bits in before.items()},
            bodies=numbers(model.name_bodyadr),
            joints=numbers(model.name_jntadr),
            actuators=numbers(model.name_actuatoradr),
            sensors=numbers(model.name_sensoradr),
            geoms=numbers(model.name_geomadr),
            materials=numbers(model.name_matadr),
            lights=numbers(model.name_lightadr),
        )


def kept_numbers(old: Layout, new: Layout) -> tuple[Rows, Rows]:
    """Returns the places of the joints, bodies and actuators that two models have in common.

    Returns:
        Places in a state of the old model, and in a state of the new model.
    """
    one = np.ones(1, np.intp)
    found = [(0 * one, 0 * one, one)]  # the time

    def add(part: mujoco.mjtState, size: Any, in_old: Rows, in_new: Rows) -> None:
        sizes = np.broadcast_to(size, in_old.shape)
        found.append((old.start[part] + in_old, new.start[part] + in_new, sizes))

    before, after = _kept(old.joints, new.joints)
    kind = new.model.jnt_type[after]
    in_old, in_new = old.model.jnt_qposadr[before], new.model.jnt_qposadr[after]
    add(Part.mjSTATE_QPOS, _QPOS_SIZE[kind], in_old, in_new)
    in_old, in_new = old.model.jnt_dofadr[before], new.model.jnt_dofadr[after]
    for part in _OF_DOFS:
        add(part, _DOF_SIZE[kind], in_old, in_new)
    before, after = _kept(old.bodies, new.bodies)
    add(Part.mjSTATE_XFRC_APPLIED, 6, 6 * before, 6 * after)
    placed = new.model.body_mocapid[after] >= 0
    in_old = old.model.body_mocapid[before[placed]]
    in_new = new.model.body_mocapid[after[placed]]
    add(Part.mjSTATE_MOCAP_POS, 3, 3 * in_old, 3 * in_new)
    add(Part.mjSTATE_MOCAP_QUAT, 4, 4 * in_old, 4 * in_new)
    before, after = _kept(old.actuators, new.actuators)
    in_old, in_new = old.model.actuator_ctrladr[before], new.model.actuator_ctrladr[after]
    add(Part.mjSTATE_CTRL, new.model.actuator_ctrlnum[after], in_old, in_new)
    in_old, in_new = old.model.actuator_actadr[before], new.model.actuator_actadr[after]
    add(Part.mjSTATE_ACT, new.model.actuator_actnum[after], in_old, in_new)
    in_old, in_new, sizes = map(np.concatenate, zip(*found, strict=True))
    return _spread(in_old, sizes), _spread(in_new, sizes)


def _kept(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[Rows, Rows]:
    """Returns the number in each model of every object that the two models have in common."""
    pairs = [(before[name], number) for name, number in after.items() if name in before]
    in_old, in_new = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return in_old, in_new


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

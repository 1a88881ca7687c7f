# SPDX-License-Identifier: Apache-2.0
"""Columns of the tables in the memory of the device, for libraries of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from deepsim_mujoco.state.world_states import WorldStates

from . import kernels
from .batch import WarpBatch
from .imports import wp

_OF_JOINTS = {
    "position": "qpos",
    "velocity": "qvel",
    "target_position": "ctrl",
    "target_velocity": "ctrl",
    "feedforward": "ctrl",
}
"""The columns of joints, with the fields of MuJoCo that hold them."""
_INPUTS = ("target_position", "target_velocity", "feedforward")
_KNOWN = "links pose, " + ", ".join(f"joints {name}" for name in _OF_JOINTS)


class DeviceColumn:
    """A column of all worlds in the memory of the device, as 32-bit floats.

    It offers ``__dlpack__``, so that ``torch.from_dlpack(column)`` returns a tensor on the device
    without a copy through the host. Each call of it fills the column with the present values, also
    those of a tensor that was made before. Writing to a tensor changes nothing in the simulator.

    Attributes:
        names: Names of the rows, in the order of the second axis.
        shape: (W, n) for joints, (W, n, 7) for poses.
    """

    def __init__(self, states: WorldStates, batch: WarpBatch, kind: str, name: str) -> None:
        if (kind, name) != ("links", "pose") and not (kind == "joints" and name in _OF_JOINTS):
            raise ValueError(f"there is no column {kind} {name} on the device, but: {_KNOWN}")
        self._states, self._compiled, self._batch = states, states.compiled, batch
        self.names = tuple(self._compiled.entities.names(kind))  # type: ignore[arg-type]
        self._device = self._batch.device
        with wp.ScopedDevice(self._device):
            if kind == "links":
                self.shape: tuple[int, ...] = (states.worlds, len(self.names), 7)
                self._bodies = wp.array(self._compiled.link_bodies.astype(np.int32), dtype=int)
                frames = [np.asarray(node.in_body) for node in self._compiled.links]
                self._frames = wp.array(np.array(frames).reshape(-1, 7), dtype=wp.float32, ndim=2)
            else:
                self.shape = (states.worlds, len(self.names))
                self._field, places = _OF_JOINTS[name], self._places(name)
                self._at = wp.array(places.astype(np.int32), dtype=int)
            self._values = wp.zeros(self.shape, dtype=wp.float32)

    def _places(self, name: str) -> Any:
        """Returns the places of the joints' numbers in the field of MuJoCo, (n,)."""
        compiled, model = self._compiled, self._compiled.model
        if name == "velocity":
            return compiled.axis_dofs
        if name == "position":
            ball = [axis.name for axis in compiled.axes if axis.ball]
            if ball:
                raise ValueError(f"{ball[0]!r} is of a ball joint, whose position is a quaternion")
            return model.jnt_qposadr[compiled.axis_joints]
        servos = [compiled.layout.actuators[joint] for joint in self.names]
        return model.actuator_ctrladr[servos] + _INPUTS.index(name)

    def _fill(self) -> None:
        if self._states.compiled is not self._compiled:
            raise ValueError("models were added or deleted since: ask for the column again")
        if not self._values.size:
            return
        with wp.ScopedDevice(self._device):
            data = self._batch.present(kinematics=len(self.shape) == 3)
            if len(self.shape) == 3:
                inputs = [data.xpos, data.xquat, self._bodies, self._frames, self._values]
                wp.launch(kernels.link_poses, self.shape[:2], inputs=inputs)
            else:
                inputs = [getattr(data, self._field), self._at, self._values]
                wp.launch(kernels.gather, self.shape, inputs=inputs)

    def __dlpack__(self, **options: Any) -> Any:
        """Returns the present values as a capsule of DLPack."""
        self._fill()
        return self._values.__dlpack__(stream=options.get("stream"))

    def __dlpack_device__(self) -> tuple[int, int]:
        """Returns kind and number of the device, as DLPack has them."""
        kind, number = self._values.__dlpack_device__()
        return int(kind), int(number)

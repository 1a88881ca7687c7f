# SPDX-License-Identifier: Apache-2.0
"""The simulator on MuJoCo Warp."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from deepsim_mujoco import MujocoSimulator
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_spawn import WorldDescription

from . import kernels
from .batch import WarpBatch
from .buffer import Transfers
from .engine import WarpEngine
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


class WarpSimulator(MujocoSimulator):
    """A simulator of W worlds with the same models on MuJoCo Warp.

    Args:
        world: Models, lights, gravity and step size; by default an empty world with gravity and
            steps of 1 ms.
        worlds: Number of worlds, W.
        device: A device of warp such as ``"cuda:0"`` or ``"cpu"``; by default the first GPU.
            Without a GPU, warp's CPU device steps the worlds, slowly, and a warning says so.
        contacts: Number of contacts to make room for in each world; by default 8 for each moving
            body that can touch another, and at least 48. All worlds share the room.
        constraints: Number of rows of constraints to make room for in each world; by default as
            many as so many contacts, all joint limits and all equality constraints have.
        deterministic: Whether a repeated run has the same bits, and a world those that it has among
            any number of worlds. Without it, steps are faster on a GPU.

    Attributes:
        device: The device of warp.
        transfers: The copies between host and device so far.

    Raises:
        SpawnError: A model of the world cannot be built.
        DeepSimError: MuJoCo or MuJoCo Warp refuses the world as a whole.
        ValueError: There is no such device, or a number is not positive.
    """

    def __init__(
        self,
        world: WorldDescription | None = None,
        *,
        worlds: int = 1,
        device: str | None = None,
        contacts: int | None = None,
        constraints: int | None = None,
        deterministic: bool = True,
    ) -> None:
        for name, number in (("contacts", contacts), ("constraints", constraints)):
            if number is not None and number < 1:
                raise ValueError(f"{name} must be at least 1, got {number}")
        self.device = _device(device)
        self.transfers = Transfers()
        engine = WarpEngine(self.device, contacts, constraints, deterministic, self.transfers)
        super().__init__(world, worlds=worlds, engine=engine)

    @property
    def batch(self) -> WarpBatch:
        """The worlds on the device, for benchmarks; models that are added replace it."""
        batch = self._states.batch
        assert isinstance(batch, WarpBatch)
        return batch

    def column(self, kind: str, name: str) -> DeviceColumn:
        """Returns a column of a table in the memory of the device, for ``torch.from_dlpack``.

        There are positions, velocities, targets and feedforwards of joints, and poses of links.
        The column holds until models are added or deleted.

        Raises:
            ValueError: There is no such column.
        """
        return DeviceColumn(self._states, self.batch, kind, name)


def _device(name: str | None) -> Any:
    """Returns a device of warp."""
    if name is not None:
        try:
            return wp.get_device(name)
        except (RuntimeError, ValueError) as error:
            known = ", ".join(str(device) for device in wp.get_devices())
            raise ValueError(f"warp has no device {name!r}: there is {known}") from error
    if wp.is_cuda_available():
        return wp.get_device("cuda:0")
    warnings.warn(
        "there is no GPU that warp can use, so its CPU device steps the worlds, more slowly than "
        "MujocoSimulator; device='cpu' chooses it without this warning",
        UserWarning,
        stacklevel=3,
    )
    return wp.get_device("cpu")

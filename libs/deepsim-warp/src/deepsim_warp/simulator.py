# SPDX-License-Identifier: Apache-2.0
"""The simulator on MuJoCo Warp."""

from __future__ import annotations

import warnings
from typing import Any

from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import WorldDescription

from .batch import WarpBatch
from .buffer import Transfers
from .columns import DeviceColumn
from .engine import WarpEngine
from .imports import wp


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

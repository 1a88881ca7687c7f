# SPDX-License-Identifier: Apache-2.0
"""Compensates a robot's weight, and centrifugal and Coriolis forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deepsim_sync import PHYSICS_PROPERTIES, UnsupportedError, WorldNumbers

from .joint_group import JointGroup


class PassiveForces:
    """Balances the passive forces of a model.

    Args:
        joints: All joints of the model.
        groups: The joints of each controller.
        balance: As in `RobotConfig.balance`.

    Raises:
        UnsupportedError: The simulator does not have the necessary capability.
    """

    def __init__(self, joints: JointGroup, groups: Sequence[JointGroup], balance: str) -> None:
        self._joints = joints
        self._balance = balance
        self._groups = [
            (each, [joints.names.index(name) for name in each.names]) for each in groups
        ]
        simulator: Any = joints.world.simulator
        self._dynamics: Any = getattr(simulator, "dynamics", None)
        self._physics = simulator.physics
        can_float = self._physics is not None and "gravity" in PHYSICS_PROPERTIES
        if balance == "gravity" and not can_float:
            raise UnsupportedError(f"{type(simulator).__name__} cannot balance gravity")
        if balance == "bias" and self._dynamics is None:
            raise UnsupportedError(f"{type(simulator).__name__} has no dynamics to balance")

    def reset(self, worlds: WorldNumbers) -> None:
        """For the balance ``gravity``, removes the weight of all links, which a reset restores."""
        if self._balance == "gravity":
            world, model = self._joints.world, self._joints.model
            world.flush()
            self._physics.scale("gravity", world.entities.links.within(model), 0.0, worlds)

    @property
    def is_followed(self) -> bool:
        """Whether `update` must be called in each tick."""
        return self._balance == "bias"

    def update(self, worlds: WorldNumbers) -> None:
        """Adds the current bias forces to the feedforward efforts of the controllers."""
        if self._balance == "bias":
            self._joints.world.flush()
            efforts = self._dynamics.bias_forces(self._joints.scoped)
            for group, index in self._groups:
                efforts[:, index] += group.efforts
            self._joints.put(worlds, feedforward=efforts[worlds])

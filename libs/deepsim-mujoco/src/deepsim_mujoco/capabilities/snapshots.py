# SPDX-License-Identifier: Apache-2.0
"""Snapshots of the embedded simulator."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.spec.builder import COLLISION_GROUP
from deepsim_mujoco.state.actuators import Actuators
from deepsim_mujoco.state.joints import Joints
from deepsim_mujoco.state.layout import Floats
from deepsim_mujoco.state.servos import Servos
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import CameraMount

from .physics_factors import PhysicsFactors
from .pictures import SensorMounts
from .sensors import MujocoSensors


class MujocoState(NamedTuple):
    """A snapshot of W worlds, which can be pickled."""

    steps: NDArray[np.float64]
    """Physics steps since the last reset, (W,)."""
    models: bytes
    """Digest of the models, equal for models with compatible states."""
    integration: Floats
    """MuJoCo's integration states including warm starts, (W, n)."""
    factors: Mapping[str, NDArray[np.float64]]
    """Factors and values of properties that are not as described, (W, links)."""
    effort: Floats
    """Efforts of the latest step, (W, axes)."""
    commands: Mapping[str, Floats]
    """Joint commands that differ from their defaults, by column, (W, axes)."""
    actuators: Mapping[str, Floats]
    """Efforts of actuators, and commands that differ from their defaults, by column, (W, n)."""
    mounts: Mapping[tuple[str, int], CameraMount]
    """Camera mounts that differ from their descriptions, by name and world."""
    sensors: Any
    """State of the sensors."""


class MujocoSnapshots:
    """The snapshots of all worlds; see `deepsim_sync.Snapshots`."""

    def __init__(
        self,
        states: WorldStates,
        joints: Joints,
        actuators: Actuators,
        servos: Servos,
        physics: PhysicsFactors,
        mounts: SensorMounts,
        sensors: MujocoSensors,
    ) -> None:
        self._states, self._joints, self._servos = states, joints, servos
        self._actuators = actuators
        self._physics, self._mounts, self._sensors = physics, mounts, sensors
        self._digested: mujoco.MjModel | None = None

    def get_state(self) -> MujocoState:
        """Returns a snapshot of all worlds."""
        return MujocoState(
            self._states.steps.copy(),
            self._digest(),
            self._states.state.copy(),
            self._physics.get_state(),
            self._servos.effort.copy(),
            self._joints.get_state(),
            self._actuators.get_state(),
            self._mounts.get_state(),
            self._sensors.get_state(),
        )

    def set_state(self, state: MujocoState) -> None:
        """Restores a snapshot of this simulator, or of one with the same models.

        Raises:
            ValueError: The state belongs to other models or to another number of worlds; nothing
                was changed.
        """
        steps, models, integration, factors, effort, commands, actuators, mounts, sensors = state
        if integration.shape != self._states.state.shape:
            raise ValueError(
                f"the state has shape {integration.shape}, and these worlds have shape "
                f"{self._states.state.shape}: it belongs to other models or to another number of "
                "worlds"
            )
        if models != self._digest():
            raise ValueError(
                "the state belongs to other models: links, joints, masses or collisions differ"
            )
        self._physics.check_state(factors)
        self._joints.check_state(commands)
        self._mounts.check_state(mounts)
        self._physics.set_state(factors)
        self._mounts.set_state(mounts)
        self._joints.set_state(commands, np.arange(self._states.worlds))
        self._actuators.set_state(actuators, np.arange(self._states.worlds))
        self._states.set(steps, integration, slice(None))
        self._servos.set(effort, slice(None))
        self._sensors.set_state(sensors)

    def _digest(self) -> bytes:
        """Returns a digest that is equal for models with compatible states."""
        model = self._states.model
        if self._digested is not model:
            self._digested, content = model, sha256()
            solid = model.geom_group == COLLISION_GROUP
            layout = self._states.compiled.layout
            for names in (layout.bodies, layout.joints, layout.actuators):
                content.update("\0".join(names).encode())
            for values in (
                model.geom_type[solid],
                model.geom_size[solid],
                model.geom_bodyid[solid],
            ):
                content.update(values.tobytes())
            for name in ("body_mass", "body_inertia", "body_ipos", "jnt_type", "jnt_axis"):
                content.update(getattr(model, name).tobytes())
            self._bytes = content.digest()
        return self._bytes

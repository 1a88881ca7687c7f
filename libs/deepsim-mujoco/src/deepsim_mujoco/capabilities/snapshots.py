# SPDX-License-Identifier: Apache-2.0
"""Going back to an instant of the embedded simulator."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.spec.builder import COLLISION_GROUP
from deepsim_mujoco.state.joints import Joints
from deepsim_mujoco.state.layout import Floats, numbers_of
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import CameraMount, PhysicsProperty

from .camera_mounts import SensorMounts
from .physics_factors import PhysicsFactors
from .sensors import MujocoSensors


class MujocoState(NamedTuple):
    """An instant of W worlds; it can be pickled."""

    steps: NDArray[np.int64]
    """(W,) physics steps since the last reset."""
    models: bytes
    """A digest of what the models are built of."""
    integration: Floats
    """(W, n) MuJoCo's own integration states, warm start included."""
    factors: Mapping[PhysicsProperty, NDArray[np.float64]]
    """(W, links) of the properties that are scaled."""
    effort: Floats
    """(W, servos) of the latest step."""
    commands: Mapping[str, Floats]
    """(W, axes) of the joints' commands that are not as described."""
    mounts: Mapping[tuple[str, int], CameraMount]
    """Of the cameras that are mounted other than described, by name and world."""
    sensors: Any
    """The latest measurements, of which some are those of the latest step."""


class MujocoSnapshots:
    """Saves and restores all that a state is made of; see `deepsim_sync.Snapshots`."""

    def __init__(
        self,
        states: WorldStates,
        joints: Joints,
        physics: PhysicsFactors,
        mounts: SensorMounts,
        sensors: MujocoSensors,
    ) -> None:
        self._states, self._joints = states, joints
        self._physics, self._mounts, self._sensors = physics, mounts, sensors
        self._digested: mujoco.MjModel | None = None

    def get_state(self) -> MujocoState:
        """Returns the present instant of all worlds."""
        return MujocoState(
            self._states.steps.copy(),
            self._digest(),
            self._states.state.copy(),
            self._physics.get_state(),
            self._states.effort.copy(),
            self._joints.get_state(),
            self._mounts.get_state(),
            self._sensors.get_state(),
        )

    def set_state(self, state: MujocoState) -> None:
        """Goes back to an instant, of this simulator or of one built alike.

        Raises:
            ValueError: The state belongs to other models or to another number of worlds; nothing
                was changed.
        """
        steps, models, integration, factors, effort, commands, mounts, sensors = state
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
        self._states.set(steps, integration, effort, slice(None))
        self._sensors.set_state(sensors)

    def _digest(self) -> bytes:
        """Returns bytes that are equal for models whose states fit each other."""
        model = self._states.model
        if self._digested is not model:
            self._digested, content = model, sha256()
            solid = model.geom_group == COLLISION_GROUP
            for addresses in (model.name_bodyadr, model.name_jntadr):
                content.update("\0".join(numbers_of(model, addresses)).encode())
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

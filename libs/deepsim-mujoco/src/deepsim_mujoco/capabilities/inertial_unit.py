# SPDX-License-Identifier: Apache-2.0
"""Inertial measurement units (IMUs)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from deepsim_math import quaternions
from deepsim_mujoco.spec.sensors import VELOCITY, BuiltSensor
from deepsim_mujoco.state.layout import Floats
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import Reading, WorldNumbers

_XYZW = np.array([1, 2, 3, 0])  # from MuJoCo's order of quaternions
_NO_TURN = np.array([0.0, 0.0, 0.0, 1.0])


class InertialUnit:
    """An inertial measurement unit in all worlds.

    Args:
        states: The states of the worlds.
        sensor: The sensor of the unit.
        address: Start of the outputs of each MuJoCo sensor, by name.
        latest: Function that returns the outputs of the latest step, (W, n), with accelerations in
            the place of velocities; see `Accelerations`.
    """

    def __init__(
        self,
        states: WorldStates,
        sensor: BuiltSensor,
        address: Mapping[str, int],
        latest: Callable[[], Floats],
    ) -> None:
        self._states, self._latest = states, latest
        self._turn = address[sensor.output("orientation")] + _XYZW
        self._spin = address[sensor.output("angular_velocity")] + np.arange(3)
        self._acceleration = address[sensor.output(VELOCITY)] + np.arange(3)

    def read(self) -> Reading:
        """Returns the quantities, (W, ...)."""
        latest = self._latest()
        self._states.derive(velocities=True)
        present: Floats = self._states.batch.bind("sensordata")
        return {
            "orientation": present.take(self._turn, axis=1),
            "angular_velocity": present.take(self._spin, axis=1) + 0.0,  # never -0.0
            "linear_acceleration": latest.take(self._acceleration, axis=1),
        }


class Velocity(NamedTuple):
    """Places among the outputs of MuJoCo's sensors of a velocity, whose change is measured."""

    velocity: int
    """First of the three components in the world frame."""
    turn: int
    """First of the quaternion of the frame in which the acceleration is; -1 for the world frame."""
    out: int
    """First of the three outputs that the acceleration replaces."""
    has_weight: bool = True
    """Whether gravity counts as an acceleration."""


class Accelerations:
    """The accelerations of n sensors: the changes of their velocities in a step.

    MuJoCo's accelerometer measures something else if the damping of servos is solved for the
    velocity after the step, and nothing on bodies that cannot move.
    """

    def __init__(self, states: WorldStates, measured: Sequence[Velocity]) -> None:
        self._states = states
        velocity, turn, out, weight = np.array(measured, dtype=np.intp).T
        self._velocity = velocity[:, None] + np.arange(3)
        self._out = out[:, None] + np.arange(3)
        self._turn = np.maximum(turn, 0)[:, None] + _XYZW
        self._is_turned = (turn >= 0)[:, None]
        self._weight = weight[:, None] * states.model.opt.gravity

    def measure(self, outputs: Floats, worlds: WorldNumbers | None) -> None:
        """Replaces outputs of the latest step by accelerations, with weight by specific forces.

        These are in the axes of the sensor after the step, which are those of its orientation.

        Args:
            outputs: Outputs of MuJoCo's sensors in the latest step, (w, n).
            worlds: Numbers of the w worlds; None for all.
        """
        states = self._states
        states.derive(velocities=True)
        present: Floats = states.batch.bind("sensordata")
        if worlds is not None:
            present = present[worlds]
        change = present.take(self._velocity, axis=1) - outputs.take(self._velocity, axis=1)
        turn = np.where(self._is_turned, present.take(self._turn, axis=1), _NO_TURN)
        force = quaternions.inverse_rotate(turn, change / states.timestep - self._weight)
        outputs[:, self._out] = force + 0.0  # never -0.0

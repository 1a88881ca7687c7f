# SPDX-License-Identifier: Apache-2.0
"""Inertial measurement units (IMUs)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from deepsim_math import quaternions
from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.spec.sensors import IN_FREE_STATE, BuiltSensor
from deepsim_mujoco.state.bodies import Bodies
from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import Reading

_XYZW = np.array([1, 2, 3, 0])  # from MuJoCo's order of quaternions
_ZERO = np.zeros(())  # an array, which NumPy adds in half the time of a number
_NO_OFFSET = ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),)


class InertialUnit:
    """An inertial measurement unit in all worlds.

    For a body with a free joint, the orientation and the velocity are part of the state. For other
    bodies MuJoCo derives them, which takes longer.

    Args:
        states: The states of the worlds.
        sensor: The sensor of the unit.
        address: Start of the outputs of each MuJoCo sensor, by name.
        latest: Function that returns the outputs of the latest step, (W, n).
    """

    def __init__(
        self,
        states: WorldStates,
        sensor: BuiltSensor,
        address: Mapping[str, int],
        latest: Callable[[], Floats],
    ) -> None:
        self._states, self._latest, model = states, latest, states.model
        self._acceleration = address[sensor.output("linear_acceleration")]
        site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, sensor.site)
        body = Bodies(states.compiled.layout, states.starts, [model.site_bodyid[site]], _NO_OFFSET)
        self._free: Rows | None = None
        if len(body.free):
            self._free = np.concatenate([body.at[3:7, 0], body.at[10:, 0]])
        else:
            self._turn, self._spin = (address[sensor.output(what)] for what in IN_FREE_STATE)
        mount: Floats = model.site_quat[site][_XYZW]
        self._mount = None if mount[3] == 1.0 else mount

    def read(self) -> Reading:
        """Returns the quantities, (W, ...)."""
        latest = self._latest()
        if self._free is None:
            self._states.derive(velocities=True)
            present: Floats = self._states.batch.bind("sensordata")
            orientation = present[:, self._turn : self._turn + 4].take(_XYZW, axis=1)
            spin = present[:, self._spin : self._spin + 3] + 0.0
        else:
            numbers = self._states.state.take(self._free, axis=1)
            numbers += _ZERO  # never -0.0
            orientation, spin = numbers[:, :4], numbers[:, 4:]
            if self._mount is not None:
                orientation = quaternions.multiply(orientation, self._mount)
                spin = quaternions.rotate(quaternions.conjugate(self._mount), spin)
        start = self._acceleration
        return {
            "orientation": orientation,
            "angular_velocity": spin,
            "linear_acceleration": latest[:, start : start + 3] + _ZERO,
        }

# SPDX-License-Identifier: Apache-2.0
"""Inertial measurement units (IMUs)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from deepsim_math import quaternions
from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.spec.sensors import BuiltSensor
from deepsim_mujoco.state.bodies import Bodies
from deepsim_mujoco.state.layout import Floats
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import Reading

_XYZW = np.array([1, 2, 3, 0])  # from MuJoCo's order of quaternions
_NO_OFFSET = ((0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),)


class InertialUnit:
    """An inertial measurement unit in all worlds.

    For a body with a free joint, the orientation and the velocity are part of the state. For other
    bodies MuJoCo derives them, which takes longer.

    Args:
        states: The states of the worlds.
        sensor: The sensor of the unit.
        address: Start of the outputs of each MuJoCo sensor, by name.
    """

    def __init__(
        self, states: WorldStates, sensor: BuiltSensor, address: Mapping[str, int]
    ) -> None:
        self._states, model = states, states.model
        self._turn, self._spin, self._acceleration = (
            address[sensor.output(what)]
            for what in ("orientation", "angular_velocity", "linear_acceleration")
        )
        site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, sensor.site)
        body = Bodies(model, states.starts, [model.site_bodyid[site]], _NO_OFFSET)
        self._free = np.concatenate([body.at[3:7, 0], body.at[10:, 0]]) if len(body.free) else None
        mount: Floats = model.site_quat[site][_XYZW]
        self._mount = None if mount[3] == 1.0 else mount

    def read(self, present: Floats, latest: Floats) -> Reading:
        """Returns the quantities, (W, ...).

        Args:
            present: Outputs of MuJoCo's sensors that `WorldStates.derive` updates, (W, n).
            latest: Outputs of the latest step, (W, n).
        """
        if self._free is None:
            self._states.derive(velocities=True)
            orientation = present[:, self._turn : self._turn + 4].take(_XYZW, axis=1)
            spin = present[:, self._spin : self._spin + 3] + 0.0
        else:
            numbers = self._states.state.take(self._free, axis=1)
            numbers += 0.0  # never -0.0
            orientation, spin = numbers[:, :4], numbers[:, 4:]
            if self._mount is not None:
                orientation = quaternions.multiply(orientation, self._mount)
                spin = quaternions.rotate(quaternions.conjugate(self._mount), spin)
        start = self._acceleration
        return {
            "orientation": orientation,
            "angular_velocity": spin,
            "linear_acceleration": latest[:, start : start + 3] + 0.0,
        }

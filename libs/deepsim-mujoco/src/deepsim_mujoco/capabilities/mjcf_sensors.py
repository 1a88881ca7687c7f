# SPDX-License-Identifier: Apache-2.0
"""The sensors of MJCF models, whose values are those of MuJoCo's sensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.spec.mjcf_sensors import MjcfSensor
from deepsim_mujoco.state.layout import Floats
from deepsim_mujoco.state.servos import Servos
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import Reading, WorldNumbers

_TACTILE = int(mujoco.mjtSensor.mjSENS_TACTILE)
_ACCELERATIONS = int(mujoco.mjtStage.mjSTAGE_ACC)


class MjcfValue:
    """The value of a sensor of an MJCF model in all worlds.

    Args:
        states: The states of the worlds.
        sensor: The sensor.
        latest: Function that returns the outputs of the latest step, (W, n).
    """

    def __init__(
        self, states: WorldStates, sensor: MjcfSensor, latest: Callable[[], Floats]
    ) -> None:
        self._states, self._sensor, self._latest = states, sensor, latest
        first, size = outputs_of(states.model, sensor)
        self._at = np.arange(first, first + size)
        self._is_of_step = is_of_step(states.model, sensor)
        if not self._is_of_step:
            self._present = states.batch.bind("sensordata")
            states.derive_sensors(limits=sensor.is_of_limits)

    def read(self) -> Reading:
        """Returns the value, (W, size)."""
        if self._is_of_step:
            outputs = self._latest()
        else:
            self._states.derive(velocities=True)
            outputs = self._present
        value = outputs.take(self._at, axis=1) * self._sensor.factor + 0.0  # never -0.0
        cutoff = self._sensor.cutoff
        return {"value": np.clip(value, -cutoff, cutoff) if cutoff < np.inf else value}


class ServoEfforts:
    """Completes the efforts that MuJoCo measures by those of servos in the step that was taken.

    Args:
        states: The states of the worlds.
        servos: The servos.
        sensors: The sensors of efforts.
    """

    def __init__(self, states: WorldStates, servos: Servos, sensors: Sequence[MjcfSensor]) -> None:
        self._servos = servos
        rows, layout = states.compiled.entities.joints, states.compiled.layout
        self._at = [outputs_of(states.model, each)[0] for each in sensors]
        self._rows = rows.rows([each.servo for each in sensors])
        self._numbers = [layout.actuators[each.servo] for each in sensors]

    def complete(self, outputs: Floats, worlds: WorldNumbers | None) -> None:
        """Completes the outputs (w, n) of MuJoCo's sensors in the latest step of some worlds."""
        some = slice(None) if worlds is None else worlds
        effort, first = self._servos.effort[some], self._servos.force[some]
        outputs[:, self._at] += effort[:, self._rows] - first[:, self._numbers]


def is_of_step(model: mujoco.MjModel, sensor: MjcfSensor) -> bool:
    """Returns whether a sensor measures accelerations, forces or contacts, which are of a step."""
    own = model.sensor(sensor.output)
    return bool(own.needstage[0] == _ACCELERATIONS or own.type[0] == _TACTILE)


def outputs_of(model: mujoco.MjModel, sensor: MjcfSensor) -> tuple[int, int]:
    """Returns the first of a sensor's outputs, and their number."""
    own = model.sensor(sensor.output)
    return int(own.adr[0]), int(own.dim[0])


def replaced_outputs(model: mujoco.MjModel, sensor: MjcfSensor) -> range:
    """Returns the places of the outputs of a sensor that MuJoCo alone does not measure."""
    if not (sensor.velocity or sensor.site or sensor.servo):
        return range(0)
    first, size = outputs_of(model, sensor)
    return range(first, first + size)

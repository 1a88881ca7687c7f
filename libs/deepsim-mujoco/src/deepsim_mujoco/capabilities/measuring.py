# SPDX-License-Identifier: Apache-2.0
"""The quantities of IMUs, force-torque sensors, and the sensors of MJCF models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from deepsim_math import quaternions
from deepsim_mujoco.imports import mujoco
from deepsim_mujoco.spec.mjcf_sensors import MjcfSensor
from deepsim_mujoco.spec.sensors import VELOCITY, BuiltSensor
from deepsim_mujoco.state.bodies import cross
from deepsim_mujoco.state.layout import Floats
from deepsim_mujoco.state.servos import Servos
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_sync import Reading, WorldNumbers

_XYZW = np.array([1, 2, 3, 0])  # from MuJoCo's order of quaternions
_NO_TURN = np.array([0.0, 0.0, 0.0, 1.0])
_TACTILE = int(mujoco.mjtSensor.mjSENS_TACTILE)
_ACCELERATIONS = int(mujoco.mjtStage.mjSTAGE_ACC)


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


class ForceTorqueSensor:
    """The force and the torque of a joint on its child, in the step that was taken.

    MuJoCo evaluates them with accelerations that count the damping of joints and servos as at the
    beginning of the step. Forces are linear in accelerations, so a sensor lacks the sum of
    ``inertia * motion * d`` over the degrees of freedom, where d is the difference between the
    accelerations of the step and MuJoCo's, and the inertia is that of all bodies beyond the sensor
    which the degree of freedom moves (Featherstone, Rigid Body Dynamics Algorithms, 2008).

    Args:
        states: The states of the worlds.
        site: Name of the sensor's site.
        force: First of the outputs of the force among those of MuJoCo's sensors; None for none.
        torque: The same for the torque.
    """

    def __init__(
        self, states: WorldStates, site: str, force: int | None, torque: int | None
    ) -> None:
        model = states.model
        self._force, self._torque = force, torque
        self._site = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_SITE, site)
        body = int(model.site_bodyid[self._site])
        self._root = int(model.body_rootid[body])
        moved = {  # the body that each degree of freedom moves, with all bodies below
            dof: body if _is_below(model, body, owner) else owner
            for dof, owner in enumerate(model.dof_bodyid.tolist())
            if _is_below(model, body, owner) or _is_below(model, owner, body)
        }
        self._dofs, self._moved = np.array([*moved.items()], dtype=np.intp).reshape(-1, 2).T
        names = ("cdof", "crb", "subtree_com", "site_xpos", "site_xmat")
        self._fields: list[Floats] = [states.batch.bind(name) for name in names]

    def correct(self, outputs: Floats, difference: Floats, worlds: WorldNumbers | None) -> None:
        """Completes the outputs of MuJoCo's sensors in the step that some worlds have just taken.

        Args:
            outputs: The outputs, (w, n).
            difference: Accelerations of the step minus MuJoCo's, (w, degrees of freedom).
            worlds: Numbers of the w worlds; None for all.
        """
        if not len(self._dofs):
            return
        some = slice(None) if worlds is None else worlds
        motion, inertia, centre, place, turn = (field[some] for field in self._fields)
        # Vectors have components along the first axis, and worlds along the last.
        moved = (motion.take(self._dofs, axis=1) * difference.take(self._dofs, axis=1)[..., None]).T
        angular, linear = moved[:3], moved[3:]
        matrix, offset, mass = np.split(inertia.take(self._moved, axis=1).T, (6, 9))
        (xx, yy, zz, xy, xz, yz), (x, y, z) = matrix, angular
        spin = np.stack(
            [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z]
        )
        force = _total(mass * linear - cross(offset, angular))
        torque = _total(spin + cross(offset, linear))
        arm = (place[:, self._site] - centre[:, self._root]).T
        torque -= cross(arm, force)
        axes = turn[:, self._site].T.reshape(3, 3, -1)
        for vector, at in ((force, self._force), (torque, self._torque)):
            if at is not None:
                local = axes[0] * vector[0] + axes[1] * vector[1] + axes[2] * vector[2]
                outputs[:, at : at + 3] += local.T


def _total(vectors: Floats) -> Floats:
    """Returns sums over the second axis, whose last bits do not depend on the number of worlds."""
    total: Floats = np.add.accumulate(vectors, axis=1)[:, -1]
    return total


def _is_below(model: mujoco.MjModel, body: int, other: int) -> bool:
    """Returns whether a body is another one or hangs from it."""
    while body > other:
        body = int(model.body_parentid[body])
    return body == other


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

# SPDX-License-Identifier: Apache-2.0
"""Inertial units, force-torque and contact sensors, lidars and cameras in all worlds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from deepsim_mujoco.imports import BatchError, mujoco
from deepsim_mujoco.spec.builder import Built
from deepsim_mujoco.spec.mjcf_sensors import MjcfSensor
from deepsim_mujoco.spec.sensors import VELOCITY, BuiltSensor, joints_of
from deepsim_mujoco.state.compiled import Compiled
from deepsim_mujoco.state.joints import Joints
from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_mujoco.state.servos import Servos
from deepsim_mujoco.state.single_world import SingleWorld
from deepsim_mujoco.state.world_states import WorldStates
from deepsim_spawn import (
    ContactSensor,
    ForceTorque,
    Imu,
    JointState,
    Lidar,
    SensorDescription,
)
from deepsim_sync import (
    QUANTITIES,
    Reading,
    SensorInfo,
    SensorKind,
    UnknownEntityError,
    WorldNumbers,
)

from .contact_sensors import ContactRecorder
from .lidar import LidarScanner
from .measuring import (
    Accelerations,
    ForceTorqueSensor,
    InertialUnit,
    MjcfValue,
    ServoEfforts,
    Velocity,
    is_of_step,
    replaced_outputs,
)
from .pictures import Pictures

_NO_SENSORS = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
_RK4 = mujoco.mjtIntegrator.mjINT_RK4  # MuJoCo keeps no quantities of the beginning of its steps


class MujocoSensors:
    """All sensors in all worlds; see `deepsim_sync.Sensors`.

    MuJoCo does not evaluate its own sensors until one of them is watched.
    """

    def __init__(
        self,
        states: WorldStates,
        single: SingleWorld,
        pictures: Pictures,
        joints: Joints,
        servos: Servos,
    ) -> None:
        self._states, self._pictures, self._single = states, pictures, single
        self._joints, self._servos = joints, servos
        self._contacts = ContactRecorder(states.worlds)
        self._has_contacts = False  # whether there is a contact sensor
        self._built: Mapping[str, BuiltSensor] = {}
        self._mjcf: Mapping[str, MjcfSensor] = {}
        self._watched: dict[str, None] = {}  # watched sensors that are not cameras
        self._readers: dict[str, Callable[[], Reading]] = {}
        self._none = np.zeros(states.worlds, dtype=np.bool_)
        self.infos: dict[str, SensorInfo] = {}

    def follow(self, compiled: Compiled) -> None:
        """Adopts a newly compiled model; the next readings measure the present state."""
        states, model = self._states, compiled.model
        self._built, self._cameras = compiled.sensors, compiled.cameras
        self._mjcf = compiled.mjcf_sensors
        self.infos = {
            name: _info(name, each.description, one)
            for one in compiled.built
            for name, each in one.sensors.items()
        }
        for name, sensor in self._mjcf.items():
            self.infos[name] = SensorInfo("value", sensor.update_rate, sensor.delay)
        for name, camera in self._cameras.items():
            self.infos[name] = _camera_info(camera.description)
        numbers = compiled.layout.sensors
        self._address = {name: int(model.sensor_adr[number]) for name, number in numbers.items()}
        contacts = {name: each for name, each in self._built.items() if each.parts}
        if contacts or self._has_contacts:
            self._contacts.follow(contacts, self._address, model.nsensordata, states.timestep)
        self._has_contacts = bool(contacts)
        # All outputs of MuJoCo's sensors, (W, n), and whether a world has none since its reset,
        # (W,); both arrays are replaced and never changed.
        self._data: Floats = np.zeros((states.worlds, model.nsensordata))
        self._stale = np.ones(states.worlds, dtype=np.bool_)
        self._stale_version = -1
        # Outputs that need the step to be right, of sensors that were not watched in the latest.
        self._unmeasured: list[int] = []
        self._watched = {name: None for name in self._watched if name in self.infos}
        self._readers = {
            name: self._reader(name)
            for name in self.infos
            if name in self._watched or name in self._readers
        }
        states.measure = None
        self._arm()

    def watch(self, name: str) -> None:
        """Starts measuring with a sensor."""
        if name in self._readers:
            return
        if name not in self.infos:
            raise UnknownEntityError("sensor", name, self.infos)
        if name in self._built:
            self._watched[name] = None
            self._arm()
            self._unmeasured += self._replaced(self._built[name])
        elif name in self._mjcf and is_of_step(self._states.model, self._mjcf[name]):
            self._watched[name] = None
            self._arm()
            self._unmeasured += replaced_outputs(self._states.model, self._mjcf[name])
        self._readers[name] = self._reader(name)

    def _arm(self) -> None:
        """Makes MuJoCo evaluate its own sensors if one of them is watched."""
        states, address = self._states, self._address
        of_mujoco = [
            sensor
            for sensor in (self._built[name] for name in self._watched if name in self._built)
            if not isinstance(sensor.description.measurement, _WITHOUT_MUJOCOS)
        ]
        of_mjcf = [self._mjcf[name] for name in self._watched if name in self._mjcf]
        if not (of_mujoco or of_mjcf):
            return
        if states.measure is None:
            states.batch.expand("opt.disableflags")[:] &= ~_NO_SENSORS
            self._now: Floats = states.batch.bind("sensordata")
            states.measure = self._step
        kinds = [(sensor, type(sensor.description.measurement)) for sensor in of_mujoco]
        self._records = any(kind is ContactSensor for _, kind in kinds)
        moving = [_velocity_of_unit(sensor, address) for sensor, kind in kinds if kind is Imu]
        moving += [_velocity(sensor, address) for sensor in of_mjcf if sensor.velocity]
        self._accelerations = Accelerations(states, moving) if moving else None
        forces = [_wrench(sensor, address) for sensor, kind in kinds if kind is ForceTorque]
        forces += [_force_or_torque(states.model, sensor) for sensor in of_mjcf if sensor.site]
        if states.model.opt.integrator == _RK4:
            forces = []
        self._forces = [ForceTorqueSensor(states, *each) for each in forces]
        if self._forces:
            self._found = states.batch.bind("qacc")
        of_servos = [sensor for sensor in of_mjcf if sensor.servo]
        self._efforts = ServoEfforts(states, self._servos, of_servos) if of_servos else None

    def _step(self, n: int, chosen: WorldNumbers | None) -> None:
        """Advances some worlds and records the outputs of their sensors."""
        record, latest = self._advance(n, chosen, ("sensordata",) if self._records else ())
        if record is not None:
            self._contacts.add(record, chosen)
        if chosen is None:
            self._data, self._stale, self._unmeasured = latest, self._none, []
        else:
            self._replace(latest, chosen)
            self._stale = self._stale.copy()
            self._stale[chosen] = False

    def _advance(
        self, n: int, chosen: WorldNumbers | None, record: tuple[str, ...]
    ) -> tuple[Floats | None, Floats]:
        """Advances some worlds.

        Returns:
            The outputs of all sensors after each step, (w, steps, outputs), if they are recorded,
            and those of the latest step, (w, outputs).
        """
        states, some = self._states, slice(None) if chosen is None else chosen
        if self._forces:
            velocity: Floats = states.batch.bind("qvel")
            before = velocity[some].copy()
            if n > 1:
                record = *record, "qvel"
        found = self._servos.step(n, chosen, record)
        outputs = found.get("sensordata")
        latest = self._now[some].copy() if outputs is None else outputs[:, -1]
        if self._forces:
            if n > 1:
                before = found["qvel"][:, -2]
            change = (velocity[some] - before) / states.timestep - self._found[some]
            for sensor in self._forces:
                sensor.correct(latest, change, chosen)
        if self._accelerations is not None:
            self._accelerations.measure(latest, chosen)
        if self._efforts is not None:
            self._efforts.complete(latest, chosen)
        return outputs, latest

    def _replace(self, outputs: Floats, worlds: Rows) -> None:
        """Replaces the outputs of MuJoCo's sensors in some worlds."""
        self._data = self._data.copy()
        self._data[worlds] = outputs

    def read(self, name: str) -> Reading:
        """Returns the present measurement of a sensor, in all worlds."""
        reader = self._readers.get(name)
        if reader is None:
            self.watch(name)
            reader = self._readers[name]
        return reader()

    def read_together(self, names: Sequence[str]) -> Reading:
        """Returns the present measurements of several contact sensors, (W, n, ...)."""
        self._latest()
        return self._contacts.read(tuple(names))

    def _reader(self, name: str) -> Callable[[], Reading]:
        """Returns a function that measures with a sensor."""
        if name in self._mjcf:
            return MjcfValue(self._states, self._mjcf[name], self._latest).read
        if name not in self._built:
            return partial(self._pictures.read, name, QUANTITIES[self.infos[name].kind])
        sensor = self._built[name]
        measured = sensor.description.measurement
        if isinstance(measured, Lidar):
            return LidarScanner(self._single, sensor, measured).read
        if isinstance(measured, JointState):
            return partial(self._joints.measure, self.infos[name].joints)
        if isinstance(measured, ContactSensor):
            return partial(self._touch, name)
        if isinstance(measured, ForceTorque):
            return partial(self._wrench, sensor)
        return InertialUnit(self._states, sensor, self._address, self._latest).read

    def _touch(self, name: str) -> Reading:
        self._latest()
        return self._contacts.read(name)

    def _wrench(self, sensor: BuiltSensor) -> Reading:
        outputs, three = self._latest(), np.arange(3)
        return {
            what: outputs.take(self._address[sensor.output(what)] + three, axis=1) + 0.0  # not -0.0
            for what in QUANTITIES["force_torque"]
        }

    def _latest(self) -> Floats:
        """Returns the latest outputs of MuJoCo's sensors, (W, n), with those of the step replaced.

        Measures in worlds that have not stepped since a reset or since the first `watch`.
        """
        if self._unmeasured:
            some, self._unmeasured = self._unmeasured, []
            self._stale_version = -1
            if not self._stale.all():
                outputs = self._data.copy()
                outputs[:, some] = self._attempt(np.arange(self._states.worlds))[:, some]
                self._data = outputs
        if self._stale is not self._none and self._stale_version != self._states.version:
            worlds: Rows = np.flatnonzero(self._stale)
            self._replace(self._attempt(worlds), worlds)
            if self._has_contacts:
                self._contacts.begin(self._data[worlds], worlds)
            self._stale_version = self._states.version
        return self._data

    def _attempt(self, worlds: Rows) -> Floats:
        """Returns the outputs of a step of some worlds that is taken back, (w, n)."""
        states, servos = self._states, self._servos
        effort, force = servos.effort.copy(), servos.force[worlds]
        before, warned = states.state[worlds], states.warnings[worlds]
        states.version += 1
        try:
            _, outputs = self._advance(1, worlds, ())
        except BatchError:  # of diverged worlds
            outputs = np.full((len(worlds), self._data.shape[1]), np.nan)
        states.state[worlds], states.warnings[worlds] = before, warned
        servos.set(effort, slice(None))
        servos.force[worlds] = force
        states.version += 1
        return outputs

    def _replaced(self, sensor: BuiltSensor) -> list[int]:
        """Returns the places of a sensor's outputs that MuJoCo alone does not measure."""
        measured = sensor.description.measurement
        what: tuple[str, ...] = ()
        if isinstance(measured, Imu):
            what = (VELOCITY,)
        elif isinstance(measured, ForceTorque):
            what = ("force", "torque")
        starts = [self._address[sensor.output(each)] for each in what]
        return [start + place for start in starts for place in range(3)]

    def reset(self, worlds: WorldNumbers | None) -> None:
        """Discards the measurements of some worlds."""
        chosen = np.arange(self._states.worlds) if worlds is None else worlds
        self._stale = self._stale.copy()
        self._stale[chosen] = True
        self._stale_version = -1
        self._contacts.reset(chosen)

    def get_state(self) -> Any:
        """Returns the names of the watched sensors and the latest measurements, for `set_state`."""
        layout = *self._built, *self._mjcf
        data = self._data, self._stale, self._contacts.get_state()
        return layout, tuple(self._watched), data

    def set_state(self, state: Any) -> None:
        """Restores a state; if its sensors differ, all sensors are reset."""
        layout, watched, (data, stale, contacts) = state
        if layout != (*self._built, *self._mjcf):
            self.reset(None)
            return
        for name in watched:
            self.watch(name)
        self._data, self._stale = data, stale if stale.any() else self._none
        self._stale_version = -1
        self._contacts.set_state(contacts)


_CAMERAS: dict[str, SensorKind] = {
    "camera": "camera",
    "multicamera": "stereo",
    "segmentation_camera": "segmentation",
}
"""Kinds of cameras by their types in files; other types also measure depths."""


def _camera_info(sensor: SensorDescription) -> SensorInfo:
    kind = _CAMERAS.get(sensor.type, "rgbd")
    lens, timing = sensor.camera, (sensor.update_rate, sensor.delay)
    if lens is None or not lens.noise or "rgb" not in QUANTITIES[kind]:
        return SensorInfo(kind, *timing)
    return SensorInfo(kind, *timing, {"rgb": lens.noise}, limits=(0.0, 1.0))


_WITHOUT_MUJOCOS = (Lidar, JointState)
"""Sensors that do not need MuJoCo's own sensors."""


def _velocity_of_unit(unit: BuiltSensor, address: Mapping[str, int]) -> Velocity:
    own = address[unit.output(VELOCITY)]
    return Velocity(own, address[unit.output("orientation")], own)


def _velocity(sensor: MjcfSensor, address: Mapping[str, int]) -> Velocity:
    turn = address[sensor.turn] if sensor.turn else -1
    return Velocity(address[sensor.velocity], turn, address[sensor.output], sensor.has_weight)


_Wrench: TypeAlias = tuple[str, int | None, int | None]
"""Site of a sensor, and the first of the outputs of its force and its torque."""


def _wrench(sensor: BuiltSensor, address: Mapping[str, int]) -> _Wrench:
    return sensor.site, address[sensor.output("force")], address[sensor.output("torque")]


def _force_or_torque(model: mujoco.MjModel, sensor: MjcfSensor) -> _Wrench:
    own = model.sensor(sensor.output)
    start, is_force = int(own.adr[0]), own.type[0] == int(mujoco.mjtSensor.mjSENS_FORCE)
    return sensor.site, start if is_force else None, None if is_force else start


def _info(name: str, sensor: SensorDescription, built: Built) -> SensorInfo:
    measured = sensor.measurement
    timing = sensor.update_rate, sensor.delay
    if isinstance(measured, Imu):
        names = ("angular_velocity", "linear_acceleration")
        noise = {name: getattr(measured, name) for name in names}
        return SensorInfo("imu", *timing, noise)
    if isinstance(measured, ForceTorque):
        noise = {"force": measured.force, "torque": measured.torque}
        return SensorInfo("force_torque", *timing, noise)
    if isinstance(measured, Lidar):
        limits = measured.min_range, measured.max_range
        return SensorInfo("lidar", *timing, {"ranges": measured.noise}, limits)
    if isinstance(measured, JointState):
        columns = ("position", "velocity", "effort")
        noise = {column: getattr(measured, column) for column in columns}
        joints = tuple(joints_of(name, measured, built.axes))
        return SensorInfo("joint_state", *timing, noise, joints=joints)
    return SensorInfo("contact", *timing)

# SPDX-License-Identifier: Apache-2.0
"""Inertial units, force-torque and contact sensors, lidars, joint states and cameras."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from deepsim_gazebo.description import sensor_delays
from deepsim_gazebo.errors import MalformedReplyError
from deepsim_gazebo.protocol.exchange import ExchangeReply, ExchangeRequest
from deepsim_gazebo.protocol.layout import Rows
from deepsim_gazebo.protocol.sensors import SensorListing, SensorRow, list_sensors, watch
from deepsim_gazebo.session import Session
from deepsim_sync import QUANTITIES, Key, Reading, SensorInfo, Tables, UnknownEntityError

from .cameras import GazeboCameras

_ATTEMPTS = 8  # while another client keeps adding and removing models
_IMU = (4, 7)  # where quantities after the first begin
_FORCE_TORQUE = (3,)
_CONTACT = (1, 4, 7, 10, 11, 14, 15, 16, 17, 18)
_FLAGS = ("found", "first_contact")
_SINGLE = ("distance", "peak_force", "air_time", "last_air_time", "contact_time")


class GazeboSensors:
    """Sensors that the plugin measures at the end of a step; see `deepsim_sync.Sensors`.

    An acceleration is the change of the sensor's velocity in the latest physics step. Before the
    first step, an inertial unit measures the reaction to gravity if its model is supported, and
    zero otherwise; forces are 0. Sensors that were read since the last step are measured again with
    the next one, in the same round trip. Cameras are among the sensors if gzserver renders.

    Args:
        session: The session with the server.
        read_tables: `GazeboSimulator.read`.
        cameras: The cameras, or None if gzserver does not render.
        models: Descriptions of the models that this client spawned, by name; the server does not
            know the delays of their sensors.
        lock_step: Whether the world stands still between steps, so that measurements can be kept.
    """

    def __init__(
        self,
        session: Session,
        read_tables: Callable[[Tables, Collection[Key]], None],
        cameras: GazeboCameras | None,
        models: Mapping[str, object],
        *,
        lock_step: bool,
    ) -> None:
        self._lock_step = lock_step
        self._models = models
        self._session, self._read_tables, self._cameras = session, read_tables, cameras
        self._listing = SensorListing(-1, {}, {})
        self._infos: dict[str, SensorInfo] = {}
        self._watched: dict[str, None] = {}
        self._recent: dict[str, None] = {}  # read since the last step
        self._measured: dict[str, Rows] = {}

    @property
    def infos(self) -> Mapping[str, SensorInfo]:
        """All sensors by their names ``model::link::sensor``, cameras after the others."""
        self._follow()
        return self._infos

    def _follow(self) -> None:
        """Updates the list of sensors to the present generation of entities."""
        names = self._session.names
        for _ in range(_ATTEMPTS):
            present = names.present.entities
            if self._listing.generation == present.generation:
                return
            self._session.take_control()
            listing = list_sensors(self._session.client, present.joints)
            names.observe(listing.generation)
            if listing.generation == present.generation:
                self._listing = listing
                self._infos = {name: each.info for name, each in listing.sensors.items()}
                if self._cameras is not None:
                    self._infos.update((name, each.info) for name, each in listing.cameras.items())
                self._delay()
                self._recent = {name: None for name in self._recent if name in self._infos}
                self._measured = {}

    def _delay(self) -> None:
        """Adds the delays in the descriptions of models."""
        for model, description in self._models.items():
            for name, delay in sensor_delays(model, description).items():
                if name in self._infos:
                    self._infos[name] = replace(self._infos[name], delay=delay)

    def watch(self, name: str) -> None:
        """Starts a sensor, which measures from the next step on."""
        if name not in self.infos:
            raise UnknownEntityError("sensor", name, self.infos)
        if name in self._listing.sensors:
            watch(self._session.client, [name])
            self._watched[name] = None

    def restore(self) -> None:
        """Starts the sensors again that were started on a server before this one."""
        for name in self._watched:
            if name in self.infos:
                self.watch(name)

    def read(self, name: str) -> Reading:
        """Returns the present measurement of a sensor, (1, ...)."""
        infos = self.infos
        if name not in infos:
            raise UnknownEntityError("sensor", name, infos)
        info = infos[name]
        if name not in self._listing.sensors:
            assert self._cameras is not None
            return self._picture(self._cameras, name, info)
        if info.kind == "joint_state":
            return self._joint_state(info)
        self._recent[name] = None
        if not self._lock_step:
            self._measured = {}
        for _ in range(_ATTEMPTS):
            if name in self._measured:
                break
            rows = self.prefetched()
            self.keep(self._session.exchange(ExchangeRequest(sensors=rows)), rows)
            self._follow()
            if name not in self._listing.sensors:
                raise UnknownEntityError("sensor", name, self._infos)
        else:
            raise MalformedReplyError(f"the answers of exchange lack what {name} measures")
        return _reading(self._listing.sensors[name], self._measured[name])

    def _picture(self, cameras: GazeboCameras, name: str, info: SensorInfo) -> Reading:
        if info.kind == "rgbd":
            return cameras.rgbd(name)
        if info.kind == "stereo":
            return cameras.stereo(name, self._listing.cameras[name].baseline)
        if info.kind == "segmentation":
            return cameras.segmentation(name)
        return {"rgb": cameras.render(name)[None]}

    def prefetched(self) -> Sequence[int]:
        """Returns the rows of the sensors that were read since the last step."""
        return [self._listing.sensors[name].number for name in self._recent]

    def begin_step(self) -> None:
        """Forgets which sensors were read since the last step."""
        self._recent = {}

    def keep(self, reply: ExchangeReply, rows: Sequence[int]) -> None:
        """Keeps the measurements of some rows until `forget`."""
        self._measured = {}
        listed = self._listing
        if reply.instant.generation != listed.generation or not rows:
            return
        by_number = {each.number: name for name, each in listed.sensors.items()}
        names = [by_number[row] for row in rows]
        sizes = [listed.sensors[name].size for name in names]
        if len(reply.measured) != sum(sizes):
            raise MalformedReplyError(
                f"the answer of exchange has {len(reply.measured)} numbers for sensors of {sizes}"
            )
        self._measured = dict(zip(names, np.split(reply.measured, np.cumsum(sizes)[:-1])))

    def forget(self) -> None:
        """Drops measurements of earlier instants."""
        self._measured = {}

    def _joint_state(self, info: SensorInfo) -> Reading:
        tables = Tables(self._session.names.present.entities)
        columns = QUANTITIES["joint_state"]
        self._read_tables(tables, [("joints", column) for column in columns])
        rows = tables.entities.joints.rows(info.joints)
        return {column: tables.columns["joints", column][:, rows] for column in columns}


def _reading(sensor: SensorRow, numbers: Rows) -> Reading:
    """Returns the quantities of one measurement as new arrays (1, ...)."""
    kind = sensor.info.kind
    if kind == "lidar":
        return {"ranges": numbers.reshape(1, *sensor.shape).copy()}
    cuts = {"imu": _IMU, "force_torque": _FORCE_TORQUE, "contact": _CONTACT}[kind]
    reading = {
        what: values[None].copy() for what, values in zip(QUANTITIES[kind], np.split(numbers, cuts))
    }
    if kind == "contact":
        single = {what: reading[what][:, 0] for what in _SINGLE}
        flags = {what: reading[what][:, 0] != 0.0 for what in _FLAGS}
        reading.update({**single, **flags})
    return reading

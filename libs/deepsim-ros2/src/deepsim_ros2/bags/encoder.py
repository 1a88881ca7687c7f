# SPDX-License-Identifier: Apache-2.0
"""Writes frames of worlds as messages of ROS 2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from mcap.writer import Writer
from numpy.typing import NDArray
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2.metadata import dump_qos_v8

from deepsim_math import poses
from deepsim_ros2.geometry import WORLD
from deepsim_ros2.topics.layout import OPTICAL, Layout, own_name
from deepsim_ros2.topics.message_types import CDR, STORE
from deepsim_ros2.topics.sensors import (
    CAMERAS,
    Channel,
    Measurement,
    Mounted,
    sensor_topics,
)
from deepsim_spawn import ModelDescription
from deepsim_sync import SCOPE, CameraView, Entities, Key, Reading, Tables, World

_JOINTS: tuple[Key, ...] = (("joints", "velocity"), ("joints", "effort"))


class WorldFrame(Protocol):
    """One instant of a recording; `deepsim_viewer` reads them."""

    @property
    def entities(self) -> Entities:
        """The names of the rows."""

    @property
    def poses(self) -> NDArray[np.float64]:
        """Poses of the links, (w, L, 7)."""

    @property
    def joints(self) -> NDArray[np.float64]:
        """Positions of the joints, (w, J) [rad or m]."""


class BagEncoder:
    """Encodes the frames of a recorder as ROS 2 messages in CDR, with their schemas.

    ``ros2 bag``, Foxglove, rosbags and `Bag` read such a file. Each of several worlds has its
    topics and frames in the namespace ``world_w``, apart from ``/clock``, ``/tf`` and
    ``/tf_static``:

    - ``/clock``, ``/tf`` and ``/tf_static``, with all links in the world frame; stamps are the
      recorder's simulated time, which continues across resets;
    - ``joint_states`` of each robot, which is a model with joints or sensors;
    - ``robot_description`` of each robot, SDF, once for each set of entities;
    - the topics of each sensor at its own rate, at most that of the recorder.

    Topics and frames have the names that `deepsim_ros2.server.Ros2Server` gives them.

    Sensors are recorded as the engine measures them, without noise and delay: to draw noise would
    change the run that is recorded.

    Example::

        with WorldRecorder(world, "run.mcap", encoder=BagEncoder(world)):
            ...

    Args:
        world: The recorded world.
        sensors: Whether to record sensors; cameras are rendered for it.
    """

    def __init__(self, world: World, *, sensors: bool = True) -> None:
        self._world = world
        self._sensors = sensors
        self._entities: Entities | None = None
        self._tables: Tables
        self._layout = Layout()
        self._channels: dict[str, list[tuple[Mounted, Channel, str, str]]] = {}
        self._due: dict[str, int] = {}  # the earliest time of the next measurement [ns]
        self._fixed: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)

    def start(self, writer: Writer, metadata: Mapping[str, str]) -> None:
        """Writes the header of a ROS 2 bag, and the metadata."""
        writer.start("ros2", "deepsim-ros2")
        writer.add_metadata("deepsim", dict(metadata))
        self._topics = _Topics(writer)

    def write(self, frame: WorldFrame, time: int) -> None:
        """Writes the messages of a frame at a time [ns]."""
        if frame.entities is not self._entities:
            self._begin(frame, time)
        self._topics.add("clock", CDR.make("rosgraph_msgs/Clock", clock=CDR.stamp(time)), time)
        self._world.simulator.read(self._tables, _JOINTS)
        moving = np.flatnonzero(~self._fixed)
        for world, placed in enumerate(frame.poses):
            space = _namespace(world, len(frame.poses))
            self._put_transforms("tf", self._links(frame, placed, moving, space, time), time)
            self._put_joints(frame, world, space, time)
        if self._sensors:
            self._write_sensors(frame, time)

    def _put_joints(self, frame: WorldFrame, world: int, space: str, time: int) -> None:
        """Writes the joint states of each robot."""
        table = self._tables.joints
        for robot in self._layout.robots:
            names = frame.entities.joints.within(robot)
            if names:
                rows = frame.entities.joints.rows(names)
                state = CDR.make(
                    "sensor_msgs/JointState",
                    header=CDR.header(time, ""),
                    name=[own_name(name) for name in names],
                    position=frame.joints[world, rows],
                    velocity=table.velocity[world, rows],
                    effort=table.effort[world, rows],
                )
                self._topics.add(self._layout.topic(robot, "joint_states", space), state, time)

    def _begin(self, frame: WorldFrame, time: int) -> None:
        """Notes new entities; writes the frames that never move and the descriptions."""
        simulator = self._world.simulator
        self._entities, self._tables = frame.entities, Tables(frame.entities, simulator.worlds)
        infos = simulator.sensors.infos if simulator.sensors is not None else {}
        self._layout.update(frame.entities, infos)
        self._channels = {}
        for robot in self._layout.robots:
            model = simulator.descriptions.models.get(robot)
            for sensor, channel, topic in sensor_topics(
                infos, model, robot, self._layout, has_lenses=simulator.depth_cameras is not None
            ):
                exact = replace(sensor, info=replace(sensor.info, noise={}))
                self._channels.setdefault(exact.name, []).append((exact, channel, robot, topic))
        models: dict[str, ModelDescription] = {}
        for name, given in simulator.descriptions.models.items():
            look = (
                given
                if isinstance(given, ModelDescription)
                else simulator.descriptions.looks.get(name)
            )
            if isinstance(look, ModelDescription):
                models[name] = look
        static = {name for name, model in models.items() if model.static}
        self._fixed = np.array(
            [link.partition(SCOPE)[0] in static for link in frame.entities.links], dtype=np.bool_
        )
        for world, placed in enumerate(frame.poses):
            space = _namespace(world, len(frame.poses))
            still = self._links(frame, placed, np.flatnonzero(self._fixed), space, time)
            self._put_transforms("tf_static", [*still, *self._mounts(space, time)], time)
            for name in self._layout.robots:
                if name in models:
                    text = CDR.make("std_msgs/String", data=models[name].to_sdf())
                    where = self._layout.topic(name, "robot_description", space)
                    self._topics.add(where, text, time)

    def _frame(self, frame: str, space: str) -> str:
        return f"{space}/{frame}" if space else frame

    def _links(
        self,
        frame: WorldFrame,
        placed: NDArray[np.float64],
        rows: NDArray[np.intp],
        space: str,
        time: int,
    ) -> list[Any]:
        """Returns the poses of links in the frame of their world."""
        parent, links = self._frame(WORLD, space), frame.entities.links
        return [
            CDR.transform(
                time, parent, self._frame(self._layout.link_frame(links[row]), space), placed[row]
            )
            for row in rows
        ]

    def _mounts(self, space: str, time: int) -> list[Any]:
        """Returns the poses of sensors on their links."""
        mounted = [channels[0][0] for channels in self._channels.values()]
        return [
            CDR.transform(
                time,
                self._frame(each.link_frame, space),
                self._frame(each.frame, space),
                np.asarray(each.description.pose),
            )
            for each in mounted
            if each.description is not None and each.frame != each.link_frame
        ]

    def _put_transforms(self, name: str, found: list[Any], time: int) -> None:
        if found:
            self._topics.add(name, CDR.make("tf2_msgs/TFMessage", transforms=found), time)

    def _write_sensors(self, frame: WorldFrame, time: int) -> None:
        """Writes the measurements of all sensors that are due."""
        simulator = self._world.simulator
        if simulator.sensors is None:
            return
        for name, channels in self._channels.items():
            if time < self._due.get(name, 0):
                continue
            rate = channels[0][0].info.update_rate
            if rate > 0.0:
                period = 1e9 / rate
                self._due[name] = round((time // period + 1) * period) - 1000
            simulator.sensors.watch(name)
            reading = simulator.sensors.read(name)
            for world in range(len(frame.poses)):
                self._write_sensor(frame, name, reading, world, time)

    def _write_sensor(
        self, frame: WorldFrame, name: str, reading: Reading, world: int, time: int
    ) -> None:
        """Writes a measurement in one world, and the frame of pictures on the camera's link."""
        space, depths = _namespace(world, len(frame.poses)), self._world.simulator.depth_cameras
        sensor = self._channels[name][0][0]

        def link_pose() -> NDArray[np.float64]:
            pose: NDArray[np.float64] = frame.poses[world][frame.entities.links.row(sensor.link)]
            return pose

        def view() -> CameraView:
            assert depths is not None  # otherwise there is no topic of the lens
            return depths.view(name, world)

        prefix = f"{space}/" if space else ""
        at = Measurement(sensor, reading, world, time, view, link_pose, prefix)
        for _, channel, robot, topic in self._channels[name]:
            where = self._layout.topic(robot, topic, space)
            self._topics.add(where, channel.encode(CDR, at), time)
        if sensor.info.kind in CAMERAS and depths is not None:
            camera = poses.relative(link_pose(), np.asarray(view().pose, dtype=np.float64))
            optical = poses.compose(camera, OPTICAL)
            parent, child = (
                self._frame(each, space) for each in (sensor.link_frame, sensor.optical)
            )
            self._put_transforms("tf", [CDR.transform(time, parent, child, optical)], time)


def _namespace(world: int, worlds: int) -> str:
    """Returns the namespace of one of some worlds; empty for a single one."""
    return f"world_{world}" if worlds > 1 else ""


class _Topics:
    """The channels of a bag, which are registered with their first message."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}

    def add(self, name: str, found: Any, time: int) -> None:
        """Writes a message at a time [ns] on a topic, given without the slash before it."""
        name = f"/{name}"
        kind: str = found.__msgtype__
        if kind not in self._schemas:
            text, _ = STORE.generate_msgdef(kind, ros_version=2)
            self._schemas[kind] = self._writer.register_schema(kind, "ros2msg", text.encode())
        if name not in self._channels:
            qos = {
                "offered_qos_profiles": dump_qos_v8([_qos(name)]),
                "topic_type_hash": STORE.hash_rihs01(kind),
            }
            self._channels[name] = self._writer.register_channel(
                name, "cdr", self._schemas[kind], qos
            )
        data = bytes(STORE.serialize_cdr(found, kind, little_endian=True))
        self._writer.add_message(self._channels[name], time, data, time)


def _qos(name: str) -> Qos:
    """Returns the quality of service with which a player offers a topic."""
    latched = name == "/tf_static" or name.endswith("/robot_description")
    endless = QosTime(9223372036, 854775807)
    return Qos(
        QosHistory.KEEP_LAST,
        1 if latched else 10,
        QosReliability.RELIABLE,
        QosDurability.TRANSIENT_LOCAL if latched else QosDurability.VOLATILE,
        endless,
        endless,
        QosLiveliness.AUTOMATIC,
        endless,
        avoid_ros_namespace_conventions=False,
    )

# SPDX-License-Identifier: Apache-2.0
"""Writes frames of worlds as messages of ROS 2."""

from __future__ import annotations

from collections.abc import Mapping
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

from deepsim_spawn import ModelDescription, SensorDescription
from deepsim_sync import SCOPE, Entities, Key, Tables, World

from .cdr import STORE, header, message, stamp, transform
from .names import WORLD_FRAME, Naming, namespace
from .sensing import Measured, messages, optical_pose

_JOINTS: tuple[Key, ...] = (("joints", "velocity"), ("joints", "effort"))
_CAMERAS = ("camera", "rgbd", "stereo", "segmentation")


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
    - of each sensor at its own rate, at most that of the recorder: ``image_raw``,
      ``depth/image_raw``, ``labels/image_raw`` and ``camera_info``, ``scan`` or ``points``,
      ``imu``, ``wrench``, ``contact`` (the force in the world frame), ``measured_joint_states``,
      ``value``.

    The only robot has its topics at the root, such as ``/scan`` and ``/eye/image_raw``; each of
    several has its name before them, and before its frames.

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
        self._naming: Naming
        self._due: dict[str, int] = {}  # the earliest time of the next measurement [ns]
        self._fixed: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self._described: dict[str, SensorDescription] = {}

    def start(self, writer: Writer, metadata: Mapping[str, str]) -> None:
        """Writes the header of a ROS 2 bag, and the metadata."""
        writer.start("ros2", "deepsim-ros2")
        writer.add_metadata("deepsim", dict(metadata))
        self._topics = _Topics(writer)

    def write(self, frame: WorldFrame, time: int) -> None:
        """Writes the messages of a frame at a time [ns]."""
        if frame.entities is not self._entities:
            self._begin(frame, time)
        self._topics.add("/clock", message("rosgraph_msgs/Clock", clock=stamp(time)), time)
        self._world.simulator.read(self._tables, _JOINTS)
        for world, poses in enumerate(frame.poses):
            space = namespace(world, len(frame.poses))
            moving = np.flatnonzero(~self._fixed)
            self._put_transforms("/tf", frame.entities, poses, moving, space, time)
            self._put_joints(frame, world, space, time)
        if self._sensors:
            self._write_sensors(frame, time)

    def _put_joints(self, frame: WorldFrame, world: int, space: str, time: int) -> None:
        """Writes the joint states of each robot."""
        table = self._tables.joints
        for robot in self._naming.robots:
            names = frame.entities.joints.within(robot)
            if names:
                rows = frame.entities.joints.rows(names)
                state = message(
                    "sensor_msgs/JointState",
                    header=header(time, ""),
                    name=[name.partition(SCOPE)[2].replace(SCOPE, "/") for name in names],
                    position=frame.joints[world, rows],
                    velocity=table.velocity[world, rows],
                    effort=table.effort[world, rows],
                )
                self._topics.add(
                    self._naming.topic(robot, "joint_states", space=space), state, time
                )

    def _begin(self, frame: WorldFrame, time: int) -> None:
        """Notes new entities; writes the frames that never move and the descriptions."""
        simulator = self._world.simulator
        self._entities, self._tables = frame.entities, Tables(frame.entities, simulator.worlds)
        infos = simulator.sensors.infos if simulator.sensors is not None else {}
        kinds: dict[str, str] = {name: info.kind for name, info in infos.items()}
        self._naming = Naming(frame.entities, kinds)
        models: dict[str, ModelDescription] = {}
        for name, given in simulator.descriptions.models.items():
            shown = given if isinstance(given, ModelDescription) else None
            look = shown or simulator.descriptions.looks.get(name)
            if isinstance(look, ModelDescription):
                models[name] = look
        self._described = {
            SCOPE.join((model, link, sensor.name)): sensor
            for model, description in models.items()
            for link, each, _ in description.all_links()
            for sensor in each.sensors
        }
        static = {name for name, model in models.items() if model.static}
        self._fixed = np.array(
            [link.partition(SCOPE)[0] in static for link in frame.entities.links], dtype=np.bool_
        )
        for world, poses in enumerate(frame.poses):
            space = namespace(world, len(frame.poses))
            rows = np.flatnonzero(self._fixed)
            self._put_transforms("/tf_static", frame.entities, poses, rows, space, time)
            for name in self._naming.robots:
                if name in models:
                    text = message("std_msgs/String", data=models[name].to_sdf())
                    where = self._naming.topic(name, "robot_description", space=space)
                    self._topics.add(where, text, time)

    def _put_transforms(
        self,
        name: str,
        entities: Entities,
        poses: NDArray[np.float64],
        rows: NDArray[np.intp],
        space: str,
        time: int,
    ) -> None:
        """Writes the poses of links in the frame of their world, and the sensors on fixed frames.

        ``/tf_static`` has the frames of all sensors that stay on their links, too.
        """
        parent = f"{space}/{WORLD_FRAME}".lstrip("/")
        found = [
            transform(time, parent, self._naming.frame(entities.links[row], space), poses[row])
            for row in rows
        ]
        if name == "/tf_static":
            found += [
                transform(
                    time,
                    self._naming.frame(sensor.rpartition(SCOPE)[0], space),
                    self._naming.frame(sensor, space),
                    np.asarray(described.pose),
                )
                for sensor, described in self._described.items()
            ]
        if found:
            self._topics.add(name, message("tf2_msgs/TFMessage", transforms=found), time)

    def _write_sensors(self, frame: WorldFrame, time: int) -> None:
        """Writes the measurements of all sensors that are due."""
        simulator = self._world.simulator
        if simulator.sensors is None:
            return
        depths = simulator.depth_cameras
        for name, info in simulator.sensors.infos.items():
            if time < self._due.get(name, 0):
                continue
            if info.update_rate > 0.0:
                period = 1e9 / info.update_rate
                self._due[name] = round((time // period + 1) * period) - 1000
            simulator.sensors.watch(name)
            reading = simulator.sensors.read(name)
            for world, poses in enumerate(frame.poses):
                space = namespace(world, len(frame.poses))
                is_camera = info.kind in _CAMERAS and depths is not None
                view = depths.view(name, world) if is_camera and depths is not None else None
                optical = "_optical_frame" if view is not None else ""
                at = Measured(
                    name,
                    info,
                    self._described.get(name),
                    view,
                    time,
                    world,
                    self._naming.frame(name, space) + optical,
                    f"{space}/{WORLD_FRAME}".lstrip("/"),
                )
                for ending, found in messages(at, reading):
                    self._topics.add(self._naming.sensor_topic(name, ending, space), found, time)
                if view is not None:
                    self._put_optical(at, view, poses, frame.entities, space)

    def _put_optical(
        self,
        at: Measured,
        view: Any,
        poses: NDArray[np.float64],
        entities: Entities,
        space: str,
    ) -> None:
        """Writes the frame of a picture on its link, where the camera's mount is now."""
        link = at.name.rpartition(SCOPE)[0]
        pose = optical_pose(view, poses[entities.links.row(link)])
        child = transform(at.time, self._naming.frame(link, space), at.frame, pose)
        self._topics.add("/tf", message("tf2_msgs/TFMessage", transforms=[child]), at.time)


class _Topics:
    """The channels of a bag, which are registered with their first message."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}

    def add(self, name: str, found: Any, time: int) -> None:
        """Writes a message at a time [ns]."""
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

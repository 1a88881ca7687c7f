# SPDX-License-Identifier: Apache-2.0
"""The capability `Sensors` on topics: what the messages carry, at the present instant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.qos import qos_profile_sensor_data

from deepsim_ros2.topics.layout import Layout, namespace_of
from deepsim_ros2.topics.message_types import picture, ros_class
from deepsim_ros2.topics.sensors import channels_of, sensor_topics
from deepsim_spawn import (
    ContactSensor,
    ForceTorque,
    Imu,
    JointState,
    Lidar,
    ModelDescription,
    SensorDescription,
)
from deepsim_sync import (
    QUANTITIES,
    SCOPE,
    Names,
    Reading,
    SensorInfo,
    SensorKind,
    UnknownEntityError,
)

from .present import Present, Topic
from .services import Connection

_KINDS: Mapping[type[Any], SensorKind] = {
    ContactSensor: "contact",
    ForceTorque: "force_torque",
    Imu: "imu",
    JointState: "joint_state",
    Lidar: "lidar",
}
_CAMERAS: Mapping[str, SensorKind] = {
    "camera": "camera",
    "multicamera": "stereo",
    "segmentation_camera": "segmentation",
}
"""Kinds of cameras by their types in files; other types also measure depths."""
_OF_TYPES: Mapping[str, SensorKind] = {
    "geometry_msgs/msg/WrenchStamped": "force_torque",
    "sensor_msgs/msg/Imu": "imu",
    "sensor_msgs/msg/LaserScan": "lidar",
    "sensor_msgs/msg/PointCloud2": "lidar",
}
"""Kinds of sensors that are given by their topics alone."""
Found = Mapping[str, tuple[str, str]]
"""Topics and the types of their messages, by the quantity that they carry or by "all"."""


class RemoteSensors:
    """The sensors whose topics a server publishes.

    They are those of the models that the client described, and those whose topics it was given.
    Noise, if there is any, is in the messages. No message carries all quantities of contact
    sensors and rows of the client's tables, so that contact sensors and segmentation are not
    listed. A sensor with a delay has no measurement of the present, and is not listed either.

    Args:
        connection: The connection.
        present: The present instant.
        given: Topics by name of the sensor; of cameras, their namespaces.

    Attributes:
        infos: All sensors by name; a new object after each change.
    """

    def __init__(self, connection: Connection, present: Present, given: Mapping[str, str]) -> None:
        self._connection, self._present, self._given = connection, present, given
        self.infos: Mapping[str, SensorInfo] = {}
        self._found: dict[str, Found] = {}
        self._watched: dict[str, dict[str, Topic]] = {}

    def follow(self, described: Mapping[str, ModelDescription], joints: Names) -> None:
        """Lists the sensors of the present models, as far as their topics are published."""
        published = self._connection.topics()
        infos, self._found = {}, {}
        for name, info, topics in self._expected(described, joints, published):
            if all(published.get(topic) == kind for topic, kind in topics.values()):
                infos[name], self._found[name] = info, topics
        for name, topic in self._given.items():
            if name not in infos:
                kind = _OF_TYPES.get(published.get(topic, ""))
                if kind is not None:
                    infos[name] = SensorInfo(kind)
                    self._found[name] = {"all": (topic, published[topic])}
        for name in [*self._watched]:
            if name not in infos:
                self._stop(name)
        if infos != self.infos:
            self.infos = infos

    def are_published(self, described: Mapping[str, ModelDescription], joints: Names) -> bool:
        """Returns whether the topics of all sensors of some models are published."""
        published = self._connection.topics()
        return all(
            published.get(topic) == kind
            for _, _, topics in self._expected(described, joints, published)
            for topic, kind in topics.values()
        )

    def _expected(
        self, described: Mapping[str, ModelDescription], joints: Names, published: Mapping[str, str]
    ) -> Iterator[tuple[str, SensorInfo, Found]]:
        """Yields the sensors that messages can carry, with the topics that they should have."""
        root = self._connection.root
        for robot, model in described.items():
            infos = {name: _info(name, each, joints) for name, each in _sensors(robot, model)}
            known = {name: info for name, info in infos.items() if info is not None}
            own, layout = namespace_of(robot), Layout()
            is_apart = any(topic.startswith(f"{root}{own}/") for topic in published)
            layout.robots = {robot: own if is_apart else ""}
            topics: dict[str, dict[str, tuple[str, str]]] = {}
            for sensor, channel, below in sensor_topics(known, model, robot, layout):
                topic = root + layout.topic(robot, below)
                if sensor.name in self._given:
                    several = len(channels_of(sensor)) > 1
                    topic = self._given[sensor.name] + (f"/{channel.topic}" if several else "")
                if channel.topic != "camera_info":
                    kind = channel.type.replace("/", "/msg/")
                    quantity = CARRIED.get(channel.topic, "all")
                    topics.setdefault(sensor.name, {})[quantity] = topic, kind
            for name, found in topics.items():
                info = known[name]
                if info.kind in DECODERS and not info.delay:
                    yield name, info, found

    def watch(self, name: str) -> None:
        """Starts to hear a sensor, and waits until the server measures with it.

        Raises:
            UnreachableError: No measurement of this instant comes.
        """
        if name not in self.infos:
            raise UnknownEntityError("sensor", name, self.infos)
        if name not in self._watched:
            self._watched[name] = {
                quantity: Topic(
                    self._connection,
                    ros_class(kind.replace("/msg/", "/")),
                    topic,
                    qos_profile_sensor_data,
                )
                for quantity, (topic, kind) in self._found[name].items()
            }
            self._present.change()  # so that it is published again
            for topic in self._watched[name].values():
                self._present.message(topic)

    def read(self, name: str) -> Reading:
        """Returns the present measurement, which is waited for.

        Raises:
            UnreachableError: None of this instant comes.
        """
        self.watch(name)
        messages = {
            quantity: self._present.message(topic)
            for quantity, topic in self._watched[name].items()
        }
        info = self.infos[name]
        found = DECODERS[info.kind](messages, info)
        return {each: found[each][None] for each in QUANTITIES[info.kind]}

    def _stop(self, name: str) -> None:
        for topic in self._watched.pop(name).values():
            topic.close()


def _sensors(robot: str, model: ModelDescription) -> Iterator[tuple[str, SensorDescription]]:
    for own, link, _ in model.all_links():
        for each in link.sensors:
            yield SCOPE.join((robot, own, each.name)), each


def _info(name: str, sensor: SensorDescription, joints: Names) -> SensorInfo | None:
    """Returns kind and rate of a described sensor; None for those that no engine measures."""
    measured = sensor.measurement
    if sensor.camera is not None:
        return SensorInfo(_CAMERAS.get(sensor.type, "rgbd"), sensor.update_rate, sensor.delay)
    kind = _KINDS.get(type(measured))
    if kind is None:
        return None
    rows: tuple[str, ...] = ()
    if isinstance(measured, JointState):
        model = name.rsplit(SCOPE, 2)[0]
        rows = tuple(SCOPE.join((model, each)) for each in measured.joints)
        rows = rows or tuple(joints.within(model))
    return SensorInfo(kind, sensor.update_rate, sensor.delay, joints=rows)


Decoded = Mapping[str, NDArray[Any]]


def _imu(messages: Mapping[str, Any], _info: SensorInfo) -> Decoded:
    q = messages["all"].orientation
    rates = {
        each: _vector(getattr(messages["all"], each))
        for each in ("angular_velocity", "linear_acceleration")
    }
    return {"orientation": np.array([q.x, q.y, q.z, q.w]), **rates}


def _wrench(messages: Mapping[str, Any], _info: SensorInfo) -> Decoded:
    wrench = messages["all"].wrench
    return {"force": _vector(wrench.force), "torque": _vector(wrench.torque)}


def _vector(message: Any) -> NDArray[np.float64]:
    return np.array([message.x, message.y, message.z])


def _ranges(messages: Mapping[str, Any], _info: SensorInfo) -> Decoded:
    """Returns the ranges of a scan, or the distances of a cloud's points; inf for no point."""
    message = messages["all"]
    if hasattr(message, "ranges"):
        return {"ranges": np.asarray(message.ranges, dtype=np.float64)[None]}
    offsets = {each.name: each.offset for each in message.fields}
    rows = np.frombuffer(bytes(message.data), np.uint8).reshape(-1, message.point_step)
    points = [rows[:, offsets[each] : offsets[each] + 4].copy().view("<f4") for each in "xyz"]
    xyz = np.concatenate(points, axis=1, dtype=np.float64)
    xyz = xyz.reshape(message.height, message.width, 3)
    ranges = np.linalg.norm(xyz, axis=-1)
    return {"ranges": np.where(np.isnan(ranges), np.inf, ranges)}


def _joints(messages: Mapping[str, Any], info: SensorInfo) -> Decoded:
    message = messages["all"]
    names = [each.partition(SCOPE)[2].replace(SCOPE, "/") for each in info.joints]
    places = [list(message.name).index(name) for name in names]
    return {
        each: np.asarray(getattr(message, each), dtype=np.float64)[places]
        for each in ("position", "velocity", "effort")
    }


def _pictures(messages: Mapping[str, Any], _info: SensorInfo) -> Decoded:
    found = {quantity: picture(message) for quantity, message in messages.items()}
    return {
        each: pixels if each == "rgb" else pixels.astype(np.float64)
        for each, pixels in found.items()
    }


CARRIED = {
    "image_raw": "rgb",
    "depth/image_raw": "depth",
    "disparity/image_raw": "disparity",
}
"""The quantity of each topic of cameras."""
DECODERS: Mapping[SensorKind, Callable[[Mapping[str, Any], SensorInfo], Decoded]] = {
    "imu": _imu,
    "force_torque": _wrench,
    "lidar": _ranges,
    "joint_state": _joints,
    "camera": _pictures,
    "rgbd": _pictures,
    "stereo": _pictures,
}

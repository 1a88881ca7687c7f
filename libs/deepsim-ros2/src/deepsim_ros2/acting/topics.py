# SPDX-License-Identifier: Apache-2.0
"""The topics on which a task's world is heard, and the sensors of its robots."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from deepsim_math import poses, quaternions
from deepsim_ros2.bags.transforms import Transforms
from deepsim_ros2.client.present import Topic
from deepsim_ros2.client.sensors import CARRIED, DECODERS
from deepsim_ros2.client.services import Connection
from deepsim_ros2.errors import Ros2Error
from deepsim_ros2.geometry import WORLD, Floats, seconds, transform_of
from deepsim_ros2.topics.message_types import ros_class
from deepsim_ros2.topics.sensors import Channel, Mounted
from deepsim_ros2.topics.transforms import read_odometry
from deepsim_sync import QUANTITIES, SCOPE, Reading, UnsupportedError

_RELIABLE = QoSProfile(depth=100)
_LATCHED = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_KEPT = 8  # transforms of each frame


class Heard(Topic):
    """The latest message of a topic that a task needs.

    Args:
        connection: The connection.
        kind: The class of its messages.
        name: The topic.
        what: What the task needs it for, for error messages.
        rate: Rate of the messages in simulated time [Hz]; 0 for every step.
        quality: Quality of service of the subscription.
    """

    def __init__(
        self,
        connection: Connection,
        kind: Any,
        name: str,
        what: str,
        rate: float = 0.0,
        quality: QoSProfile = _RELIABLE,
    ) -> None:
        self.kind, self.what, self.rate = kind, what, rate
        self._path = connection.resolved(name)
        super().__init__(connection, kind, name, quality)

    @property
    def time(self) -> float:
        """The time of the latest message [s], NaN without one."""
        return math.nan if self.message is None else seconds(self._stamp())

    def _stamp(self) -> Any:
        return self.message.header.stamp

    def forget(self) -> None:
        """Forgets the latest message."""
        self.message = None

    def __str__(self) -> str:
        package, _, _ = self.kind.__module__.partition(".")
        return f"{self._path} ({package}/{self.kind.__name__}, for {self.what})"


class ClockTopic(Heard):
    """The clock of the simulation."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection, Clock, "clock", "simulated time")

    def _stamp(self) -> Any:
        return self.message.clock


class OdometryOf(Heard):
    """Pose and twist of the base of a robot."""

    def __init__(self, connection: Connection, topic: str, robot: str) -> None:
        super().__init__(connection, Odometry, topic, f"pose and twist of {robot!r}")

    def state(self, frames: FramesTopic) -> tuple[Floats, Floats]:
        """Returns pose, (7,), and twist, (6,), of the base in the world frame.

        A frame that is not below the world frame counts as the world frame.
        """
        pose, twist = read_odometry(self.message)
        root, placed = frames.tree.pose(self.message.header.frame_id.lstrip("/"), self.time)
        if root != WORLD:
            return pose, twist
        turned = quaternions.rotate(placed[3:], twist.reshape(2, 3)).reshape(6)
        return poses.compose(placed, pose), np.asarray(turned)


class JointsOf(Heard):
    """The joint states of a robot."""

    def __init__(self, connection: Connection, topic: str, robot: str) -> None:
        super().__init__(connection, JointState, topic, f"the joints of {robot!r}")
        self._robot = robot

    def state(self, rows: Sequence[str]) -> dict[str, dict[str, float]]:
        """Returns position, velocity and effort by row, as far as they are published.

        Raises:
            Ros2Error: A joint of the task is not published.
        """
        names = [f"{self._robot}{SCOPE}{name.replace('/', SCOPE)}" for name in self.message.name]
        missing = {*rows} - {*names}
        if missing:
            raise Ros2Error(f"{self.name} lacks joints of the task: {', '.join(sorted(missing))}")
        found = {}
        for column in ("position", "velocity", "effort"):
            values = dict(zip(names, getattr(self.message, column), strict=False))
            found[column] = {row: values[row] for row in rows if row in values}
        return found


class FramesTopic(Heard):
    """The tree of frames, from ``tf`` and ``tf_static``; its time is that of ``tf``.

    Attributes:
        tree: The frames.
    """

    def __init__(self, connection: Connection) -> None:
        self.tree = Transforms(_KEPT)
        self._fixed: dict[str, Any] = {}
        super().__init__(connection, TFMessage, "tf", "the frames of models")
        connection.listen(TFMessage, "tf_static", self._fix, _LATCHED)

    def _hear(self, message: Any, info: Any) -> None:
        super()._hear(message, info)
        for each in message.transforms:
            self._add(seconds(each.header.stamp), each, fixed=False)

    def _fix(self, message: Any, _info: Any) -> None:
        for each in message.transforms:
            self._fixed[each.child_frame_id] = each
            self._add(0.0, each, fixed=True)

    def _add(self, time: float, each: Any, *, fixed: bool) -> None:
        pose = transform_of(each.transform)
        self.tree.add(time, each.header.frame_id, each.child_frame_id, pose, fixed=fixed)

    def _stamp(self) -> Any:
        return self.message.transforms[-1].header.stamp

    def forget(self) -> None:
        """Forgets the frames that move."""
        super().forget()
        self.tree = Transforms(_KEPT)
        for each in self._fixed.values():
            self._add(0.0, each, fixed=True)

    def has(self, frame: str) -> bool:
        """Returns whether a frame is below the world frame."""
        return self.tree.pose(frame, math.inf)[0] == WORLD and frame != WORLD

    def state(self, frame: str) -> tuple[Floats, Floats]:
        """Returns the pose, (7,), of a frame in the world frame, and its mean twist, (6,).

        The twist is that between the latest two instants at which the frame was heard, or 0.
        """
        pose, times = self.tree.pose(frame, math.inf)[1], self.tree.path(frame)[0]
        earlier = times[times < times[-1]]
        if not len(earlier):
            return pose, np.zeros(6)
        before, duration = self.tree.pose(frame, earlier[-1])[1], times[-1] - earlier[-1]
        turn = quaternions.multiply(pose[3:], quaternions.conjugate(before[3:]))
        turned = quaternions.to_rotation_vector(turn)
        return pose, np.concatenate([pose[:3] - before[:3], turned]) / duration


_ANGLE = 1e-3  # by which the angles of a scan may be off [rad]


class Measured:
    """A sensor of the task, heard on its topics.

    Args:
        connection: The connection.
        sensor: The sensor.
        channels: Its topics, with their names.

    Attributes:
        topics: The topics by the quantity that they carry, or by "all".

    Raises:
        UnsupportedError: No message carries all that the sensor measures.
    """

    def __init__(
        self, connection: Connection, sensor: Mounted, channels: Sequence[tuple[Channel, str]]
    ) -> None:
        if sensor.info.kind not in DECODERS or not channels:
            raise UnsupportedError(
                f"no message of ROS 2 carries all of the sensor {sensor.name!r} of kind "
                f"{sensor.info.kind}"
            )
        self._sensor = sensor
        self.topics = {
            CARRIED.get(channel.topic, "all"): Heard(
                connection,
                ros_class(channel.type),
                topic,
                f"the sensor {sensor.name!r}",
                sensor.info.update_rate,
                qos_profile_sensor_data,
            )
            for channel, topic in channels
            if channel.topic != "camera_info"
        }

    def read(self) -> Reading:
        """Returns the latest measurement, (1, ...).

        Raises:
            Ros2Error: A scan has other rays than the task's lidar.
        """
        messages = {quantity: topic.message for quantity, topic in self.topics.items()}
        lidar = self._sensor.lidar
        if lidar is not None and hasattr(messages["all"], "angle_min"):
            scan, rays = messages["all"], lidar.horizontal
            has = len(scan.ranges), scan.angle_min, scan.angle_max
            wants = rays.count, rays.min_angle, rays.max_angle
            if has[0] != wants[0] or not np.allclose(has, wants, rtol=0.0, atol=_ANGLE):
                raise Ros2Error(
                    "the task's lidar {!r} has {} rays from {:g} to {:g} rad".format(
                        self._sensor.name, *wants
                    )
                    + ", and a scan came with {} from {:g} to {:g}".format(*has)
                )
        info = self._sensor.info
        decoded = DECODERS[info.kind](messages, info)
        return {quantity: decoded[quantity][None] for quantity in QUANTITIES[info.kind]}

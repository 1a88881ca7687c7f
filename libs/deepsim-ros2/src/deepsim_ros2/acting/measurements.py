# SPDX-License-Identifier: Apache-2.0
"""The sensors of a task as they are heard."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rclpy.qos import qos_profile_sensor_data

from deepsim_ros2.client.sensors import CARRIED, DECODERS
from deepsim_ros2.client.services import Connection
from deepsim_ros2.errors import Ros2Error
from deepsim_ros2.topics.message_types import ros_class
from deepsim_ros2.topics.sensors import Channel, Mounted
from deepsim_sync import QUANTITIES, Reading, UnsupportedError

from .topics import Heard

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

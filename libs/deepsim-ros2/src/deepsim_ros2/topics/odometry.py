# SPDX-License-Identifier: Apache-2.0
"""The true pose and twist of a robot's base, as odometry."""

from __future__ import annotations

from typing import Any

import numpy as np
from nav_msgs.msg import Odometry

from deepsim_math import quaternions
from deepsim_ros2.served.geometry import (
    Floats,
    pose_of,
    twist_of,
    write_pose,
    write_time,
    write_twist,
)
from deepsim_ros2.served.simulation import ServedWorld

from .layout import WORLD


class OdometryTopic:
    """Publishes where the first link of a robot truly is, and how it moves.

    Args:
        publisher: Publisher of ``nav_msgs/Odometry``.
        served: The world.
        base: The row of the link, ``model::link``.
        frame: Its frame.
    """

    def __init__(self, publisher: Any, served: ServedWorld, base: str, frame: str) -> None:
        self._publisher, self._served, self._frame = publisher, served, frame
        self._base = served.simulation.world.links.select([base])

    def publish(self, now: float) -> None:
        """Publishes the odometry of an instant [s], if anybody listens."""
        if not self._publisher.get_subscription_count():
            return
        message, number = Odometry(child_frame_id=self._frame), self._served.number
        pose, twist = self._base.pose[number, 0], self._base.twist[number, 0]
        message.header.frame_id = WORLD
        write_time(message.header.stamp, now)
        write_pose(message.pose.pose, pose)
        own = quaternions.inverse_rotate(pose[3:], twist.reshape(2, 3))
        write_twist(message.twist.twist, own.reshape(6))
        self._publisher.publish(message)


def read_odometry(message: Any) -> tuple[Floats, Floats]:
    """Returns pose (7,) and twist (6,) of the base, both along the axes of the message's frame."""
    pose = pose_of(message.pose.pose)
    twist = twist_of(message.twist.twist).reshape(2, 3)
    return pose, np.asarray(quaternions.rotate(pose[3:], twist).reshape(6))

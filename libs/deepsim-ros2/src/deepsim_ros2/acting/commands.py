# SPDX-License-Identifier: Apache-2.0
"""Commands to a robot: twists to its base, targets to its other joints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Twist, TwistStamped
from sensor_msgs.msg import JointState

from deepsim_robots import Robot
from deepsim_ros2.client.services import Connection
from deepsim_ros2.geometry import write_time
from deepsim_ros2.topics.bases import base_part, commanded_twist
from deepsim_ros2.topics.layout import own_name
from deepsim_sync import Key, Simulator, Tables

_TWIST, _STAMPED = "geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped"
_FIELDS = {"target_position": "position", "target_velocity": "velocity", "feedforward": "effort"}
_COLUMNS: tuple[Key, ...] = tuple(
    ("joints", column) for column in (*_FIELDS, "stiffness", "damping")
)


class BaseCommand:
    """Sends the velocity that the base of a robot is to reach.

    Args:
        connection: The connection.
        robot: The robot in the task's world.
        part: Its part that is a base.
        topic: The topic, whose subscribers decide between Twist and TwistStamped.

    Raises:
        UnreachableError: Nobody subscribes.
    """

    def __init__(self, connection: Connection, robot: Robot, part: str, topic: str) -> None:
        self._robot, self._part = robot, part
        what = f"nobody subscribes to {topic!r}, which moves {robot.name!r},"
        connection.wait(lambda: connection.kinds(topic) != [], what)
        self._is_stamped = _TWIST not in connection.kinds(topic)
        kind = TwistStamped if self._is_stamped else Twist
        self._publisher = connection.publisher(kind, topic)

    def send(self, time: float, *, stop: bool = False) -> None:
        """Publishes the velocity at an instant [s]."""
        velocity = (0.0, 0.0, 0.0) if stop else commanded_twist(self._robot, self._part)
        twist = Twist()
        twist.linear.x, twist.linear.y, twist.angular.z = velocity
        message: Any = twist
        if self._is_stamped:
            message = TwistStamped(twist=twist)
            write_time(message.header.stamp, time)
        self._publisher.publish(message)


class JointCommand:
    """Sends the targets of a robot's joints that are not those of a base, when they change.

    Positions are for joints with stiffness, velocities for those with damping, efforts for those
    that had a feedforward; joints without any of them are free. Joints with the same kinds of
    targets share a message.

    Args:
        connection: The connection.
        topic: The topic.
        rows: The rows of the joints, ``model::joint``.
    """

    def __init__(self, connection: Connection, topic: str, rows: Sequence[str]) -> None:
        self._connection, self._topic, self._rows = connection, topic, rows
        self._publisher: Any = None
        self._sent: dict[tuple[str, ...], Any] = {}
        self._pushed = np.zeros(len(rows), dtype=np.bool_)

    def send(self, engine: Simulator) -> None:
        """Publishes the targets that the engine has.

        Raises:
            UnreachableError: Nobody subscribes.
        """
        if not self._rows:
            return
        tables = Tables(engine.entities, 1)
        engine.read(tables, _COLUMNS)
        rows = tables.entities.joints.rows(self._rows)
        given = {column: tables.columns["joints", column][0, rows] for _, column in _COLUMNS}
        self._pushed |= given["feedforward"] != 0.0
        has = {
            "target_position": given["stiffness"] > 0.0,
            "target_velocity": given["damping"] > 0.0,
            "feedforward": self._pushed,
        }
        groups: dict[tuple[str, ...], list[int]] = {}
        for place in range(len(rows)):
            kinds = tuple(column for column, mask in has.items() if mask[place])
            if kinds:
                groups.setdefault(kinds, []).append(place)
        for kinds, places in groups.items():
            message = JointState(name=[own_name(self._rows[place]) for place in places])
            for column in kinds:
                setattr(message, _FIELDS[column], given[column][places].tolist())
            if self._sent.get(kinds) != message:
                if self._publisher is None:
                    self._publisher = self._connection.publisher(JointState, self._topic)
                self._publisher.publish(message)
                self._sent[kinds] = message

    def reset(self) -> None:
        """Sends all targets again, because the robot was reset."""
        self._sent.clear()
        self._pushed[:] = False


def base_of(robot: Robot) -> tuple[str | None, set[str]]:
    """Returns the part of a robot that is a base, and the rows of its joints."""
    part = base_part(robot)
    return part, set() if part is None else {*robot.parts[part].joints.rows.names}

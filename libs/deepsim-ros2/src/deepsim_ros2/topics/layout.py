# SPDX-License-Identifier: Apache-2.0
"""Namespaces, frames and topics of models, by the names that REP 103, 105 and 120 recommend.

A robot is a model with joints or sensors. The only robot of a world has its topics at the root and
its links as frames, such as ``/scan`` and ``base_link``. Of several, each has its name as namespace
and as prefix of its frames. A robot that a client spawns is in the namespace of the request or, if
that is empty, at the root, unless there is another robot.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

import numpy as np

from deepsim_math import Pose
from deepsim_ros2.geometry import is_robot
from deepsim_spawn import SensorDescription
from deepsim_sync import SCOPE, Entities

OPTICAL: Final = np.array([0.0, 0.0, 0.0, -0.5, 0.5, -0.5, 0.5])
"""REP 103's optical frame (z forward, x right, y down) in the frame of a camera, (7,)."""


class Layout:
    """The namespace of each robot; it stays as long as the robot is there.

    >>> layout, bot = Layout(), Entities(0, models=["bot", "box"], joints=["bot::turn"])
    >>> layout.update(bot, ["bot::base::imu"])
    >>> layout.robots, layout.link_frame("bot::base"), layout.link_frame("box::link")
    ({'bot': ''}, 'base', 'box/link')
    >>> layout.topic("bot", "joint_states"), layout.topic("bot", "scan", "world_2")
    ('joint_states', 'world_2/scan')

    Attributes:
        robots: Namespace of each robot by name, "" for the root.
    """

    def __init__(self) -> None:
        self.robots: dict[str, str] = {}
        self._is_new = True

    def update(
        self,
        entities: Entities,
        sensors: Collection[str],
        wanted: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Gives new robots a namespace.

        Args:
            entities: The entities.
            sensors: Names of all sensors.
            wanted: The namespaces of models that have been asked for, by name.
        """
        found = [
            name
            for name in entities.models
            if SCOPE not in name and is_robot(name, entities, sensors)
        ]
        self.robots = {name: kept for name, kept in self.robots.items() if name in found}
        new = [name for name in found if name not in self.robots]
        for name in new:
            namespace = wanted.get(name, "")
            own = ros_name(name.rpartition("/")[2])
            if self._is_new and len(new) > 1:
                namespace = namespace_of(name)
            elif namespace in self.robots.values():
                namespace = f"{namespace}/{own}".lstrip("/")
            self.robots[name] = namespace
        self._is_new = False

    def prefix(self, model: str) -> str:
        """Returns the prefix of the frames of a model's links."""
        scope = self.robots.get(model, model)
        return f"{scope}/" if scope else ""

    def link_frame(self, link: str) -> str:
        """Returns the frame of a link, given its row ``model::link``."""
        model, _, own = link.partition(SCOPE)
        return self.prefix(model) + own.replace(SCOPE, "/")

    def topic(self, robot: str, topic: str, space: str = "") -> str:
        """Returns a topic of a robot, in the namespace of its world if that has one."""
        return "/".join(part for part in (space, self.robots[robot], topic) if part)


def own_name(row: str) -> str:
    """Returns the name of a joint within its model, given its row ``model::joint``."""
    return row.partition(SCOPE)[2].replace(SCOPE, "/")


def ros_name(text: str) -> str:
    """Returns a text with every character that ROS refuses in names as ``_``.

    >>> ros_name("left wheel"), ros_name("2nd")
    ('left_wheel', '_2nd')
    """
    token = re.sub(r"[^A-Za-z0-9_]+", "_", text)
    return token if token and not token[0].isdigit() else f"_{token}"


def namespace_of(model: str) -> str:
    """Returns the namespace that has the name of a model, which may be in one itself.

    >>> namespace_of("left/my bot")
    'left/my_bot'
    """
    return "/".join(map(ros_name, model.split("/")))


def sensor_frame(link: str, sensor: SensorDescription) -> str:
    """Returns the frame of a sensor: that of its link if they coincide."""
    return link if sensor.pose == Pose() else f"{link}/{sensor.name}"


def optical_frame(link: str, sensor: str) -> str:
    """Returns the frame of a camera's pictures, with z forward."""
    return f"{link}/{sensor}_optical_frame"

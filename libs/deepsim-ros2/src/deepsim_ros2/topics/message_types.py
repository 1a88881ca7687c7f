# SPDX-License-Identifier: Apache-2.0
"""Messages by the names of their types, of ROS 2 itself or of a library without ROS."""

from __future__ import annotations

import array
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


class MessageTypes:
    """Makes messages, given all their fields; arrays are NumPy's.

    Args:
        find: Returns the function that makes messages of a type such as ``sensor_msgs/Imu``.
    """

    def __init__(self, find: Callable[[str], Callable[..., Any]]) -> None:
        self._find = find

    def make(self, kind: str, **fields: Any) -> Any:
        """Returns a message such as ``make("geometry_msgs/Point", x=1.0, y=0.0, z=0.0)``."""
        return self._find(kind)(**fields)

    def stamp(self, time: int) -> Any:
        """Returns a time [ns] as ``builtin_interfaces/Time``."""
        return self.make("builtin_interfaces/Time", sec=time // 10**9, nanosec=time % 10**9)

    def header(self, time: int, frame: str) -> Any:
        """Returns a ``std_msgs/Header`` of a time [ns] in a frame."""
        return self.make("std_msgs/Header", stamp=self.stamp(time), frame_id=frame)

    def vector(self, values: ArrayLike) -> Any:
        """Returns three numbers as ``geometry_msgs/Vector3``."""
        x, y, z = np.asarray(values, dtype=np.float64).tolist()
        return self.make("geometry_msgs/Vector3", x=x, y=y, z=z)

    def quaternion(self, values: ArrayLike) -> Any:
        """Returns x, y, z, w as ``geometry_msgs/Quaternion``."""
        x, y, z, w = np.asarray(values, dtype=np.float64).tolist()
        return self.make("geometry_msgs/Quaternion", x=x, y=y, z=z, w=w)

    def transform(self, time: int, parent: str, child: str, pose: ArrayLike) -> Any:
        """Returns the pose of a frame in its parent, (7,), as a ``TransformStamped``."""
        row = np.asarray(pose, dtype=np.float64)
        moved = self.make(
            "geometry_msgs/Transform",
            translation=self.vector(row[:3]),
            rotation=self.quaternion(row[3:]),
        )
        return self.make(
            "geometry_msgs/TransformStamped",
            header=self.header(time, parent),
            child_frame_id=child,
            transform=moved,
        )


@cache
def ros_class(kind: str) -> Any:
    """Returns the class of a type such as ``sensor_msgs/Imu`` in ROS 2's own packages."""
    package, _, name = kind.partition("/")
    return getattr(import_module(f"{package}.msg"), name)


@cache
def _ros_maker(kind: str) -> Callable[..., Any]:
    made = ros_class(kind)
    types: dict[str, str] = made.get_fields_and_field_types()
    sequences = {name for name, each in types.items() if each.startswith("sequence<")}

    def make(**fields: Any) -> Any:
        for name in sequences & fields.keys():
            values = fields[name]
            if isinstance(values, np.ndarray):  # which rclpy would copy number by number
                fields[name] = array.array(values.dtype.char, values.tobytes())
        return made(**fields)

    return make


ROS = MessageTypes(_ros_maker)
"""The messages of ROS 2's own packages, which are imported when one is made."""

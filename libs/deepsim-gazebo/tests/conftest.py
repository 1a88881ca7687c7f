# SPDX-License-Identifier: Apache-2.0
"""Message classes like those that genpy generates: typed slots with defaults."""

from __future__ import annotations

from typing import Any

import pytest


class Message:
    """Base class of messages: constructed with all fields, some by name, or none."""

    __slots__: tuple[str, ...] = ()
    _type = ""
    _defaults: tuple[Any, ...] = ()

    def __init__(self, *values: Any, **named: Any) -> None:
        if values and len(values) != len(self.__slots__):
            raise TypeError(f"Invalid number of arguments, args should be {self.__slots__}")
        given = dict(zip(self.__slots__, values), **named)
        for field, default in zip(self.__slots__, self._defaults):
            setattr(self, field, given[field] if field in given else default())

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and all(
            getattr(self, field) == getattr(other, field) for field in self.__slots__
        )

    __hash__ = None  # type: ignore[assignment]  # a message changes


def generated(full_name: str, **fields: Any) -> type[Message]:
    """A message class of a type such as ``geometry_msgs/Point``."""
    return type(
        full_name.rpartition("/")[2],
        (Message,),
        {"__slots__": tuple(fields), "_type": full_name, "_defaults": tuple(fields.values())},
    )


class Messages:
    """The message types that are converted, with the fields of their ROS definitions."""

    Vector3 = generated("geometry_msgs/Vector3", x=float, y=float, z=float)
    Point = generated("geometry_msgs/Point", x=float, y=float, z=float)
    Quaternion = generated("geometry_msgs/Quaternion", x=float, y=float, z=float, w=float)
    Pose = generated("geometry_msgs/Pose", position=Point, orientation=Quaternion)
    Twist = generated("geometry_msgs/Twist", linear=Vector3, angular=Vector3)
    ColorRGBA = generated("std_msgs/ColorRGBA", r=float, g=float, b=float, a=float)
    ModelState = generated(
        "gazebo_msgs/ModelState", model_name=str, pose=Pose, twist=Twist, reference_frame=str
    )
    LinkState = generated(
        "gazebo_msgs/LinkState", link_name=str, pose=Pose, twist=Twist, reference_frame=str
    )
    TurtlePose = generated("turtlesim/Pose", x=float, y=float, theta=float)
    Imu = generated("sensor_msgs/Imu")


@pytest.fixture
def msgs() -> type[Messages]:
    """All message classes."""
    return Messages

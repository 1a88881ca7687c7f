# SPDX-License-Identifier: Apache-2.0
"""The common messages of ROS 2 as values, and their CDR; no ROS installation is needed."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike
from rosbags.typesys import Stores, get_typestore

STORE: Final = get_typestore(Stores.ROS2_KILTED)
"""The message types of ROS 2 Kilted; those that DeepSim writes are the same in Jazzy."""


def message(kind: str, **fields: Any) -> Any:
    """Returns a message such as ``message("geometry_msgs/Point", x=1.0, y=0.0, z=0.0)``."""
    package, _, name = kind.partition("/")
    return STORE.types[f"{package}/msg/{name}"](**fields)


def stamp(time: int) -> Any:
    """Returns a time [ns] as ``builtin_interfaces/Time``."""
    return message("builtin_interfaces/Time", sec=time // 10**9, nanosec=time % 10**9)


def header(time: int, frame: str) -> Any:
    """Returns a ``std_msgs/Header`` of a time [ns] in a frame."""
    return message("std_msgs/Header", stamp=stamp(time), frame_id=frame)


def vector(values: ArrayLike) -> Any:
    """Returns three numbers as ``geometry_msgs/Vector3``."""
    x, y, z = np.asarray(values, dtype=np.float64).tolist()
    return message("geometry_msgs/Vector3", x=x, y=y, z=z)


def quaternion(values: ArrayLike) -> Any:
    """Returns x, y, z, w as ``geometry_msgs/Quaternion``."""
    x, y, z, w = np.asarray(values, dtype=np.float64).tolist()
    return message("geometry_msgs/Quaternion", x=x, y=y, z=z, w=w)


def transform(time: int, parent: str, child: str, pose: ArrayLike) -> Any:
    """Returns the pose of a frame in its parent, (7,), as ``geometry_msgs/TransformStamped``."""
    row = np.asarray(pose, dtype=np.float64)
    return message(
        "geometry_msgs/TransformStamped",
        header=header(time, parent),
        child_frame_id=child,
        transform=message(
            "geometry_msgs/Transform", translation=vector(row[:3]), rotation=quaternion(row[3:])
        ),
    )

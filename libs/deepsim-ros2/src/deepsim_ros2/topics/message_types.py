# SPDX-License-Identifier: Apache-2.0
"""Messages by the names of their types, of ROS 2 itself or of rosbags; and pixels of pictures."""

from __future__ import annotations

import array
import io
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image
from rosbags.typesys import Stores, get_typestore


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


STORE: Final = get_typestore(Stores.ROS2_KILTED)
"""The message types of ROS 2 Kilted; those that DeepSim writes are the same in Jazzy."""


def _find(kind: str) -> Callable[..., Any]:
    package, _, name = kind.partition("/")
    return STORE.types[f"{package}/msg/{name}"]


CDR: Final = MessageTypes(_find)
"""Makes messages that `STORE` encodes."""


_ENCODINGS: dict[str, tuple[str, tuple[int, ...]]] = {
    "rgb8": ("u1", (0, 1, 2)),
    "bgr8": ("u1", (2, 1, 0)),
    "rgba8": ("u1", (0, 1, 2, 3)),
    "bgra8": ("u1", (2, 1, 0, 3)),
    "8UC3": ("u1", (2, 1, 0)),
    "mono8": ("u1", (0,)),
    "8UC1": ("u1", (0,)),
    "mono16": ("u2", (0,)),
    "16UC1": ("u2", (0,)),
    "32SC1": ("i4", (0,)),
    "32FC1": ("f4", (0,)),
    "64FC1": ("f8", (0,)),
}
"""Type of a number, and the order in which the channels are red, green, blue, by encoding."""
_COLORS = 3


def picture(message: Any) -> NDArray[Any]:
    """Returns the pixels of a ``sensor_msgs/Image`` or ``CompressedImage``; see `Bag.pictures`.

    Raises:
        ValueError: The encoding is unknown, or the pixels do not fit the size.
        OSError: A compressed picture cannot be read.
    """
    data = np.ascontiguousarray(message.data).tobytes()
    if not hasattr(message, "encoding"):
        with Image.open(io.BytesIO(data), formats=["PNG", "JPEG"]) as image:
            mode = image.mode if image.mode in ("L", "I;16", "I") else "RGB"
            return np.asarray(image.convert(mode))
    if message.encoding not in _ENCODINGS:
        raise ValueError(f"the encoding {message.encoding!r} of a picture is not supported")
    kind, order = _ENCODINGS[message.encoding]
    dtype = np.dtype(kind).newbyteorder(">" if message.is_bigendian else "<")
    height, width, step = int(message.height), int(message.width), int(message.step)
    row = width * len(order) * dtype.itemsize
    if step < row or len(data) < height * step:
        raise ValueError(
            f"a picture of {width} x {height} pixels in {message.encoding} has {len(data)} bytes, "
            f"{step} in a row"
        )
    rows = np.frombuffer(data, np.uint8, height * step).reshape(height, step)[:, :row]
    pixels = np.ascontiguousarray(rows).view(dtype).astype(dtype.newbyteorder("="))
    if len(order) < _COLORS:
        return pixels.reshape(height, width)
    colors: NDArray[Any] = pixels.reshape(height, width, len(order))[..., order[:_COLORS]]
    return colors

# SPDX-License-Identifier: Apache-2.0
"""Pixels of the picture messages of ROS 2."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

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

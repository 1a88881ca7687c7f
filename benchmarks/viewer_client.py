# SPDX-License-Identifier: Apache-2.0
"""A client of the browser's protocol, without a picture, for benchmarks of the viewer."""

from __future__ import annotations

import sys
from importlib.metadata import version

import msgspec
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def look(url: str) -> None:
    """Receives all that a viewer sends, until it closes."""
    socket = connect(
        url.replace("http", "ws").rstrip("/"),
        subprotocols=[f"viser-v{version('viser')}"],  # type: ignore[list-item]
        max_size=None,
        compression=None,
    )
    camera = {
        "type": "ViewerCameraMessage", "wxyz": (1, 0, 0, 0), "position": (3, 0, 1), "fov": 1.0,
        "near": 0.01, "far": 100.0, "image_height": 450, "image_width": 800,
        "look_at": (0, 0, 0), "up_direction": (0, 0, 1),
    }  # fmt: skip
    socket.send(msgspec.msgpack.encode(camera))
    try:
        while True:
            socket.recv()
    except ConnectionClosed:
        return


if __name__ == "__main__":
    look(sys.argv[1])

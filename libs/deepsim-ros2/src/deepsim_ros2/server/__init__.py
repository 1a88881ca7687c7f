# SPDX-License-Identifier: Apache-2.0
"""The server of simulation_interfaces. Importing it needs rclpy and the messages."""

from deepsim_ros2.messages.build import require as _require

_require()

from deepsim_ros2.topics.bases import add_base  # noqa: E402 (rclpy would be missed first)

from .server import Ros2Server  # noqa: E402

__all__ = ["Ros2Server", "add_base"]

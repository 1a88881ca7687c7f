# SPDX-License-Identifier: Apache-2.0
"""Tasks on topics: policies act as nodes. Importing it needs rclpy and the messages."""

from deepsim_ros2.messages.build import require as _require

_require()

from .following import follow  # noqa: E402 (rclpy would be missed first)

__all__ = ["follow"]

# SPDX-License-Identifier: Apache-2.0
"""The errors of deepsim-ros2, below `deepsim_sync.DeepSimError`."""

from __future__ import annotations

from deepsim_sync import DeepSimError


class Ros2Error(DeepSimError):
    """ROS 2, or a package of messages, is missing or refuses a request."""


class MissingRosError(Ros2Error, ImportError):
    """ROS 2 or a package of messages cannot be imported; the message says what provides it."""

# SPDX-License-Identifier: Apache-2.0
"""Errors of the library."""

from __future__ import annotations

import deepsim_ros2
from deepsim_sync import DeepSimError


def test_errors_are_deepsim_errors():
    """Who catches DeepSimError catches those of ROS 2, too."""
    assert issubclass(deepsim_ros2.Ros2Error, DeepSimError)

# SPDX-License-Identifier: Apache-2.0
"""DeepSim's worlds as simulators of ROS 2."""

from .errors import Ros2Error

__all__ = ["Ros2Error"]

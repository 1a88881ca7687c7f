# SPDX-License-Identifier: Apache-2.0
"""DeepSim's worlds as simulators of ROS 2.

`deepsim_ros2.server`, which needs rclpy, has the server.
"""

from .errors import MissingRosError, Ros2Error

__all__ = ["MissingRosError", "Ros2Error"]

# SPDX-License-Identifier: Apache-2.0
"""DeepSim and ROS 1: messages to values and back; the Gazebo 11 simulator is to come."""

from .messages import Value, from_ros, to_ros

__all__ = ["Value", "from_ros", "to_ros"]

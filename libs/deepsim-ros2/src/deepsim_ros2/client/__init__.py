# SPDX-License-Identifier: Apache-2.0
"""The simulator port as a client of any server of ROS 2's simulation_interfaces."""

from .services import CallRefusedError, UnreachableError
from .simulator import Ros2Simulator

__all__ = ["CallRefusedError", "Ros2Simulator", "UnreachableError"]

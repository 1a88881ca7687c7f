# SPDX-License-Identifier: Apache-2.0
"""The embedded simulator: DeepSim worlds on MuJoCo, without ROS, display or GL library."""

from .simulator import MujocoSimulator

__all__ = ["MujocoSimulator"]

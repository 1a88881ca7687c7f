# SPDX-License-Identifier: Apache-2.0
"""Writes the SDF of the world, the ball and the robots, with primitive shapes only."""

from .ball import ball_sdf
from .robot import robot_sdf
from .world import world_sdf

__all__ = ["ball_sdf", "robot_sdf", "world_sdf"]

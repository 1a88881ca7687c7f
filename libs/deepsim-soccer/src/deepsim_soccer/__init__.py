# SPDX-License-Identifier: Apache-2.0
"""RoboCup's middle-size league: the field, the ball and the robots as data, and their skills."""

from .description import ball_sdf, robot_sdf, world_sdf
from .dialect import DIALECTS, GAZEBO_VISUAL, LEGAL, PAPER, SIMATCH, Dialect, find_dialect
from .field import Field, Line
from .pitch import Pitch

__all__ = [
    "DIALECTS",
    "GAZEBO_VISUAL",
    "LEGAL",
    "PAPER",
    "SIMATCH",
    "Dialect",
    "Field",
    "Line",
    "Pitch",
    "ball_sdf",
    "find_dialect",
    "robot_sdf",
    "world_sdf",
]

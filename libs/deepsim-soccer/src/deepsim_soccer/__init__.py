# SPDX-License-Identifier: Apache-2.0
"""RoboCup's middle-size league: field, ball, robots, rules and skills, on any simulator.

"Yao et al." are the authors of A Simulation System Based on ROS and Gazebo for RoboCup Middle Size
League, 2015.
"""

from .coach import CoachBridge, CoachMessage, Mode
from .description import ball_sdf, robot_sdf, world_sdf
from .dialect import DIALECTS, GAZEBO_VISUAL, LEGAL, PAPER, SIMATCH, Dialect, Grip, find_dialect
from .field import Field, Line
from .fouls import Card, Foul, Fouls
from .perception import OmniVision, Perception
from .pitch import Pitch
from .referee import Decision, Phase, Referee
from .restart_places import Call

__all__ = [
    "DIALECTS",
    "GAZEBO_VISUAL",
    "LEGAL",
    "PAPER",
    "SIMATCH",
    "Call",
    "Card",
    "CoachBridge",
    "CoachMessage",
    "Decision",
    "Dialect",
    "Field",
    "Foul",
    "Fouls",
    "Grip",
    "Line",
    "Mode",
    "OmniVision",
    "Perception",
    "Phase",
    "Pitch",
    "Referee",
    "ball_sdf",
    "find_dialect",
    "robot_sdf",
    "world_sdf",
]

# SPDX-License-Identifier: Apache-2.0
"""Skills of a robot as pure functions of arrays; leading axes broadcast.

Equation numbers refer to Yao et al., A Simulation System Based on ROS and Gazebo for RoboCup
Middle Size League, 2015.
"""

from .ball import (
    can_dribble,
    goal_crossing,
    ground_pass,
    held_position,
    held_velocity,
    rolled,
    rolling_spin,
)
from .lob import Bar, Lob, Parabola, lob, lob_clear, lob_parabola, lob_speed_limit
from .motion import (
    Profile,
    body_from_wheels,
    body_velocity,
    kick_direction,
    limit_wheels,
    next_speed,
    trapezoid,
    wheel_speeds,
    world_velocity,
    wrap_angle,
)

__all__ = [
    "Bar",
    "Lob",
    "Parabola",
    "Profile",
    "body_from_wheels",
    "body_velocity",
    "can_dribble",
    "goal_crossing",
    "ground_pass",
    "held_position",
    "held_velocity",
    "kick_direction",
    "limit_wheels",
    "lob",
    "lob_clear",
    "lob_parabola",
    "lob_speed_limit",
    "next_speed",
    "rolled",
    "rolling_spin",
    "trapezoid",
    "wheel_speeds",
    "world_velocity",
    "wrap_angle",
]

# SPDX-License-Identifier: Apache-2.0
"""Kicks as a dialect asks for them: a strength, and a code for ground pass or lob."""

from __future__ import annotations

import math

from deepsim_soccer import Pitch
from deepsim_soccer.skills import goal_crossing, lob

FARTHEST_CROSSING = 10.0  # |y| at the goal line from which the published code refuses a lob [m]


def kick_speeds(pitch: Pitch, robot: int, strength: float, mode: int) -> tuple[float, float]:
    """Returns the speeds ahead and up that a robot of world 0 is to kick with [m/s].

    The speed of a lob follows from the strength if the dialect has factors for it; otherwise, as in
    the paper, from the way to the goal line.

    Raises:
        ValueError: The code is none of the dialect's, or the lob does not cross the goal line.
    """
    dialect = pitch.dialect
    ground, high = dialect.lob_modes
    if mode == ground:
        return min(strength * dialect.pass_factor, dialect.pass_limit), 0.0
    if mode != high:
        raise ValueError(f"ShootPos must be {ground} for a pass or {high} for a lob, got {mode}")
    if dialect.lob_factors is not None:
        ahead, up = dialect.lob_factors
        return strength * ahead, strength * up
    yaw = float(pitch.yaw[0, robot])
    goal = math.copysign(pitch.field.length / 2.0, math.cos(yaw))
    distance, y = goal_crossing(pitch.ball_place[0, :2], yaw, goal)
    if not abs(float(y)) < FARTHEST_CROSSING:
        raise ValueError("a lob must cross the goal line within 10 m of the goal's middle")
    velocity = lob(
        yaw, distance, dialect.lob_height, gravity=dialect.gravity, limit=dialect.lob_limit
    )
    return math.hypot(velocity[0], velocity[1]), float(velocity[2])

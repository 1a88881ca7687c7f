# SPDX-License-Identifier: Apache-2.0
"""Writes the SDF of a robot."""

from __future__ import annotations

from collections.abc import Sequence

from deepsim_soccer.dialect import Dialect, find_dialect

from .parts import box, collision, cylinder, document, inertial, model, visual

CYAN, MAGENTA = (0.1, 0.7, 0.85), (0.85, 0.15, 0.6)
_BLACK, _GREY = (0.07, 0.07, 0.08), (0.5, 0.5, 0.55)
_CLEARANCE = 0.01  # between the ground and the collision cylinder [m]


def robot_sdf(dialect: str | Dialect = "legal", color: Sequence[float] = CYAN) -> str:
    """Returns the SDF of a robot, with its origin on the ground and x along its kicker.

    As in Yao et al., 2015, the robot is one link, `chassis`, with a collision cylinder. It floats
    just above the ground without gravity, and moves at the twist that is set. Its centre of mass is
    as high as the ball's centre, so hitting the ball does not tilt the robot.

    Args:
        dialect: Dialect that defines sizes and masses.
        color: Team colour, RGB in 0 .. 1.
    """
    chosen = find_dialect(dialect)
    radius, height = chosen.robot_radius, chosen.robot_height
    body = cylinder(radius, height - _CLEARANCE)
    middle = (height + _CLEARANCE) / 2.0
    base, tower = 0.45 * height, 0.55 * height - 0.05
    link = (
        '<link name="chassis"><gravity>false</gravity>'
        + inertial(chosen.robot_mass, chosen.robot_inertia, chosen.ball_radius)
        + collision("body", body, [0.0, 0.0, middle, 0.0, 0.0, 0.0], chosen.robot_friction)
        + visual("base", cylinder(radius, base), [0, 0, base / 2 + _CLEARANCE, 0, 0, 0], _BLACK)
        + visual("band", cylinder(1.01 * radius, 0.1), [0, 0, base - 0.05, 0, 0, 0], color)
        + visual("tower", cylinder(0.3 * radius, tower), [0, 0, base + tower / 2, 0, 0, 0], _GREY)
        + visual("top", cylinder(0.5 * radius, 0.05), [0, 0, height - 0.025, 0, 0, 0], color)
        + visual("kicker", box(0.08, 0.2, 0.1), [radius, 0, 0.12, 0, 0, 0], color)
        + "</link>"
    )
    return document(model("robot", link))

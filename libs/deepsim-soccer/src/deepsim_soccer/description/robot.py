# SPDX-License-Identifier: Apache-2.0
"""A robot as SDF: one chassis without joints, moved by its twist."""

from __future__ import annotations

from collections.abc import Sequence

from deepsim_soccer.dialect import Dialect, find_dialect

from .parts import box, collision, cylinder, document, inertial, model, visual

CYAN, MAGENTA = (0.1, 0.7, 0.85), (0.85, 0.15, 0.6)
_BLACK, _GREY = (0.07, 0.07, 0.08), (0.5, 0.5, 0.55)
_CLEARANCE = 0.01  # below the collision cylinder: the chassis floats, and touches no ground [m]


def robot_sdf(dialect: str | Dialect = "legal", color: Sequence[float] = CYAN) -> str:
    """Returns the SDF of a robot; its origin is on the ground, x the direction of its kicker.

    As in the paper it has one link, `chassis`, and a cylinder for collisions. Gravity does not act
    on it, and it does not touch the ground: its wheels are the twist that it is given. The centre
    of mass is at the height of the ball's centre, so that a ball does not tilt it.

    Args:
        dialect: Whose sizes and masses it has.
        color: Of the team, RGB in 0 .. 1.
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

# SPDX-License-Identifier: Apache-2.0
"""Writes the SDF of the ball."""

from __future__ import annotations

from deepsim_soccer.dialect import Dialect, find_dialect

from .parts import collision, cylinder, document, inertial, model, sphere, visual

ORANGE, DARK = (1.0, 0.45, 0.05), (0.25, 0.1, 0.02)


def ball_sdf(dialect: str | Dialect = "legal") -> str:
    """Returns the SDF of a ball: a thin shell with its origin at the centre."""
    chosen = find_dialect(dialect)
    radius = chosen.ball_radius
    half = 1.5707963267948966
    # Two dark belts make the rotation of the ball visible.
    belt = cylinder(1.002 * radius, 0.15 * radius)
    link = (
        '<link name="ball">'
        + inertial(chosen.ball_mass, [chosen.ball_inertia] * 3)
        + collision("ball", sphere(radius), [0.0] * 6, 0.5)
        + visual("ball", sphere(radius), [0.0] * 6, ORANGE)
        + visual("belt_x", belt, [0.0, 0.0, 0.0, 0.0, half, 0.0], DARK)
        + visual("belt_y", belt, [0.0, 0.0, 0.0, half, 0.0, 0.0], DARK)
        + "</link>"
    )
    return document(model("ball", link))

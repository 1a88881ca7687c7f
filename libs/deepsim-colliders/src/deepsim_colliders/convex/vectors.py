# SPDX-License-Identifier: Apache-2.0
"""Vectors as tuples of three floats, which are faster than small arrays."""

from __future__ import annotations

import math
from typing import Sequence, Tuple

Vec = Tuple[float, float, float]

AXES: tuple[Vec, Vec, Vec] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def dot(a: Vec, b: Vec) -> float:
    """Returns the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vec, b: Vec) -> Vec:
    """Returns the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def minus(a: Vec, b: Vec) -> Vec:
    """Returns the difference a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def along(a: Vec, step: float, direction: Vec) -> Vec:
    """Returns the point a + step * direction."""
    return a[0] + step * direction[0], a[1] + step * direction[1], a[2] + step * direction[2]


def scaled(a: Vec, factor: float) -> Vec:
    """Returns the product of a vector and a number."""
    return a[0] * factor, a[1] * factor, a[2] * factor


def unit(a: Vec) -> Vec:
    """Returns the vector at length 1, or the x axis for a zero vector."""
    length = math.hypot(*a)
    return scaled(a, 1.0 / length) if length > 0.0 else AXES[0]


def mixed(weights: Sequence[float], points: Sequence[Vec]) -> Vec:
    """Returns the weighted sum of points."""
    x = y = z = 0.0
    for weight, point in zip(weights, points):
        x += weight * point[0]
        y += weight * point[1]
        z += weight * point[2]
    return x, y, z


def across(a: Vec) -> Vec:
    """Returns a unit vector orthogonal to `a`."""
    least = min(range(3), key=lambda axis: abs(a[axis]))
    return unit(cross(a, AXES[least]))

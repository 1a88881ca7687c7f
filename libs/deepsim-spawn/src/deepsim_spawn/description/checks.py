# SPDX-License-Identifier: Apache-2.0
"""Checks of numbers, shared by all descriptions; a file can state every value that they accept."""

from __future__ import annotations

import math
from collections.abc import Sequence

from deepsim_math import Pose, Vector3

LARGEST = 1e100
"""Far beyond all physics, and small enough that no product of poses or inertias overflows."""


class NoSizeError(ValueError):
    """A length is not above zero."""


def finite(what: str, *values: float) -> None:
    """Refuses NaN, infinity, and numbers beyond all physics."""
    for value in values:
        if not abs(value) <= LARGEST:
            raise ValueError(f"{what} must be finite, up to {LARGEST:g}, got {value:g}")


def vector(what: str, value: Vector3 | Sequence[float]) -> Vector3:
    """Returns any three finite numbers as a vector."""
    try:
        x, y, z = (float(number) for number in value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be three numbers, got {value!r}") from None
    finite(what, x, y, z)
    return Vector3(x, y, z)


def direction(what: str, value: Vector3 | Sequence[float]) -> Vector3:
    """Returns any three numbers that are not all zero as a vector of length one."""
    x, y, z = vector(what, value)
    length = math.hypot(x, y, z)
    if length < 1e-9:
        raise ValueError(f"{what} must have a length > 0, got ({x:g}, {y:g}, {z:g})")
    return Vector3(x / length, y / length, z / length)


def positive(what: str, *values: float) -> None:
    """Refuses numbers that are not finite and above zero."""
    for value in values:
        if not value > 0.0:
            raise NoSizeError(f"{what} must be > 0, got {value:g}")
    finite(what, *values)


def not_negative(what: str, value: float) -> None:
    """Refuses numbers that are not finite, and those below zero."""
    limit(what, value)
    finite(what, value)


def limit(what: str, value: float) -> None:
    """Refuses numbers below zero and NaN; infinity passes."""
    if not value >= 0.0:
        raise ValueError(f"{what} must be >= 0, got {value:g}")


def fraction(what: str, value: float) -> None:
    """Refuses numbers outside 0..1."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{what} must lie in 0..1, got {value:g}")


def finite_pose(owner: str, pose: Pose) -> None:
    """Refuses poses with numbers that are not finite."""
    at, turn = pose.position, pose.orientation
    # a sum is not finite if a part of it is not; loading checks many poses, and this is quick
    if not math.isfinite(at.x + at.y + at.z + turn.x + turn.y + turn.z + turn.w):
        raise ValueError(f"the pose of {owner} must be finite, got {pose}")

# SPDX-License-Identifier: Apache-2.0
"""Ways from one value to another."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeVar, overload

import numpy as np

from . import angles
from ._coordinates import Coordinates
from ._value import Row
from .color import Color
from .point import Point
from .rotation import Quaternion
from .twist import Twist
from .vector3 import Vector3

if TYPE_CHECKING:
    from ._typing import ArrayLike, FloatArray

R = TypeVar("R", Vector3, Point, Color, Twist)

_TURN = 2.0 * math.pi


@overload
def lerp(a: float, b: float, t: float) -> float: ...
@overload
def lerp(a: R, b: R, t: SupportsFloat) -> R: ...
@overload
def lerp(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> FloatArray: ...
def lerp(a: Any, b: Any, t: Any) -> Any:
    """Go in a straight line from `a` (t = 0) to `b` (t = 1), both ends exact; t is not clamped.

    Args:
        a: number, array, Vector3, Point, Color or Twist.
        b: the same kind as `a`.
        t: number; with arrays also an array that broadcasts.

    Raises:
        TypeError: for kinds that have no straight line between them: use `slerp` for Quaternion
            and `lerp_angle` for angles.
    """
    if isinstance(a, Row):
        if not isinstance(a, (Coordinates, Color, Twist)) or type(a) is not type(b):
            raise TypeError(
                f"cannot lerp from {type(a).__name__} to {type(b).__name__}: "
                "give two Vector3, Point, Color or Twist; rotations go with slerp or lerp_angle"
            )
        return type(a).from_array([lerp(x, y, float(t)) for x, y in zip(a, b)])
    return (1.0 - t) * a + t * b


@overload
def lerp_angle(a: float, b: float, t: float) -> float: ...
@overload
def lerp_angle(a: ArrayLike, b: ArrayLike, t: ArrayLike) -> FloatArray: ...
def lerp_angle(a: Any, b: Any, t: Any) -> Any:
    """Go from angle `a` (t = 0) towards `b` (t = 1) [rad] the short way; numbers or arrays.

    The result is not wrapped, so that it stays continuous in t: at t = 1 it is b or b plus whole
    turns. Opposite angles turn the positive way.
    """
    gap = b - a
    if isinstance(gap, np.ndarray):
        return angles.lerp(a, b, t)
    try:
        rest = math.remainder(gap, _TURN)
    except ValueError:  # an infinite angle has no direction; arrays answer NaN too
        rest = math.nan
    if rest <= -math.pi:
        rest += _TURN
    return a + t * rest


lerp_angle_rad = lerp_angle


def slerp(a: Quaternion, b: Quaternion, t: SupportsFloat) -> Quaternion:
    """Turn from `a` (t = 0) to `b` (t = 1) the short way at constant speed.

    Raises:
        ValueError: when either has zero length.
    """
    return Quaternion.from_array(a).slerp(Quaternion.from_array(b), t)


def clamp(value: Any, low: Any, high: Any) -> Any:
    """Keep numbers or arrays within [low, high]; NaN stays NaN.

    Raises:
        ValueError: when `low` is above `high`.
    """
    if np.any(np.greater(low, high)):
        raise ValueError(f"clamp needs low <= high, got {low!r} and {high!r}")
    if isinstance(value, np.ndarray):
        return np.minimum(np.maximum(value, low), high)
    return low if value < low else high if value > high else value

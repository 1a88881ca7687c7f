# SPDX-License-Identifier: Apache-2.0
"""Interpolation between values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, SupportsFloat, TypeVar, overload

import numpy as np

from . import angles
from ._value import Row
from .formulas.elementwise import TURN
from .values.color import Color
from .values.coordinates import Coordinates, Point, Vector3
from .values.rotation import Quaternion, as_quaternion
from .values.twist import Twist

if TYPE_CHECKING:
    from ._typing import F, Floats, NDArray, RotationLike

R = TypeVar("R", Vector3, Point, Color, Twist)


@overload
def lerp(a: float, b: float, t: float) -> float: ...  # type: ignore[overload-overlap]
@overload
def lerp(a: R, b: R, t: SupportsFloat) -> R: ...  # type: ignore[overload-overlap]
@overload
def lerp(a: Floats[F], b: Floats[F], t: Floats[F]) -> NDArray[F]: ...
def lerp(a: Any, b: Any, t: Any) -> Any:
    """Interpolates linearly from `a` (t = 0) to `b` (t = 1), exact at both ends; t is not clamped.

    Args:
        a: number, array, Vector3, Point, Color or Twist.
        b: the same kind as `a`.
        t: number; with arrays also an array that broadcasts.

    Raises:
        TypeError: for other kinds: use `slerp` for Quaternion and `lerp_angle` for angles.
    """
    if isinstance(a, Row):
        if not isinstance(a, (Coordinates, Color, Twist)) or type(a) is not type(b):
            raise TypeError(
                f"cannot lerp from {type(a).__name__} to {type(b).__name__}: "
                "give two Vector3, Point, Color or Twist; use slerp or lerp_angle for rotations"
            )
        return type(a).from_array([lerp(x, y, float(t)) for x, y in zip(a, b)])
    return (1.0 - t) * a + t * b


@overload
def lerp_angle(a: float, b: float, t: float) -> float: ...  # type: ignore[overload-overlap]
@overload
def lerp_angle(a: Floats[F], b: Floats[F], t: Floats[F]) -> NDArray[F]: ...
def lerp_angle(a: Any, b: Any, t: Any) -> Any:
    """Interpolates from angle `a` (t = 0) to `b` (t = 1) [rad] along the shorter arc.

    Takes numbers or arrays. The result is not wrapped, so that it is continuous in t: at t = 1 it
    is b or b plus whole turns. Between opposite angles it turns in the positive direction.
    """
    gap = b - a
    if type(gap) is not float and isinstance(gap, np.ndarray):
        return angles.lerp(a, b, t)
    try:
        rest = math.remainder(gap, TURN)
    except ValueError:  # an infinite angle has no direction; arrays give NaN too
        rest = math.nan
    if rest <= -math.pi:
        rest += TURN
    return a + t * rest


lerp_angle_rad = lerp_angle
"""Another name of `lerp_angle`."""


@overload
def slerp(a: Vector3, b: Vector3, t: SupportsFloat) -> Vector3: ...
@overload
def slerp(a: RotationLike, b: RotationLike, t: SupportsFloat) -> Quaternion: ...
def slerp(a: Any, b: Any, t: SupportsFloat) -> Any:
    """Interpolates from `a` (t = 0) to `b` (t = 1) along the shorter arc; t is not clamped.

    The speed of rotation is constant.

    Args:
        a: Quaternion, Euler or x, y, z, w; or a Vector3, whose direction turns while its length
            changes linearly. Opposite vectors turn about the axis nearest to up.
        b: the same kind as `a`.
        t: fraction of the way.

    Raises:
        ValueError: when either has zero length.
    """
    if isinstance(a, Vector3) and isinstance(b, Vector3):
        return _swing(a, b, float(t))
    return as_quaternion(a).slerp(as_quaternion(b), t)


def _swing(a: Vector3, b: Vector3, t: float) -> Vector3:
    start, end = a.normalized(), b.normalized()
    length = (1.0 - t) * a.length + t * b.length
    axis = start.cross(end)
    if axis.length < 1e-9 and start.dot(end) < 0.0:
        near = Vector3.up() if abs(start.z) < 0.9 else Vector3.left()
        axis = near - near.project(start)
    if axis.length == 0.0:
        return start * length
    angle = 2.0 * math.atan2((start - end).length, (start + end).length)
    return Quaternion.from_axis_angle(axis, t * angle).rotate(start) * length

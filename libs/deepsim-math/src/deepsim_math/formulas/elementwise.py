# SPDX-License-Identifier: Apache-2.0
"""Functions of a Python float or an array, which let one formula serve both.

Floats are passed to `math`, arrays to NumPy. Both round square roots, `fmod` and plain arithmetic
in the same way; their trigonometric functions may differ in the last bit.
"""

from __future__ import annotations

import math
from typing import Any, Sequence

import numpy as np

TURN = 2.0 * math.pi


def sin(x: Any) -> Any:
    """Returns the sine; for an infinite float, `math` raises ValueError."""
    return math.sin(x) if type(x) is float else np.sin(x)


def cos(x: Any) -> Any:
    """Returns the cosine."""
    return math.cos(x) if type(x) is float else np.cos(x)


def sin_and_cos(x: Any) -> tuple[Any, Any]:
    """Returns sine and cosine."""
    if type(x) is float:
        return math.sin(x), math.cos(x)
    return np.sin(x), np.cos(x)


def tan(x: Any) -> Any:
    """Returns the tangent."""
    return math.tan(x) if type(x) is float else np.tan(x)


def arcsin(x: Any) -> Any:
    """Returns the angle in [-pi/2, pi/2] with the sine `x`."""
    return math.asin(x) if type(x) is float else np.arcsin(x)


def arctan2(y: Any, x: Any) -> Any:
    """Returns the angle of the point (x, y), in [-pi, pi]."""
    return math.atan2(y, x) if type(y) is float else np.arctan2(y, x)


def copysign(size: Any, sign: Any) -> Any:
    """Returns `size` with the sign of `sign`."""
    return math.copysign(size, sign) if type(size) is float else np.copysign(size, sign)


def sqrt(x: Any) -> Any:
    """Returns the square root of a number that is not negative."""
    return math.sqrt(x) if type(x) is float else np.sqrt(x)


def fmod(x: Any, period: float) -> Any:
    """Returns the remainder of a division that rounds towards zero; NaN for infinity."""
    if type(x) is float:
        return math.fmod(x, period) if math.isfinite(x) else math.nan
    return np.fmod(x, period)


def where(condition: Any, yes: Any, no: Any) -> Any:
    """Returns `yes` where the condition holds and `no` elsewhere; both are always evaluated."""
    if type(condition) is bool or type(condition) is np.bool_:
        return yes if condition else no
    return np.where(condition, yes, no)


def wrap_once(turn: Any) -> Any:
    """Wraps an angle in [-2 pi, 2 pi] to (-pi, pi]."""
    if type(turn) is float:
        if turn > math.pi:
            return turn - TURN
        return turn + TURN if turn <= -math.pi else turn
    turn = np.where(turn > math.pi, turn - TURN, turn)
    return np.where(turn <= -math.pi, turn + TURN, turn)


def maximum(a: Any, b: Any) -> Any:
    """Returns the larger of two numbers; NaN if the first, or for arrays either one, is NaN."""
    if type(a) is float and type(b) is float:
        return b if b > a else a
    return np.maximum(a, b)


def row_of_largest(keys: Sequence[Any], rows: Sequence[Any]) -> Any:
    """Returns the components of the first row with the largest key."""
    if type(keys[0]) is float:
        return rows[keys.index(max(keys))]
    best = np.argmax(np.array(keys), axis=0)
    return np.array(rows)[best, :, np.arange(best.size)].T


_ZERO_QUATERNION = "Quaternion(0.0, 0.0, 0.0, 0.0) is no rotation: its length is zero"
_ZERO_VECTOR = "Vector3(0.0, 0.0, 0.0) has no direction: its length is zero"


class ZeroLengthError(ValueError):
    """Error for a length of zero in `row` of a block; the batch driver adds the full index."""

    def __init__(self, what: str, row: int = 0) -> None:
        super().__init__(_ZERO_QUATERNION if what == "quaternion" else _ZERO_VECTOR)
        self.what = what
        self.row = row


def refuse_zero(sizes: Any, what: str) -> None:
    """Raises ZeroLengthError when one of the sizes is zero; NaN passes."""
    if type(sizes) is float:
        if sizes == 0.0:
            raise ZeroLengthError(what)
    elif not sizes.all():
        raise ZeroLengthError(what, int(np.argmin(sizes != 0.0)))


def dot(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> Any:
    """Returns the scalar product."""
    return ax * bx + ay * by + az * bz


def cross(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> tuple[Any, Any, Any]:
    """Returns the vector product by the right-hand rule."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def length(x: Any, y: Any, z: Any) -> Any:
    """Returns the Euclidean length; the squares must neither overflow nor underflow."""
    return sqrt(x * x + y * y + z * z)


def distance(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> Any:
    """Returns the Euclidean distance, with the same limits as `length`."""
    return length(ax - bx, ay - by, az - bz)


def angle(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> Any:
    """Returns the angle in [0, pi], from its tangent, which is accurate at both ends."""
    a, b = length(ax, ay, az), length(bx, by, bz)
    refuse_zero(a, "vector")
    refuse_zero(b, "vector")
    return arctan2(length(*cross(ax, ay, az, bx, by, bz)), dot(ax, ay, az, bx, by, bz))


def normalize(x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """Returns the unit vector in the same direction."""
    size = length(x, y, z)
    refuse_zero(size, "vector")
    return x / size, y / size, z / size


def project(vx: Any, vy: Any, vz: Any, x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """Returns the part along the direction x, y, z."""
    x, y, z = normalize(x, y, z)
    size = dot(vx, vy, vz, x, y, z)
    return size * x, size * y, size * z

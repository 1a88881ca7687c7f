# SPDX-License-Identifier: Apache-2.0
"""Products of vectors and rotations as functions, which also accept plain sequences.

A direction or quaternion of zero length raises ValueError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, overload

from .values.coordinates import Coordinates, Vector3, xyz
from .values.rotation import Quaternion, as_quaternion

if TYPE_CHECKING:
    from ._typing import Numbers, RotationLike, VectorLike

C = TypeVar("C", bound=Coordinates)
_UP = Vector3.up()


def dot(a: VectorLike, b: VectorLike) -> float:
    """Returns the scalar product."""
    return Vector3(*xyz(a)).dot(b)


def cross(a: VectorLike, b: VectorLike) -> Vector3:
    """Returns the vector product by the right-hand rule."""
    return Vector3(*xyz(a)).cross(b)


def distance(a: VectorLike, b: VectorLike) -> float:
    """Returns the Euclidean distance."""
    return Vector3(*xyz(a)).distance(b)


def project(v: VectorLike, onto: VectorLike) -> Vector3:
    """Returns the part of `v` along the direction `onto`."""
    return Vector3(*xyz(v)).project(onto)


@overload
def rotate(rotation: RotationLike, v: C) -> C: ...
@overload
def rotate(rotation: RotationLike, v: Numbers) -> Vector3: ...
def rotate(rotation: RotationLike, v: Any) -> Any:
    """Rotates a Vector3, a Point or three numbers by a Quaternion, an Euler or x, y, z, w."""
    return as_quaternion(rotation).rotate(v)


def look_rotation(forward: VectorLike, up: VectorLike = _UP) -> Quaternion:
    """Returns the rotation that turns x to `forward`, and z as close to `up` as possible.

    See `Quaternion.look_rotation`.
    """
    return Quaternion.look_rotation(forward, up)

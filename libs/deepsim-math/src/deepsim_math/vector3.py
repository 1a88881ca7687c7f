# SPDX-License-Identifier: Apache-2.0
"""Displacements, directions and velocities."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

from ._coordinates import Coordinates, make, xyz

if TYPE_CHECKING:
    from ._typing import VectorLike

# Rounding leaves a normalized vector this near to length 1: normalizing again changes nothing.
_UNIT = 4 * sys.float_info.epsilon


class Vector3(Coordinates):
    """Displacement, direction or velocity: it has a length and no place.

    Axes are x forward, y left, z up, right-handed.

    >>> Vector3(1, 2, 3) + 2 * Vector3.up()
    Vector3(1.0, 2.0, 5.0)
    """

    __slots__ = ()

    @classmethod
    def zero(cls) -> Vector3:
        """(0, 0, 0)."""
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def one(cls) -> Vector3:
        """(1, 1, 1)."""
        return cls(1.0, 1.0, 1.0)

    @classmethod
    def forward(cls) -> Vector3:
        """(1, 0, 0)."""
        return cls(1.0, 0.0, 0.0)

    @classmethod
    def back(cls) -> Vector3:
        """(-1, 0, 0)."""
        return cls(-1.0, 0.0, 0.0)

    @classmethod
    def left(cls) -> Vector3:
        """(0, 1, 0)."""
        return cls(0.0, 1.0, 0.0)

    @classmethod
    def right(cls) -> Vector3:
        """(0, -1, 0)."""
        return cls(0.0, -1.0, 0.0)

    @classmethod
    def up(cls) -> Vector3:
        """(0, 0, 1)."""
        return cls(0.0, 0.0, 1.0)

    @classmethod
    def down(cls) -> Vector3:
        """(0, 0, -1)."""
        return cls(0.0, 0.0, -1.0)

    def cross(self, other: VectorLike) -> Vector3:
        """Vector product, by the right-hand rule: forward x left = up."""
        x, y, z = xyz(other)
        return make(
            Vector3,
            self.y * z - self.z * y,
            self.z * x - self.x * z,
            self.x * y - self.y * x,
        )

    def normalized(self) -> Vector3:
        """Make the unit vector of the same direction; a unit vector is returned as it is.

        Raises:
            ValueError: when the length is zero.
        """
        length = math.hypot(self.x, self.y, self.z)
        if length == 0.0:
            raise ValueError(f"cannot normalize {self!r}: its length is zero")
        if abs(length - 1.0) <= _UNIT:
            return self
        return make(Vector3, self.x / length, self.y / length, self.z / length)

    def project(self, onto: VectorLike) -> Vector3:
        """Keep the part of this vector that lies along the direction `onto`, of any length.

        Raises:
            ValueError: when `onto` has zero length.
        """
        direction = Vector3(*xyz(onto)).normalized()
        return direction * self.dot(direction)

    def __add__(self, other: Any) -> Vector3:
        if isinstance(other, Vector3):
            return make(Vector3, self.x + other.x, self.y + other.y, self.z + other.z)
        return NotImplemented

    def __sub__(self, other: Any) -> Vector3:
        if isinstance(other, Vector3):
            return make(Vector3, self.x - other.x, self.y - other.y, self.z - other.z)
        return NotImplemented

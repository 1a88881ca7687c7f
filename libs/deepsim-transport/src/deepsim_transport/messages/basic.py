# SPDX-License-Identifier: Apache-2.0
"""Places, velocities, forces, masses and times."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Point:
    """A place or a vector [m, or the unit of its owner]."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


@dataclass(frozen=True, slots=True)
class Quaternion:
    """A rotation; `u` is the scalar part."""

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    u: float = 1.0


@dataclass(frozen=True, slots=True)
class Pose:
    """Place and orientation in the world frame."""

    position: Point = field(default_factory=Point)
    orientation: Quaternion = field(default_factory=Quaternion)


@dataclass(frozen=True, slots=True)
class Twist:
    """Velocities [m/s, rad/s]; the angular one is a vector in the world frame."""

    linear_velocity: Point = field(default_factory=Point)
    euler_angle_velocity: Point = field(default_factory=Point)


@dataclass(frozen=True, slots=True)
class Wrench:
    """Force and torque [N, N m], in the world frame."""

    force: Point = field(default_factory=Point)
    torque: Point = field(default_factory=Point)


@dataclass(frozen=True, slots=True)
class Time:
    """An instant or a duration."""

    seconds: int = 0
    nanoseconds: int = 0

    @classmethod
    def of(cls, seconds: float) -> Time:
        """Returns a number of seconds >= 0 as a time, rounded to nanoseconds."""
        whole, rest = divmod(round(seconds * 1e9), 1_000_000_000)
        return cls(whole, rest)


@dataclass(frozen=True, slots=True)
class Mass:
    """Mass [kg] and moments of inertia [kg m^2]."""

    mass: float = 0.0
    inertia: tuple[float, ...] = ()

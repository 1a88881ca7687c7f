# SPDX-License-Identifier: Apache-2.0
"""Messages of positions, velocities, forces, masses and times."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Point:
    """A position or another vector; in metres, unless the message that holds it says otherwise.

    >>> Point(1.0, 2.0).z
    0.0
    """

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


@dataclass(frozen=True, slots=True)
class Quaternion:
    """A rotation as a unit quaternion; `u` is the scalar part.

    >>> Quaternion()  # no rotation
    Quaternion(x=0.0, y=0.0, z=0.0, u=1.0)
    """

    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    u: float = 1.0


@dataclass(frozen=True, slots=True)
class Pose:
    """Position [m] and orientation in the world frame.

    >>> Pose(Point(z=0.5)).position.z
    0.5
    """

    position: Point = field(default_factory=Point)
    orientation: Quaternion = field(default_factory=Quaternion)


@dataclass(frozen=True, slots=True)
class Twist:
    """Linear [m/s] and angular velocity [rad/s] in the world frame.

    `euler_angle_velocity`, a name from the paper on Gazebo 1.0, is the angular velocity.

    >>> Twist(linear_velocity=Point(x=2.0)).euler_angle_velocity.z
    0.0
    """

    linear_velocity: Point = field(default_factory=Point)
    euler_angle_velocity: Point = field(default_factory=Point)


@dataclass(frozen=True, slots=True)
class Wrench:
    """Force and torque [N, N m], in the world frame.

    >>> Wrench(force=Point(z=-9.81)).torque == Point()
    True
    """

    force: Point = field(default_factory=Point)
    torque: Point = field(default_factory=Point)


@dataclass(frozen=True, slots=True)
class Time:
    """An instant or a duration.

    >>> Time.of(1.5)
    Time(seconds=1, nanoseconds=500000000)
    """

    seconds: int = 0
    nanoseconds: int = 0

    @classmethod
    def of(cls, seconds: float) -> Time:
        """Converts a number of seconds, >= 0, to a time rounded to nanoseconds."""
        whole, rest = divmod(round(seconds * 1e9), 1_000_000_000)
        return cls(whole, rest)


@dataclass(frozen=True, slots=True)
class Mass:
    """Mass [kg] and moments of inertia [kg m^2].

    >>> Mass(2.0).inertia
    ()
    """

    mass: float = 0.0
    inertia: tuple[float, ...] = ()

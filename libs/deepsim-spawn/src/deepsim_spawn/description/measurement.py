# SPDX-License-Identifier: Apache-2.0
"""Quantities that sensors other than cameras measure, with their noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TypeAlias

from deepsim_sync import Noise

from .checks import finite, not_negative, positive
from .sdf_paths import sdf

_MOST_RAYS = 2**20


@dataclass(frozen=True, slots=True)
class Imu:
    """An inertial measurement unit: orientation in the world, angular velocity, specific force.

    The last two are in the axes of the sensor. At rest the specific force is 9.81 m/s^2 upwards.

    >>> SensorDescription("imu", measurement=Imu(), update_rate=200.0).type
    'imu'

    Attributes:
        angular_velocity: Noise [rad/s]: none, one for all axes, or one for each of x, y and z.
        linear_acceleration: Noise [m/s^2], likewise.
    """

    angular_velocity: tuple[Noise, ...] = ()
    linear_acceleration: tuple[Noise, ...] = ()

    def __post_init__(self) -> None:
        _noise_of_axes("imu angular_velocity", self.angular_velocity)
        _noise_of_axes("imu linear_acceleration", self.linear_acceleration)


@dataclass(frozen=True, slots=True)
class ForceTorque:
    """The force and torque that the parent link exerts on this one through their joint.

    Both are in the axes of the sensor, the torque about its origin.

    >>> wrist = ForceTorque(force=(Noise(stddev=0.1),))  # the same noise for x, y and z
    >>> SensorDescription("wrist", measurement=wrist).type
    'force_torque'

    Attributes:
        force: Noise [N]: none, one for all axes, or one for each of x, y and z.
        torque: Noise [N m], likewise.
    """

    force: tuple[Noise, ...] = ()
    torque: tuple[Noise, ...] = ()

    def __post_init__(self) -> None:
        _noise_of_axes("force_torque force", self.force)
        _noise_of_axes("force_torque torque", self.torque)


@dataclass(frozen=True, slots=True)
class ContactSensor:
    """The contacts of a link with all other bodies.

    >>> SensorDescription("bumper", measurement=ContactSensor(("bumper_collision",))).type
    'contact'

    Attributes:
        collisions: Names of the link's collisions to sense; if none of them exists, all collisions
            are sensed.
    """

    collisions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rays:
    """Equally spaced directions from the lower to the upper limit.

    >>> Lidar(Rays(3, -0.5, 0.5), max_range=10.0).horizontal.count
    3

    Attributes:
        count: Number of directions, >= 1; a single one is at the lower limit.
        min_angle: Lower limit [rad].
        max_angle: Upper limit [rad], >= `min_angle`.
    """

    count: int = 1
    min_angle: float = field(default=0.0, metadata=sdf("min_angle"))
    max_angle: float = field(default=0.0, metadata=sdf("max_angle"))

    def __post_init__(self) -> None:
        if not 1 <= self.count <= _MOST_RAYS:
            raise ValueError(f"rays must be 1..{_MOST_RAYS}, got {self.count}")
        finite("ray angles [rad]", self.min_angle, self.max_angle)
        if self.max_angle < self.min_angle:
            raise ValueError(
                "rays must have max_angle >= min_angle, "
                f"got {self.max_angle:g} < {self.min_angle:g} rad"
            )


@dataclass(frozen=True, slots=True)
class Lidar:
    """Distances along rays from the sensor's origin to the collisions of other models.

    >>> import math
    >>> scan = Lidar(Rays(180, -math.pi / 2, math.pi / 2), max_range=10.0)
    >>> SensorDescription("laser", measurement=scan).type
    'ray'

    Attributes:
        horizontal: Angles about +z, measured from +x; each row has one ray per angle.
        vertical: Angles above the xy plane, one per row, lowest first.
        min_range: Distance below which a surface reads as -inf [m].
        max_range: Distance above which a surface reads as +inf [m], like no surface at all.
        noise: Noise of the distances [m]: none, or one.
    """

    horizontal: Rays = field(default_factory=lambda: Rays(360, -math.pi, math.pi * 179 / 180))
    vertical: Rays = field(default_factory=Rays)
    min_range: float = field(default=0.0, metadata=sdf("range/min"))
    max_range: float = field(default=30.0, metadata=sdf("range/max"))
    noise: tuple[Noise, ...] = ()

    def __post_init__(self) -> None:
        not_negative("lidar min_range [m]", self.min_range)
        positive("lidar max_range [m]", self.max_range)
        if self.max_range <= self.min_range:
            raise ValueError(
                f"lidar max_range must be > min_range, got {self.max_range:g} m and "
                f"{self.min_range:g} m"
            )
        if self.horizontal.count * self.vertical.count > _MOST_RAYS:
            raise ValueError(
                f"a lidar must have <= {_MOST_RAYS} rays, got {self.horizontal.count} x "
                f"{self.vertical.count}"
            )
        if len(self.noise) > 1:
            raise ValueError(f"lidar noise must have at most one entry, got {len(self.noise)}")


@dataclass(frozen=True, slots=True)
class JointState:
    """Positions, velocities and efforts of joints, as encoders and drives report them.

    >>> SensorDescription("encoders", measurement=JointState(("hinge",)), update_rate=100.0).type
    'joint_state'

    Attributes:
        joints: Rows of the joints table without the model's name, such as ``hinge`` or
            ``ball::2``; by default all joints of the link's model.
        position: Noise [rad or m]: none, one for all joints, or one for each in `joints`.
        velocity: Noise [rad/s or m/s], likewise.
        effort: Noise [N m or N], likewise.
    """

    joints: tuple[str, ...] = ()
    position: tuple[Noise, ...] = ()
    velocity: tuple[Noise, ...] = ()
    effort: tuple[Noise, ...] = ()

    def __post_init__(self) -> None:
        for what in ("position", "velocity", "effort"):
            noise = getattr(self, what)
            if len(noise) not in (0, 1, len(self.joints)):
                raise ValueError(
                    f"joint_state {what} takes 0, 1 or {len(self.joints)} noises (one per named "
                    f"joint), got {len(noise)}"
                )


Measurement: TypeAlias = Imu | ForceTorque | ContactSensor | Lidar | JointState
"""Any measurement of a sensor."""

SENSOR_TYPES: dict[type[Measurement], str] = {
    Imu: "imu",
    ForceTorque: "force_torque",
    ContactSensor: "contact",
    Lidar: "ray",
    JointState: "joint_state",
}
"""SDF types in Gazebo 11 of all measurements; ``joint_state`` is DeepSim's own."""


def _noise_of_axes(what: str, noise: tuple[Noise, ...]) -> None:
    if len(noise) not in (0, 1, 3):
        raise ValueError(f"{what} takes 0, 1 or 3 noises (one per axis), got {len(noise)}")

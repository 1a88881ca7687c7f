# SPDX-License-Identifier: Apache-2.0
"""Sensors of a link, and the quantities that they measure with their noise."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TypeAlias

from deepsim_math import Pose
from deepsim_sync import Noise

from .checks import (
    finite,
    finite_pose,
    not_negative,
    positive,
    trimmed,
    word,
)
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
    """Distances along rays from the sensor's origin to collisions.

    By default, these are the collisions of other models.

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
        sees_own: Whether it measures distances to its own model, too, except to the link that
            carries it.
    """

    horizontal: Rays = field(default_factory=lambda: Rays(360, -math.pi, math.pi * 179 / 180))
    vertical: Rays = field(default_factory=Rays)
    min_range: float = field(default=0.0, metadata=sdf("range/min"))
    max_range: float = field(default=30.0, metadata=sdf("range/max"))
    noise: tuple[Noise, ...] = ()
    sees_own: bool = field(default=False, metadata=sdf("sees_own", rare=True))

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


STEREO = "multicamera"
"""The type of a stereo pair."""
_MOST_PIXELS = 2**14
"""Limit along a side of a picture; more than any camera has."""


@dataclass(frozen=True, slots=True)
class CameraDescription:
    """A pinhole camera that looks along +x of the sensor's frame, with +z up in the picture.

    >>> lens = CameraDescription(horizontal_fov=1.0, width=320, height=240)
    >>> SensorDescription("eye", camera=lens).type
    'camera'

    Attributes:
        horizontal_fov: Full horizontal angle of view [rad], > 0 and < pi.
        width: Width of the picture [pixels], 1..16384.
        height: Height of the picture [pixels], 1..16384.
        near: Nearest visible depth [m].
        far: Farthest visible depth [m].
        baseline: Distance to the right (-y) of the second camera of a stereo pair [m]; 0 for a
            single camera.
        noise: Noise of the colours, on a scale of 0 to 1: none, or one, which changes the three
            colours of a pixel equally.
    """

    horizontal_fov: float = field(default=1.047, metadata=sdf("horizontal_fov"))
    width: int = field(default=320, metadata=sdf("image/width"))
    height: int = field(default=240, metadata=sdf("image/height"))
    near: float = field(default=0.1, metadata=sdf("clip/near"))
    far: float = field(default=100.0, metadata=sdf("clip/far"))
    baseline: float = 0.0
    noise: tuple[Noise, ...] = ()

    def __post_init__(self) -> None:
        positive("camera horizontal_fov [rad]", self.horizontal_fov)
        if self.horizontal_fov >= math.pi:
            raise ValueError(
                f"camera horizontal_fov must be < pi rad, got {self.horizontal_fov:g}: "
                "wide-angle lenses are not supported"
            )
        if not (1 <= self.width <= _MOST_PIXELS and 1 <= self.height <= _MOST_PIXELS):
            raise ValueError(
                f"camera width and height must lie in 1..{_MOST_PIXELS} pixels, "
                f"got {self.width} x {self.height}"
            )
        not_negative("camera baseline [m]", self.baseline)
        if len(self.noise) > 1:
            raise ValueError(f"camera noise must have at most one entry, got {len(self.noise)}")
        positive("camera near [m]", self.near)
        positive("camera far [m]", self.far)
        if not self.far > self.near:
            raise ValueError(
                f"camera far must be > near, got far {self.far:g} m, near {self.near:g} m"
            )


@dataclass(frozen=True, slots=True)
class SensorDescription:
    """A sensor of a link.

    >>> imu = SensorDescription("imu", measurement=Imu(), update_rate=200)
    >>> base = LinkDescription("base", sensors=(imu,))
    >>> base.sensors[0].type
    'imu'

    Attributes:
        name: Unique among the sensors of the link.
        type: Type in the file: ``camera``, ``ray``, ``imu``, ``contact``, ...; derived from
            `measurement` or `camera` if empty.
        pose: Pose in the link frame; for cameras, the pose of the camera itself.
        update_rate: Rate in simulated time [Hz]; 0 measures on every read.
        camera: Lens and picture of a camera, otherwise None.
        measurement: Measurement of other sensors; None for types that are only kept as text.
        delay: Simulated time from a measurement until it can be read [s]; not part of any file.
        xml: The whole element as text, for backends that support more of the type.
    """

    name: str
    type: str = ""
    pose: Pose = field(default_factory=Pose)
    update_rate: float = field(default=0.0, metadata=sdf("update_rate"))
    camera: CameraDescription | None = None
    xml: str = field(default="", repr=False)
    measurement: Measurement | None = None
    delay: float = 0.0

    def __post_init__(self) -> None:
        if not self.type and self.measurement is not None:
            object.__setattr__(self, "type", SENSOR_TYPES[type(self.measurement)])
        elif not self.type and self.camera is not None:
            kind = STEREO if self.camera.baseline else "camera"
            object.__setattr__(self, "type", kind)
        elif self.camera is not None and (self.type == STEREO) != (self.camera.baseline > 0.0):
            raise ValueError(
                f"sensor {self.name!r} of type {self.type!r} has a baseline of "
                f"{self.camera.baseline:g} m: expected one for {STEREO!r} only"
            )
        word(f"the type of sensor {self.name!r}", self.type)
        finite_pose(f"sensor {self.name!r}", self.pose)
        not_negative("sensor update_rate [Hz]", self.update_rate)
        not_negative("sensor delay [s]", self.delay)


@dataclass(frozen=True, slots=True)
class PluginDescription:
    """A plugin, kept as text and never run here.

    >>> plugin = PluginDescription("drive", "libgazebo_ros_diff_drive.so", "<plugin/>")
    >>> plugin.filename
    'libgazebo_ros_diff_drive.so'

    Attributes:
        name: Name in the file.
        filename: The library that Gazebo would load.
        xml: The whole element as text, including the plugin's settings.
    """

    name: str
    filename: str
    xml: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        trimmed("the name of a plugin", self.name)
        trimmed("the filename of a plugin", self.filename)

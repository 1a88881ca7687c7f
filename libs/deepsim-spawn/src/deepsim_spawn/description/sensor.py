# SPDX-License-Identifier: Apache-2.0
"""Sensors of a link."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from deepsim_math import Pose
from deepsim_sync import Noise

from .checks import finite_pose, not_negative, positive, trimmed, word
from .measurement import SENSOR_TYPES, Measurement
from .sdf_paths import sdf

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

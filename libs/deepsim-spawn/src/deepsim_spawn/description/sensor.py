# SPDX-License-Identifier: Apache-2.0
"""Sensors of a link."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from deepsim_math import Pose

from .checks import finite_pose, not_negative, positive
from .measurement import SENSOR_TYPES, Measurement
from .names import word

STEREO = "multicamera"
"""The type of a stereo pair."""
_MOST_PIXELS = 2**14
"""Along a side of a picture; more than any camera has, and few enough to count."""


@dataclass(frozen=True, slots=True)
class CameraDescription:
    """A pinhole camera that looks along +x of the sensor's frame, z up in the picture.

    >>> lens = CameraDescription(horizontal_fov=1.0, width=320, height=240)
    >>> SensorDescription("eye", camera=lens).type
    'camera'

    Attributes:
        horizontal_fov: Full horizontal angle of view [rad], > 0 and < pi.
        width: Of the picture [pixels], 1..16384.
        height: Of the picture [pixels], 1..16384.
        near: Nearest visible depth [m].
        far: Farthest visible depth [m].
        baseline: Of a stereo pair: how far to the right (-y) of this camera there is another one
            like it [m]; 0 for a single camera.
    """

    horizontal_fov: float = 1.047
    width: int = 320
    height: int = 240
    near: float = 0.1
    far: float = 100.0
    baseline: float = 0.0

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
        positive("camera near [m]", self.near)
        positive("camera far [m]", self.far)
        if not self.far > self.near:
            raise ValueError(
                f"camera far must be > near, got far {self.far:g} m, near {self.near:g} m"
            )


@dataclass(frozen=True, slots=True)
class SensorDescription:
    """A sensor.

    >>> imu = SensorDescription("imu", measurement=Imu(), update_rate=200)
    >>> base = LinkDescription("base", sensors=(imu,))
    >>> base.sensors[0].type
    'imu'

    Attributes:
        name: Unique among the sensors of the link.
        type: As in the file: ``camera``, ``ray``, ``imu``, ``contact``, ...; by default that of
            what it measures, or ``camera``.
        pose: In the link frame; of the camera itself where the sensor is one.
        update_rate: [Hz] of simulated time; 0 measures whenever it is read.
        camera: Lens and picture of sensors that are cameras, otherwise None.
        measurement: What other sensors measure; None for types that are only kept as text.
        delay: From a measurement until it can be read, in simulated time [s]; no file says it.
        xml: The whole element as text, for backends that know more of the type.
    """

    name: str
    type: str = ""
    pose: Pose = field(default_factory=Pose)
    update_rate: float = 0.0
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
                f"{self.camera.baseline:g} m: {STEREO!r} needs one, and no other type has any"
            )
        word(f"the type of sensor {self.name!r}", self.type)
        finite_pose(f"sensor {self.name!r}", self.pose)
        not_negative("sensor update_rate [Hz]", self.update_rate)
        not_negative("sensor delay [s]", self.delay)

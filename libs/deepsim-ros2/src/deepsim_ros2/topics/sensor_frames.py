# SPDX-License-Identifier: Apache-2.0
"""The frames of sensors."""

from __future__ import annotations

from deepsim_math import Pose
from deepsim_spawn import SensorDescription


def sensor_frame(link: str, sensor: SensorDescription) -> str:
    """Returns the frame of a sensor: that of its link if they coincide."""
    return link if sensor.pose == Pose() else f"{link}/{sensor.name}"


def optical_frame(frame: str, sensor: SensorDescription) -> str:
    """Returns the frame of a camera's pictures, with z forward."""
    stem = frame if frame.endswith(f"/{sensor.name}") else f"{frame}/{sensor.name}"
    return f"{stem}_optical_frame"

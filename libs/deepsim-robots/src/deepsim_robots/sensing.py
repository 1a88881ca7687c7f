# SPDX-License-Identifier: Apache-2.0
"""Adds the sensors of a configuration to a robot's description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from deepsim_spawn import MjcfModel, ModelDescription, SensorDescription
from deepsim_sync import UnknownEntityError, UnsupportedError


@dataclass(frozen=True, slots=True)
class MountedSensor:
    """A sensor on a link of a robot; ``world.sensors["robot::link::name"]`` reads it.

    >>> imu = MountedSensor("tool", SensorDescription("imu", measurement=Imu(), update_rate=100.0))
    >>> world = World(MujocoSimulator())
    >>> robot = Robot(world, replace(find_robot("arm").load(), sensors=(imu,)), "arm")
    >>> world.tick()
    >>> world.sensors["arm::tool::imu"].linear_acceleration.shape
    (1, 3)

    Attributes:
        link: Name of the link.
        sensor: Description of the sensor, with its pose in the frame of the link.
    """

    link: str
    sensor: SensorDescription


def with_sensors(
    description: ModelDescription | MjcfModel, sensors: Sequence[MountedSensor]
) -> ModelDescription | MjcfModel:
    """Returns a description with additional sensors.

    Raises:
        UnknownEntityError: The link does not exist.
        UnsupportedError: The description is MJCF.
    """
    if not sensors:
        return description
    if isinstance(description, MjcfModel):
        raise UnsupportedError("sensors can be added to SDF and URDF, not to MJCF")
    links = {link.name: link for link in description.links}
    for mounted in sensors:
        if mounted.link not in links:
            raise UnknownEntityError(f"link of {description.name!r}", mounted.link, links)
        link = links[mounted.link]
        links[mounted.link] = replace(link, sensors=(*link.sensors, mounted.sensor))
    return replace(description, links=tuple(links.values()))

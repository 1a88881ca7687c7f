# SPDX-License-Identifier: Apache-2.0
"""Changes of a robot's description: its base, fixed or free, and additional sensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from deepsim_spawn import (
    ForceTorque,
    JointDescription,
    MjcfModel,
    ModelDescription,
    SensorDescription,
)
from deepsim_sync import UnknownEntityError, UnsupportedError

_WORLD = "world"
_JOINT = "fixed_base"


def with_base(
    description: ModelDescription | MjcfModel, fixed: bool | None
) -> ModelDescription | MjcfModel:
    """Returns a description with a fixed or free base; None leaves the base as it is.

    Raises:
        UnsupportedError: The description is MJCF; there, the file determines the kind of base.
    """
    if fixed is None:
        return description
    if isinstance(description, MjcfModel):
        raise UnsupportedError("fixed_base is not for MJCF: its file has a free joint, or none")
    bound = [joint for joint in description.joints if joint.parent == _WORLD]
    if fixed:
        if bound or not description.canonical_link:
            return description
        joint = JointDescription(_JOINT, "fixed", _WORLD, description.canonical_link)
        return replace(description, joints=(*description.joints, joint))
    free = tuple(
        joint for joint in description.joints if joint not in bound or joint.type != "fixed"
    )
    return replace(description, joints=free)


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
        link: Name of the link; ``nested::link`` in a nested model.
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
        ValueError: A force-torque sensor is on a link without a joint above it.
    """
    if not sensors:
        return description
    if isinstance(description, MjcfModel):
        raise UnsupportedError("sensors can be added to SDF and URDF, not to MJCF")
    known = [name for name, _, _ in description.all_links()]
    children = {joint.child for joint in description.all_joints()}
    for mounted in sensors:
        if mounted.link not in known:
            raise UnknownEntityError(f"link of {description.name!r}", mounted.link, known)
        if isinstance(mounted.sensor.measurement, ForceTorque) and mounted.link not in children:
            raise ValueError(
                f"sensor {mounted.sensor.name!r} measures force and torque in the joint above its "
                f"link, but no joint has the child {mounted.link!r}"
            )
        description = _mounted(description, mounted.link, mounted.sensor)
    return description


def _mounted(model: ModelDescription, link: str, sensor: SensorDescription) -> ModelDescription:
    """Returns a model with one more sensor, on a link of its own or of a nested model."""
    nested, _, rest = link.partition("::")
    if rest:
        models = (_mounted(m, rest, sensor) if m.name == nested else m for m in model.models)
        return replace(model, models=tuple(models))
    links = (
        replace(each, sensors=(*each.sensors, sensor)) if each.name == link else each
        for each in model.links
    )
    return replace(model, links=tuple(links))

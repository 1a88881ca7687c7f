# SPDX-License-Identifier: Apache-2.0
"""Conversion of sensors other than cameras to MuJoCo sensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from deepsim_math import Pose
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import ContactSensor, ForceTorque, Imu, JointState, SensorDescription
from deepsim_sync import SCOPE, SpawnError

from .servos import Axis

_SENSOR, _OBJECT = mujoco.mjtSensor, mujoco.mjtObj
VELOCITY = "velocity"
"""The linear velocity of an inertial unit in the world frame, whose change it measures."""
_OF_SITES = {
    Imu: {
        "orientation": _SENSOR.mjSENS_FRAMEQUAT,
        "angular_velocity": _SENSOR.mjSENS_GYRO,
        VELOCITY: _SENSOR.mjSENS_FRAMELINVEL,
    },
    ForceTorque: {"force": _SENSOR.mjSENS_FORCE, "torque": _SENSOR.mjSENS_TORQUE},
}
"""MuJoCo's sensor type for each quantity of a sensor; all measure at the sensor's site."""
NET = "net"
"""The sum of all contacts: number, force, torque about a point, and this point."""
NEAREST = "nearest"
"""The distance and the normal of the deepest contact."""
_CONTACTS = {NET: [0b010111, 3, 1], NEAREST: [0b101000, 1, 1]}  # fields, reduction, slots


class BuiltSensor(NamedTuple):
    """A sensor and its objects in MuJoCo."""

    model: str
    """Name of the spawned model."""
    site: str
    """Name of the site at the pose of the sensor."""
    parts: int
    """Number of geoms or bodies whose contacts a contact sensor measures; otherwise 0."""
    description: SensorDescription

    def output(self, what: str, part: int = 0) -> str:
        """Returns the name of the MuJoCo sensor for a quantity."""
        return f"{self.site} {what} {part}"


def add_sensor(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    frame: Pose,
    sensor: SensorDescription,
    name: str,
    geoms: Sequence[tuple[str, str]],
) -> tuple[BuiltSensor, list[mujoco.MjsElement]]:
    """Adds a sensor to the body of its link.

    Returns:
        The sensor, and the objects that were added in addition to its site.
    """
    site = f"#sensor {name}"
    pose = frame @ sensor.pose
    body.add_site(
        name=site,
        pos=list(pose.position),
        quat=list(pose.orientation.normalized().to_wxyz()),
        group=5,  # a group that is not drawn
    )
    model = name.split("::")[0]
    added = []
    if not isinstance(sensor.measurement, ContactSensor):
        built = BuiltSensor(model, site, 0, sensor)
        for what, kind in _OF_SITES.get(type(sensor.measurement), {}).items():
            added.append(
                spec.add_sensor(
                    name=built.output(what), type=kind, objtype=_OBJECT.mjOBJ_SITE, objname=site
                )
            )
        return built, added
    feeling = _feeling(body.name, sensor.measurement, geoms)
    built = BuiltSensor(model, site, len(feeling), sensor)
    for part, (kind, primary) in enumerate(feeling):
        for what, parameters in _CONTACTS.items():
            made = spec.add_sensor(
                name=built.output(what, part),
                type=_SENSOR.mjSENS_CONTACT,
                objtype=kind,
                objname=primary,
            )
            made.intprm[:3] = parameters
            added.append(made)
    return built, added


def joints_of(name: str, state: JointState, axes: Mapping[str, Axis]) -> list[str]:
    """Returns the names of the axes that a joint_state sensor reads.

    Raises:
        SpawnError: The sensor names a joint that its model lacks.
    """
    scope = name.rsplit(SCOPE, 2)[0] + SCOPE
    known = [axis for axis in axes if axis.startswith(scope)]
    named = [scope + joint for joint in state.joints]
    for joint in named:
        if joint not in axes:
            raise SpawnError(
                name.split(SCOPE)[0],
                f"sensor {name!r} reads joint {joint!r}, which does not exist; known: "
                f"{', '.join(known) or 'none'}",
            )
    return named or known


def _feeling(
    body: str, contact: ContactSensor, geoms: Sequence[tuple[str, str]]
) -> list[tuple[mujoco.mjtObj, str]]:
    """Returns the MuJoCo objects whose contacts count, a whole body or some of its geoms."""
    chosen = [geom for collision, geom in geoms if collision in contact.collisions]
    if not chosen or len(chosen) == len(geoms):
        return [(_OBJECT.mjOBJ_BODY, body)]
    return [(_OBJECT.mjOBJ_GEOM, geom) for geom in chosen]

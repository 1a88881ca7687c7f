# SPDX-License-Identifier: Apache-2.0
"""Sensors and cameras of MJCF models."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from deepsim_math import Pose, Quaternion
from deepsim_mujoco.imports import mujoco
from deepsim_spawn import CameraDescription, SensorDescription
from deepsim_sync import SCOPE

from .mjcf_actuators import JointCommand, marked_name

_TYPE, _OBJECT = mujoco.mjtSensor, mujoco.mjtObj
_WORLD = "world"
_UNKNOWN = ("user", "plugin")
"""Sensors that need code beside the file."""
_FIELDS = ("type", "objtype", "objname", "reftype", "refname", "cutoff", "dim", "datatype")
_VELOCITIES = {
    _TYPE.mjSENS_ACCELEROMETER: _TYPE.mjSENS_FRAMELINVEL,
    _TYPE.mjSENS_FRAMELINACC: _TYPE.mjSENS_FRAMELINVEL,
    _TYPE.mjSENS_FRAMEANGACC: _TYPE.mjSENS_FRAMEANGVEL,
}
"""The velocity whose change in a step is the acceleration that a sensor measures."""
_OF_ACTUATORS = {
    _TYPE.mjSENS_ACTUATORPOS: _TYPE.mjSENS_JOINTPOS,
    _TYPE.mjSENS_ACTUATORVEL: _TYPE.mjSENS_JOINTVEL,
    _TYPE.mjSENS_ACTUATORFRC: _TYPE.mjSENS_ACTUATORFRC,
}
"""What replaces the sensors of an actuator that became a servo."""
_OF_LIMITS = (
    *(_TYPE.mjSENS_JOINTLIMITPOS, _TYPE.mjSENS_JOINTLIMITVEL),
    *(_TYPE.mjSENS_TENDONLIMITPOS, _TYPE.mjSENS_TENDONLIMITVEL),
)
_FIXED = int(mujoco.mjtCamLight.mjCAMLIGHT_FIXED)
_PERSPECTIVE = int(mujoco.mjtProjection.mjPROJ_PERSPECTIVE)
_DEPTH = int(mujoco.mjtCamOutBit.mjCAMOUT_DEPTH)
_PICTURE = 640, 480  # the size of MuJoCo's own pictures
_LOOKING = Pose(
    orientation=Quaternion.from_matrix(
        np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
    )
)
"""Frame that looks along +x with z up, in that of a camera that looks along -z with y up."""
_SQUARE = 0.01  # by which the sides of a square pixel differ at most


class MjcfSensor(NamedTuple):
    """A sensor of an MJCF file and its objects in MuJoCo."""

    output: str
    """Name of MuJoCo's sensor."""
    factor: float
    """Value per output of MuJoCo's sensor; that of an actuator which became a servo is its gear."""
    cutoff: float
    """Largest magnitude of the value; inf without one, or if MuJoCo applies it."""
    update_rate: float
    delay: float
    velocity: str
    """MuJoCo's sensor of the velocity whose change is measured; empty for none."""
    turn: str
    """MuJoCo's sensor of the orientation of an accelerometer; empty for none."""
    has_weight: bool
    """Whether gravity counts as an acceleration."""
    site: str
    """Site of a force or torque sensor; empty for others."""
    servo: str
    """The axis whose effort is a part of the value; empty for none."""
    is_of_limits: bool
    """Whether the value is that of the constraint of a joint's or a tendon's limit."""


class DescribedSensor(NamedTuple):
    """A sensor as described by a file, without the prefix of its model."""

    name: str
    fields: dict[str, Any]
    """The fields of MuJoCo's sensor."""
    parameters: list[int]
    """Its integer parameters."""
    update_rate: float
    delay: float
    factor: float
    servo: str
    """The joint whose servo's effort is a part of the value; empty for none."""


def name_sensors(root: ElementTree.Element) -> list[str]:
    """Gives all sensors names, and removes those that cannot be simulated; returns their names."""
    lost: list[str] = []
    for number, (section, element) in enumerate(_elements(root)):
        name = element.attrib.setdefault("name", f"sensor {number}")
        objects = [element.get(each) for each in ("body", "body1", "body2", "subtree1", "subtree2")]
        if element.get("objtype") in ("body", "xbody"):
            objects.append(element.get("objname"))
        if element.get("reftype") in ("body", "xbody") and element.get("refname") == _WORLD:
            del element.attrib["reftype"], element.attrib["refname"]
        if element.tag in _UNKNOWN or _WORLD in objects:
            section.remove(element)
            lost.append(name)
    return lost


def remove_sensors(root: ElementTree.Element) -> None:
    """Removes all sensors; `MjcfSensors` adds them when the servos of joints exist."""
    for section in root.findall("sensor"):
        root.remove(section)


def geoms_of_sensors(root: ElementTree.Element) -> set[str]:
    """Returns the names of the geoms that frame sensors measure or refer to."""
    ends = (("objtype", "objname"), ("reftype", "refname"))
    return {
        element.get(name, "")
        for _, element in _elements(root)
        for kind, name in ends
        if element.get(kind) == "geom"
    }


def described_sensors(
    spec: mujoco.MjSpec,
    model: mujoco.MjModel,
    commands: Mapping[int, Sequence[JointCommand]],
) -> tuple[list[DescribedSensor], list[str]]:
    """Returns the sensors of a file.

    Args:
        spec: The spec of the file.
        model: The model that was compiled from it.
        commands: The commands of the actuators that become servos, by number.

    Returns:
        The sensors, and the names of those that cannot be simulated: forces of one of several
        actuators of a joint.
    """
    joints = [each[0].joint for each in commands.values() if each]
    found: list[DescribedSensor] = []
    lost: list[str] = []
    for number, sensor in enumerate(spec.sensors):
        fields = {each: getattr(sensor, each) for each in _FIELDS}
        factor, servo, kind = 1.0, "", sensor.type
        if sensor.objtype == _OBJECT.mjOBJ_ACTUATOR:
            actuator = int(model.sensor_objid[number])
            if actuator not in commands:
                fields["objname"] = marked_name(sensor.objname)
            else:
                joint = int(model.actuator_trnid[actuator, 0])
                servo, factor = model.joint(joint).name, float(model.actuator_gear[actuator, 0])
                fields["type"] = _OF_ACTUATORS[kind]
                fields["objname"] = servo
                if kind == _TYPE.mjSENS_ACTUATORFRC:
                    factor = 1.0 / factor
                    if joints.count(joint) > 1:
                        lost.append(sensor.name)
                        continue
                else:
                    fields["objtype"], servo = _OBJECT.mjOBJ_JOINT, ""
        elif kind == _TYPE.mjSENS_JOINTACTFRC:
            servo = sensor.objname
        rate = 1.0 / sensor.interval[0] if sensor.interval[0] > 0.0 else 0.0
        parameters = sensor.intprm.tolist()
        delay = float(sensor.delay)
        found.append(DescribedSensor(sensor.name, fields, parameters, rate, delay, factor, servo))
    return found, lost


def add_sensors(
    spec: mujoco.MjSpec, model: str, sensors: Iterable[DescribedSensor]
) -> tuple[dict[str, MjcfSensor], list[mujoco.MjsElement]]:
    """Adds the sensors of a file to the spec of a world that has its model, with its servos.

    Returns:
        The sensors by name, and MuJoCo's sensors that were added.
    """
    prefix = model + SCOPE
    found: dict[str, MjcfSensor] = {}
    added: list[mujoco.MjsElement] = []

    def add(name: str, fields: Mapping[str, Any], parameters: Iterable[int]) -> str:
        made = spec.add_sensor(name=name, **fields)
        made.intprm[:3] = list(parameters)
        added.append(made)
        return name

    for name, own, parameters, rate, delay, factor, servo in sensors:
        fields = {**own}
        for each in ("objname", "refname"):
            if fields[each]:
                fields[each] = prefix + fields[each]
        kind, scoped = fields["type"], prefix + name
        velocity = turn = site = ""
        if kind in _VELOCITIES:
            helper = {**fields, "type": _VELOCITIES[kind], "cutoff": 0.0}
            velocity = add(f"#velocity {scoped}", helper, parameters)
            if kind == _TYPE.mjSENS_ACCELEROMETER:
                helper["type"] = _TYPE.mjSENS_FRAMEQUAT
                turn = add(f"#turn {scoped}", helper, parameters)
        elif kind in (_TYPE.mjSENS_FORCE, _TYPE.mjSENS_TORQUE):
            site = fields["objname"]
        cutoff = math.inf
        if fields["cutoff"] and (velocity or site or servo or factor != 1.0):
            cutoff, fields["cutoff"] = fields["cutoff"], 0.0
        found[scoped] = MjcfSensor(
            add(scoped, fields, parameters),
            factor,
            cutoff,
            rate,
            delay,
            velocity,
            turn,
            kind in (_TYPE.mjSENS_ACCELEROMETER, _TYPE.mjSENS_FRAMELINACC),
            site,
            prefix + servo if servo else "",
            kind in _OF_LIMITS,
        )
    return found, added


def described_cameras(
    model: mujoco.MjModel,
) -> tuple[list[tuple[str, str, SensorDescription]], list[str]]:
    """Returns the cameras of a compiled file.

    Returns:
        Body and name of each camera with its description, and the names of those that cannot be
        simulated: cameras that follow or look at a body, and lenses other than a centred pinhole.
    """
    found: list[tuple[str, str, SensorDescription]] = []
    lost: list[str] = []
    for number in range(model.ncam):
        camera = model.camera(number)
        name = camera.name or f"camera {number}"
        width, height = model.cam_resolution[number].tolist()
        if width == height == 1:  # not given
            width, height = _PICTURE
        if not _is_pinhole(model, number, width / height):
            lost.append(name)
            continue
        up = math.tan(math.radians(float(camera.fovy[0])) / 2.0)
        lens = CameraDescription(2.0 * math.atan(up * width / height), width, height)
        w, x, y, z = camera.quat.tolist()
        pose = Pose(tuple(camera.pos.tolist()), Quaternion(x, y, z, w)) @ _LOOKING
        kind = "rgbd_camera" if model.cam_output[number] & _DEPTH else "camera"
        body = model.body(int(camera.bodyid[0])).name
        found.append((body, name, SensorDescription(name, kind, pose, camera=lens)))
    return found, lost


def _is_pinhole(model: mujoco.MjModel, number: int, aspect: float) -> bool:
    """Returns whether a camera is fixed to its body, and a centred pinhole with square pixels."""
    if model.cam_mode[number] != _FIXED or model.cam_projection[number] != _PERSPECTIVE:
        return False
    width, height = model.cam_sensorsize[number].tolist()
    if not width:
        return True
    across, along, *centre = model.cam_intrinsic[number].tolist()
    pixels = across / along * height / width * aspect
    return not any(centre) and abs(pixels - 1.0) < _SQUARE


def _elements(
    root: ElementTree.Element,
) -> list[tuple[ElementTree.Element, ElementTree.Element]]:
    """Returns all sensors with their sections."""
    return [(section, each) for section in root.findall("sensor") for each in section]

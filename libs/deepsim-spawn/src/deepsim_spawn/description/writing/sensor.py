# SPDX-License-Identifier: Apache-2.0
"""`<sensor>` and `<plugin>` elements: the text kept from a file, updated with described values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lxml import etree

from deepsim_math import Pose
from deepsim_spawn.description.sdf_paths import at, put, put_fields, write_pose
from deepsim_spawn.description.sensor import (
    ContactSensor,
    ForceTorque,
    Imu,
    JointState,
    Lidar,
)

if TYPE_CHECKING:
    from deepsim_spawn.description.sensor import (
        CameraDescription,
        Measurement,
        PluginDescription,
        SensorDescription,
    )
    from deepsim_sync import Noise


JOINT_SENSOR = "force_torque"
"""The sensor type that SDF places in joints."""


def write_sensor(owner: etree._Element, sensor: SensorDescription) -> None:
    """Adds a sensor to a link, or a force-torque sensor posed in the joint frame to a joint.

    Raises:
        ValueError: The kept text is not XML.
    """
    element = _kept("sensor", sensor.name, sensor.xml)
    owner.append(element)
    element.set("type", sensor.type)
    posed = [element] if sensor.camera is None else [element, *element.findall("camera")]
    for each in posed:
        for pose in each.findall("pose"):  # may refer to a frame that no longer exists
            each.remove(pose)
    write_pose(element, sensor.pose)
    put_fields(element, sensor)
    if sensor.measurement is not None:
        _write_measurement(element, sensor.measurement)
    if sensor.camera is not None:
        _write_cameras(element, sensor.camera)


def _write_cameras(sensor: etree._Element, camera: CameraDescription) -> None:
    """Writes one lens, or two of a stereo pair, into the existing elements or new ones."""
    sides = ("left", "right") if camera.baseline else ("camera",)
    lenses = sensor.findall("camera")
    for side in sides[len(lenses) :]:
        lenses.append(etree.SubElement(sensor, "camera", name=side))
    for lens in lenses:
        put_fields(lens, camera)
        for noise in lens.findall("noise"):
            lens.remove(noise)
        _write_noise(lens, camera.noise)
    if camera.baseline:
        write_pose(lenses[1], Pose((0.0, -camera.baseline, 0.0)))


def _write_measurement(sensor: etree._Element, measurement: Measurement) -> None:
    if isinstance(measurement, Imu):
        _write_axes(sensor, "imu/angular_velocity", measurement.angular_velocity)
        _write_axes(sensor, "imu/linear_acceleration", measurement.linear_acceleration)
    elif isinstance(measurement, ForceTorque):
        put(sensor, "force_torque/frame", "sensor")
        put(sensor, "force_torque/measure_direction", "parent_to_child")
        _write_axes(sensor, "force_torque/force", measurement.force)
        _write_axes(sensor, "force_torque/torque", measurement.torque)
    elif isinstance(measurement, ContactSensor):
        _write_collisions(sensor, measurement)
    elif isinstance(measurement, JointState):
        _write_joints(sensor, measurement)
    else:
        _write_lidar(sensor, measurement)


def _write_collisions(sensor: etree._Element, contact: ContactSensor) -> None:
    element = at(sensor, "contact")
    for collision in element.findall("collision"):
        element.remove(collision)
    for name in contact.collisions:
        etree.SubElement(element, "collision").text = name


def _write_joints(sensor: etree._Element, state: JointState) -> None:
    for old in sensor.findall("joint_state"):
        sensor.remove(old)
    element = etree.SubElement(sensor, "joint_state")
    for name in state.joints:
        etree.SubElement(element, "joint").text = name
    for name in ("position", "velocity", "effort"):
        column = etree.SubElement(element, name)
        for noise in getattr(state, name):
            _put_noise(etree.SubElement(column, "noise"), noise)


def _write_lidar(sensor: etree._Element, lidar: Lidar) -> None:
    ray = at(sensor, "lidar" if sensor.find("lidar") is not None else "ray")
    for axis, rays in (("horizontal", lidar.horizontal), ("vertical", lidar.vertical)):
        scan = at(ray, f"scan/{axis}")
        put(scan, "samples", rays.count)
        put(scan, "resolution", 1)
        put_fields(scan, rays)
    put_fields(ray, lidar)
    _write_noise(ray, lidar.noise)


def _write_noise(owner: etree._Element, noise: Sequence[Noise]) -> None:
    """Adds the noise of a lidar or camera, with its type as an element."""
    for each in noise:
        put(owner, "noise/type", _kind(each))
        put_fields(at(owner, "noise"), each)


def _write_axes(sensor: etree._Element, path: str, noise: tuple[Noise, ...]) -> None:
    for axis, each in zip("xyz", noise * (3 if len(noise) == 1 else 1), strict=False):
        _put_noise(at(sensor, f"{path}/{axis}/noise"), each)


def _put_noise(element: etree._Element, noise: Noise) -> None:
    element.set("type", _kind(noise))
    put_fields(element, noise)


def _kind(noise: Noise) -> str:
    return "gaussian_quantized" if noise.precision else "gaussian"


def write_plugin(owner: etree._Element, plugin: PluginDescription) -> None:
    """Adds a plugin to a model or world.

    Raises:
        ValueError: The kept text is not XML.
    """
    element = _kept("plugin", plugin.name, plugin.xml)
    element.set("filename", plugin.filename)
    owner.append(element)


def _kept(tag: str, name: str, xml: str) -> etree._Element:
    """Returns the element in the text that a description keeps, or a new one for empty text."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        element = etree.fromstring(xml, parser) if xml else etree.Element(tag)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"the xml of {tag} {name!r} is malformed: {error.msg}") from error
    if element.tag != tag:
        raise ValueError(f"the xml of {tag} {name!r} must be a <{tag}>, got <{element.tag}>")
    element.set("name", name)
    return element

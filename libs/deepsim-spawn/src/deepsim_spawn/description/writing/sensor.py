# SPDX-License-Identifier: Apache-2.0
"""`<sensor>` and `<plugin>` elements: the text kept from a file, updated with described values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from deepsim_math import Pose
from deepsim_spawn.description.tags import CAMERA

from .document import put, put_fields, write_pose
from .measurement import write_measurement, write_noise

if TYPE_CHECKING:
    from deepsim_spawn.description.sensor import (
        CameraDescription,
        PluginDescription,
        SensorDescription,
    )


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
    put(element, "update_rate", sensor.update_rate)
    if sensor.measurement is not None:
        write_measurement(element, sensor.measurement)
    if sensor.camera is not None:
        _write_cameras(element, sensor.camera)


def _write_cameras(sensor: etree._Element, camera: CameraDescription) -> None:
    """Writes one lens, or two of a stereo pair, into the existing elements or new ones."""
    sides = ("left", "right") if camera.baseline else ("camera",)
    lenses = sensor.findall("camera")
    for side in sides[len(lenses) :]:
        lenses.append(etree.SubElement(sensor, "camera", name=side))
    for lens in lenses:
        put_fields(lens, camera, CAMERA)
        for noise in lens.findall("noise"):
            lens.remove(noise)
        write_noise(lens, camera.noise)
    if camera.baseline:
        write_pose(lenses[1], Pose((0.0, -camera.baseline, 0.0)))


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

# SPDX-License-Identifier: Apache-2.0
"""`<world>`, `<model>` and `<joint>` elements."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from lxml import etree

from .document import put, put_fields, write_pose
from .link import write_light, write_link
from .sensor import JOINT_SENSOR, write_plugin, write_sensor

if TYPE_CHECKING:
    from deepsim_spawn.description.joint import JointAxis, JointDescription
    from deepsim_spawn.description.model import ModelDescription
    from deepsim_spawn.description.sensor import SensorDescription
    from deepsim_spawn.description.world import WorldDescription


def write_world(document: etree._Element, world: WorldDescription) -> None:
    """Adds a world to a document."""
    element = etree.SubElement(document, "world", name=world.name)
    physics = etree.SubElement(element, "physics", type="ode")
    put_fields(physics, world.physics)
    rate = world.physics.real_time_factor / world.physics.max_step_size
    put(physics, "real_time_update_rate", rate)  # the setting that Gazebo obeys
    put(element, "gravity", world.gravity)
    put_fields(element, world)
    for light in world.lights:
        write_light(element, light)
    for model in world.models:
        write_model(element, model)
    for plugin in world.plugins:
        write_plugin(element, plugin)


def write_model(owner: etree._Element, model: ModelDescription) -> None:
    """Adds a model to a document, a world, or another model."""
    element = etree.SubElement(owner, "model", name=model.name)
    if model.canonical_link != next((name for name, _, _ in model.all_links()), ""):
        element.set("canonical_link", model.canonical_link)
    write_pose(element, model.pose)
    put(element, "static", model.static)
    put(element, "self_collide", model.self_collide)
    for link in model.links:
        write_link(element, link)
    for nested in model.models:
        write_model(element, nested)
    links = {name: link for name, link, _ in model.all_links()}
    for joint in model.joints:
        write_joint(element, joint, links[joint.child].sensors)
    for plugin in model.plugins:
        write_plugin(element, plugin)


_UNLIMITED = 1e16
"""Limits from this value on are infinite in SDF."""


def write_joint(
    model: etree._Element, joint: JointDescription, sensors: Iterable[SensorDescription]
) -> None:
    """Adds a joint to a model, with the force-torque sensors among the `sensors` of its child link.

    A continuous joint becomes revolute without limits, since Gazebo 11 has no continuous joints.
    """
    kind = "revolute" if joint.type == "continuous" else joint.type
    element = etree.SubElement(model, "joint", name=joint.name, type=kind)
    put(element, "parent", joint.parent)
    put(element, "child", joint.child)
    write_pose(element, joint.pose)
    for tag in ("axis", "axis2"):
        axis = getattr(joint, tag)
        if axis is not None:
            _write_axis(etree.SubElement(element, tag), axis)
    for sensor in sensors:
        if sensor.type == JOINT_SENSOR:
            write_sensor(element, replace(sensor, pose=joint.pose.inverse() @ sensor.pose))


def _write_axis(element: etree._Element, axis: JointAxis) -> None:
    put(element, "xyz", axis.xyz)
    put(element, "limit/lower", max(axis.lower, -_UNLIMITED))
    put(element, "limit/upper", min(axis.upper, _UNLIMITED))
    for limit in ("effort", "velocity"):
        value = getattr(axis, limit)
        put(element, f"limit/{limit}", -1.0 if math.isinf(value) else value)
    put_fields(element, axis)
    if axis.mimic is not None:  # SDF 1.11; Gazebo 11 ignores it
        mimic = etree.SubElement(element, "mimic", joint=axis.mimic.joint)
        put(mimic, "multiplier", axis.mimic.multiplier)
        put(mimic, "offset", axis.mimic.offset)

# SPDX-License-Identifier: Apache-2.0
"""`<joint>` elements."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from lxml import etree

from deepsim_spawn.description.tags import DYNAMICS

from .kept import JOINT_SENSOR, write_sensor
from .pose import write_pose
from .values import put, put_fields

if TYPE_CHECKING:
    from deepsim_spawn.description.joint import JointAxis, JointDescription
    from deepsim_spawn.description.sensor import SensorDescription

_UNLIMITED = 1e16
"""What SDF takes for infinite."""


def write_joint(
    model: etree._Element, joint: JointDescription, sensors: Iterable[SensorDescription]
) -> None:
    """Adds a joint to a model; a continuous one as revolute without limits, as Gazebo 11 has it.

    Args:
        model: The model.
        joint: The joint.
        sensors: Of its child link, of which it holds those for forces and torques.
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
    put_fields(element, axis, DYNAMICS)
    if axis.mimic is not None:  # of SDF 1.11, which Gazebo 11 keeps but does not read
        mimic = etree.SubElement(element, "mimic", joint=axis.mimic.joint)
        put(mimic, "multiplier", axis.mimic.multiplier)
        put(mimic, "offset", axis.mimic.offset)

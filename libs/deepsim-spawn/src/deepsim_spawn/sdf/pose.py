# SPDX-License-Identifier: Apache-2.0
"""`<pose>` elements."""

from __future__ import annotations

import math

from deepsim_math import Point, Pose, Quaternion
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import boolean, numbers


def read_pose(owner: Element) -> tuple[Pose, str]:
    """Returns the pose of an element as written, and the name of the frame it is relative to.

    Without a `<pose>`, or with an empty one, it is the identity; without `relative_to`, the name
    is empty.
    """
    element = owner.find("pose")
    if element is None:
        return Pose(), ""
    relative_to = element.attribute("relative_to", str, "")
    unit = math.pi / 180.0 if element.attribute("degrees", boolean, False) else 1.0
    rotation_format = element.attribute("rotation_format", str, "euler_rpy")
    if not element.text:
        return Pose(), relative_to
    if rotation_format == "quat_xyzw":
        x, y, z, *rotation = element.value(lambda text: numbers(text, 7))
        length = math.hypot(*rotation)
        if length < 1e-9:
            raise element.error("the quaternion must not be zero")
        orientation = Quaternion(*(number / length for number in rotation))
    elif rotation_format == "euler_rpy":
        x, y, z, *rotation = element.value(lambda text: numbers(text, 6))
        orientation = Quaternion.from_euler(*(angle * unit for angle in rotation))
    else:
        raise element.error(
            f"rotation_format must be euler_rpy or quat_xyzw, got {rotation_format!r}"
        )
    return Pose(Point(x, y, z), orientation), relative_to

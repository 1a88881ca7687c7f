# SPDX-License-Identifier: Apache-2.0
"""`<origin>` elements."""

from __future__ import annotations

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import vector

_ZERO = Vector3(0.0, 0.0, 0.0)


def read_origin(owner: Element) -> Pose:
    """Returns the `<origin>` of an element in the frame around it; by default the identity.

    Roll, pitch and yaw turn about the fixed axes x, y, z, in this order.
    """
    element = owner.find("origin")
    if element is None:
        return Pose()
    rotation = Quaternion.from_euler(*element.attribute("rpy", vector, _ZERO))
    return Pose(element.attribute("xyz", vector, _ZERO), rotation)

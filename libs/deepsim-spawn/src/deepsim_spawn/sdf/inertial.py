# SPDX-License-Identifier: Apache-2.0
"""`<inertial>` elements."""

from __future__ import annotations

from deepsim_spawn.description import Inertial
from deepsim_spawn.description.inertial import MOMENTS
from deepsim_spawn.inertia import make_inertial
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import number

from .pose import read_pose


def read_inertial(link: Element) -> Inertial | None:
    """Returns the mass and inertia of a link; by default 1 kg and the unit tensor, as in SDF.

    Returns:
        None for a link whose mass is zero.
    """
    element = link.find("inertial")
    if element is None:
        return Inertial()
    pose, relative_to = read_pose(element)
    if relative_to:
        raise element.error(
            f"relative_to={relative_to!r} is refused: the pose is in the link frame"
        )
    moments = {
        name: element.get(f"inertia/{name}", number, 1.0 if name[1] == name[2] else 0.0)
        for name in MOMENTS
    }
    return make_inertial(element, element.get("mass", number, 1.0), pose, moments)

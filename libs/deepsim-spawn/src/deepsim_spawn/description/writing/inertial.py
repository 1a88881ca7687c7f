# SPDX-License-Identifier: Apache-2.0
"""`<inertial>` elements."""

from __future__ import annotations

from lxml import etree

from deepsim_spawn.description.inertial import MOMENTS, Inertial

from .pose import write_pose
from .values import put

_LEAST_MASS = 1e-3
_LEAST_MOMENT = 1e-6


def write_inertial(link: etree._Element, inertial: Inertial | None) -> None:
    """Adds mass and inertia to a link.

    A link without any gets those of a ball of 1 g and 5 cm: where nothing is written, SDF has 1 kg.
    """
    element = etree.SubElement(link, "inertial")
    if inertial is None:
        put(element, "mass", _LEAST_MASS)
        for moment in ("ixx", "iyy", "izz"):
            put(element, f"inertia/{moment}", _LEAST_MOMENT)
        return
    write_pose(element, inertial.pose)
    put(element, "mass", inertial.mass)
    for moment in MOMENTS:
        put(element, f"inertia/{moment}", getattr(inertial, moment))

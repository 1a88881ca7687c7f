# SPDX-License-Identifier: Apache-2.0
"""`<joint>` elements."""

from __future__ import annotations

import math
from typing import Final, cast

from deepsim_math import Vector3
from deepsim_spawn.description.joint import JointAxis, JointDescription, JointType, MimicDescription
from deepsim_spawn.sdf.joint import read_limits
from deepsim_spawn.xml.element import Element
from deepsim_spawn.xml.values import limit, number, vector, word

from .extensions import Extension
from .tree import free_name

_TYPES: Final = ("fixed", "revolute", "continuous", "prismatic", "ball")


def read_joint(element: Element, extension: Extension) -> JointDescription | None:
    """Returns a joint in the frame of its child link.

    A floating joint gives None, since a link without a parent joint is free; a planar joint gives
    None with a warning.
    """
    kind = element.require_attribute("type", word)
    kind = "ball" if kind == "spherical" else kind  # Bullet's name
    element.find("origin")  # marks it as read; read_tree uses it
    if kind == "floating":
        return None
    if kind == "planar":
        element.skip("axis", "limit", "dynamics")
        element.warn_unsupported("not supported, the joint is left out", " planar")
        return None
    if kind not in _TYPES:
        known = ", ".join((*_TYPES, "floating", "planar"))
        raise element.error(f"type must be one of {known}, got {kind!r}")
    axis = None
    if kind in ("fixed", "ball"):
        # exporters write elements that the type does not use
        element.skip("axis", "limit", "dynamics", "mimic")
    else:
        axis = _read_axis(element, kind, extension)
    return element.make(
        JointDescription,
        name=free_name(element),
        type=cast(JointType, kind),
        parent=element.require("parent").require_attribute("link", word),
        child=element.require("child").require_attribute("link", word),
        axis=axis,
    )


def _read_axis(joint: Element, kind: str, extension: Extension) -> JointAxis:
    limits = joint.find("limit") if kind == "continuous" else joint.require("limit")
    lower, upper, effort, velocity = -math.inf, math.inf, math.inf, math.inf
    if limits is not None:
        effort = limits.require_attribute("effort", limit)
        velocity = limits.require_attribute("velocity", limit)
        given = limits.attribute("lower", limit, 0.0), limits.attribute("upper", limit, 0.0)
        if kind != "continuous":
            lower, upper = read_limits(joint, *given)
    return joint.make(
        JointAxis,
        xyz=joint.attribute_of("axis", "xyz", vector, Vector3(1.0, 0.0, 0.0)),
        lower=lower,
        upper=upper,
        effort=effort,
        velocity=velocity,
        damping=joint.attribute_of("dynamics", "damping", number, 0.0),
        friction=joint.attribute_of("dynamics", "friction", number, 0.0),
        spring_stiffness=extension.get("springStiffness", number, 0.0),
        spring_reference=extension.get("springReference", number, 0.0),
        mimic=_read_mimic(joint),
    )


def _read_mimic(joint: Element) -> MimicDescription | None:
    mimic = joint.find("mimic")
    if mimic is None:
        return None
    leader = mimic.require_attribute("joint", word)
    if all(leader != each.attributes.get("name") for each in joint.root.find_all("joint")):
        mimic.repair(f"there is no joint {leader!r}", "the joint moves independently")
        return None
    return mimic.make(
        MimicDescription,
        joint=leader,
        multiplier=mimic.attribute("multiplier", number, 1.0),
        offset=mimic.attribute("offset", number, 0.0),
    )

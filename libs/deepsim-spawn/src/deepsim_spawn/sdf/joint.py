# SPDX-License-Identifier: Apache-2.0
"""`<joint>` elements."""

from __future__ import annotations

import math
from typing import Final

from deepsim_math import Pose, Vector3
from deepsim_spawn.description.checks import WORLD
from deepsim_spawn.description.joint import (
    AXES,
    JointAxis,
    JointDescription,
    JointType,
    MimicDescription,
)
from deepsim_spawn.xml.element import Element, boolean, limit, number, vector, word
from deepsim_sync import SCOPE

from .frames import Scope, read_pose
from .include import sdf_version

_Z: Final = Vector3(0.0, 0.0, 1.0)  # SDF's default axis
_LEFT_OUT = ("screw", "gearbox")


def read_joint(element: Element, scope: Scope) -> JointDescription | None:
    """Returns a joint of a model with resolved frames; None, with a warning, if unsupported."""
    kind = element.require_attribute("type", word)
    if kind in _LEFT_OUT:
        element.mark_read()
        element.warn_unsupported("not supported, the joint is left out", f" {kind}")
        return None
    if kind not in AXES:
        known = ", ".join((*AXES, *_LEFT_OUT))
        raise element.error(f"type must be one of {known}, got {kind!r}")
    parent = element.require("parent")
    child = element.require("child")
    child_frame = child.value(word)
    child_link = scope.link(child_frame, child)
    parent_frame = parent.value(word)
    written, relative_to = read_pose(element)
    pose = scope.relative_pose(written, relative_to or child_frame, child_link, element)
    axes: list[JointAxis | None] = []
    for index, tag in enumerate(("axis", "axis2")):
        if index < AXES[kind]:
            in_model = scope.pose(child_link, element) @ pose
            axes.append(_read_axis(element.require(tag), kind, in_model, scope))
        else:
            element.skip(tag)  # exporters write axes that the type does not use
            axes.append(None)
    return element.make(
        JointDescription,
        name=element.require_attribute("name", word),
        type=kind,
        parent=WORLD if parent_frame == WORLD else scope.link(parent_frame, parent),
        child=child_link,
        pose=pose,
        axis=axes[0],
        axis2=axes[1],
    )


def _read_axis(element: Element, kind: JointType, in_model: Pose, scope: Scope) -> JointAxis:
    """Returns one axis, given the pose of the joint frame in the model frame."""
    lower, upper = read_limits(
        element,
        element.get("limit/lower", limit, -math.inf),
        element.get("limit/upper", limit, math.inf),
    )
    unlimited = kind == "continuous"
    return element.read_description(
        JointAxis,
        xyz=_read_direction(element, in_model, scope),
        lower=-math.inf if unlimited else lower,
        upper=math.inf if unlimited else upper,
        effort=_unless_negative(element.get("limit/effort", limit, math.inf)),
        velocity=_unless_negative(element.get("limit/velocity", limit, math.inf)),
        mimic=_read_mimic(element),
    )


def _read_mimic(axis: Element) -> MimicDescription | None:
    """Returns the mimic of an axis (SDF 1.11): ``multiplier * (leader - reference) + offset``."""
    mimic = axis.find("mimic")
    if mimic is None:
        return None
    multiplier = mimic.get("multiplier", number, 1.0)
    reference = mimic.get("reference", number, 0.0)
    second = SCOPE + "2" if mimic.attribute("axis", word, "axis") == "axis2" else ""
    return mimic.make(
        MimicDescription,
        joint=mimic.require_attribute("joint", word) + second,
        multiplier=multiplier,
        offset=mimic.get("offset", number, 0.0) - multiplier * reference,
    )


def read_limits(axis: Element, lower: float, upper: float) -> tuple[float, float]:
    """Returns the limits of an axis; if lower > upper, the axis is unlimited, as in Bullet."""
    if lower <= upper:
        return lower, upper
    axis.repair(
        f"joint axis lower limit must be <= upper, got {lower:g} and {upper:g}",
        "the joint becomes unlimited",
    )
    return -math.inf, math.inf


def _read_direction(axis: Element, in_model: Pose, scope: Scope) -> Vector3:
    """Returns the direction of an axis in the joint frame.

    The file gives it in the model frame up to SDF 1.4, and in 1.5 and 1.6 if
    `use_parent_model_frame` is set; from 1.7 on, in the frame `expressed_in`. Otherwise it is in
    the joint frame. An axis without length becomes the default.
    """
    element = axis.find("xyz")
    if element is None:
        return _Z
    written = element.value(vector)
    version = sdf_version(axis)
    expressed_in = element.attribute("expressed_in", str, "")
    if version < (1, 7) and axis.get("use_parent_model_frame", boolean, version < (1, 5)):
        expressed_in = expressed_in or scope.root
    if not any(written):  # sdformat reports an error, and keeps the default
        element.repair("joint axis xyz must have a length > 0, got 0 0 0", "it becomes 0 0 1")
        return _Z
    if not expressed_in:
        return written
    frame = scope.pose(expressed_in, element)
    return in_model.orientation.inverse().rotate(frame.orientation.rotate(written))


def _unless_negative(value: float) -> float:
    """Returns a limit; a negative one means unlimited in SDF."""
    return math.inf if value < 0.0 else value

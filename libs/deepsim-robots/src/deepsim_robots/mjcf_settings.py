# SPDX-License-Identifier: Apache-2.0
"""Reads ranges of joints from MJCF files, and whether they have actuators."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from deepsim_spawn import JointAxis, MjcfModel
from deepsim_sync import SCOPE

from .controllers.model_controls import ModelControls
from .parts import Part

_SEVERAL = ("free", "ball")
"""Types of joints with more than one degree of freedom."""

Values = dict[str, str]


def default_parts(model: MjcfModel) -> dict[str, Part]:
    """Returns a part ``controls`` with all controls of a model's file; no part if it has none."""
    root = ElementTree.fromstring(model.text)
    if not any(len(section) for section in root.findall("actuator")):
        return {}
    has_joints = any(
        joint.tag == "joint" and joint.get("type") != "free" for joint, _ in _joints(root)
    )
    return {"controls": Part([".*"] if has_joints else [], ModelControls())}


def joint_axes(model: MjcfModel) -> dict[str, JointAxis]:
    """Returns the axes of all named joints with their limits, in the order of the file."""
    root = ElementTree.fromstring(model.text)
    settings: Values = {}
    for compiler in root.findall("compiler"):
        settings.update(compiler.attrib)
    unit = 1.0 if settings.get("angle") == "radian" else math.pi / 180
    automatic = settings.get("autolimits", "true") == "true"
    defaults = _Defaults(root)
    axes: dict[str, JointAxis] = {}
    for joint, inherited in _joints(root):
        values = defaults.of(joint, inherited)
        kind = "free" if joint.tag == "freejoint" else values.get("type", "hinge")
        if kind == "ball" and "name" in values:
            axes.update(ball_axes(values["name"]))
        if kind in _SEVERAL or "name" not in values:
            continue
        lower, upper = -math.inf, math.inf
        limited = values.get("limited", "auto")
        if "range" in values and (limited == "true" or (limited == "auto" and automatic)):
            scale = unit if kind == "hinge" else 1.0
            lower, upper = (scale * number for number in _floats(values["range"]))
        axes[values["name"]] = JointAxis(lower=lower, upper=upper)
    return axes


def slide_names(model: MjcfModel) -> set[str]:
    """Returns the names of the joints that slide."""
    root = ElementTree.fromstring(model.text)
    defaults = _Defaults(root)
    found = (defaults.of(joint, inherited) for joint, inherited in _joints(root))
    return {each["name"] for each in found if each.get("type") == "slide" and "name" in each}


def ball_axes(name: str) -> dict[str, JointAxis]:
    """Returns the three axes of a ball joint, without limits, by their names in the world."""
    return {name + suffix: JointAxis() for suffix in ("", SCOPE + "2", SCOPE + "3")}


class _Defaults:
    """The default classes of an MJCF file, including inherited attributes."""

    def __init__(self, root: ElementTree.Element) -> None:
        self._classes: dict[str, dict[str, Values]] = {"main": {}}
        for default in root.findall("default"):
            self._add(default, default.get("class", "main"), self._classes["main"])

    def _add(self, default: ElementTree.Element, name: str, above: Mapping[str, Values]) -> None:
        tags = {tag: dict(values) for tag, values in above.items()}
        for element in default:
            if element.tag != "default":
                tags.setdefault(element.tag, {}).update(element.attrib)
        self._classes[name] = tags
        for child in default.findall("default"):
            self._add(child, child.get("class", ""), tags)

    def of(self, element: ElementTree.Element, inherited: str) -> Values:
        """Returns the attributes of an element, including those of its default class."""
        name = element.get("class") or inherited or "main"
        tags = self._classes.get(name, {})
        return {**tags.get(element.tag, {}), **element.attrib}


def _joints(root: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, str]]:
    """Yields all joints in the order of the file, with the default class inherited from bodies."""
    pending = [(body, "") for world in root.findall("worldbody") for body in world][::-1]
    while pending:
        element, above = pending.pop()
        if element.tag in ("joint", "freejoint"):
            yield element, above
        elif element.tag in ("body", "frame"):
            own = element.get("childclass", above)
            joints = [child for child in element if child.tag in ("joint", "freejoint")]
            others = [child for child in element if child.tag in ("body", "frame")]
            pending += [(child, own) for child in (*joints, *others)][::-1]


def _floats(text: str) -> list[float]:
    return [float(number) for number in text.split()]

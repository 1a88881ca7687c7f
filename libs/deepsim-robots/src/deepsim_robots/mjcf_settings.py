# SPDX-License-Identifier: Apache-2.0
"""Reads ranges and actuators of joints from MJCF files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from deepsim_spawn import JointAxis, MjcfModel
from deepsim_sync import SCOPE

_SEVERAL = ("free", "ball")
"""Types of joints with more than one degree of freedom."""

_POSITIONS = ("position", "intvelocity", "pid")
_OTHER_SHORTCUTS = ("motor", "velocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor")
_ACTUATOR = "general"
"""The element of default classes that stands for all actuators, whose defaults are common."""

Values = dict[str, str]


def held_joints(model: MjcfModel) -> list[str]:
    """Returns the names of the joints with actuators that hold a position, in order of actuators.

    These are ``<position>``, ``<intvelocity>``, and others with a bias that opposes the position.
    """
    root = ElementTree.fromstring(model.text)
    defaults = _Defaults(root)
    held: dict[str, None] = {}
    for section in root.findall("actuator"):
        for element in section:
            values = defaults.of_actuator(element)
            joint = values.get("joint", values.get("jointinparent"))
            if joint is not None and _holds(values):
                held[joint] = None
    return [*held]


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
            if element.tag == _ACTUATOR or element.tag in (*_POSITIONS, *_OTHER_SHORTCUTS):
                own = _with_bias(element.tag, element.attrib)
                tags.setdefault(_ACTUATOR, {}).update(own)
            elif element.tag != "default":
                tags.setdefault(element.tag, {}).update(element.attrib)
        self._classes[name] = tags
        for child in default.findall("default"):
            self._add(child, child.get("class", ""), tags)

    def of(self, element: ElementTree.Element, inherited: str) -> Values:
        """Returns the attributes of an element, including those of its default class."""
        name = element.get("class") or inherited or "main"
        tags = self._classes.get(name, {})
        return {**tags.get(element.tag, {}), **element.attrib}

    def of_actuator(self, element: ElementTree.Element) -> Values:
        """Returns the attributes of an actuator, as those of ``<general>``."""
        tags = self._classes.get(element.get("class", "main"), {})
        return {**tags.get(_ACTUATOR, {}), **_with_bias(element.tag, element.attrib)}


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


def _with_bias(tag: str, given: Mapping[str, str]) -> Values:
    """Returns attributes of an actuator, with the type of its bias as attributes of ``<general>``.

    The shortcuts set these attributes (MuJoCo, XML reference, actuator shortcuts).
    """
    if tag in _POSITIONS:
        return {**given, "biastype": "affine", "biasprm": "0 -1"}
    if tag in _OTHER_SHORTCUTS:
        return {**given, "biastype": "none"}
    return dict(given)


def _holds(values: Values) -> bool:
    bias = [*_floats(values.get("biasprm", "")), 0.0, 0.0]
    return values.get("biastype") == "affine" and bias[1] < 0.0


def _floats(text: str) -> list[float]:
    return [float(number) for number in text.split()]

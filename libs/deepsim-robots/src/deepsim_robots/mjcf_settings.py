# SPDX-License-Identifier: Apache-2.0
"""Reads ranges and gains of joints from MJCF files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from xml.etree import ElementTree

from deepsim_robots.parts import Gains
from deepsim_spawn import JointAxis, MjcfModel
from deepsim_sync import SCOPE

_SEVERAL = ("free", "ball")
"""Types of joints with more than one degree of freedom."""

Values = dict[str, str]


def actuator_gains(model: MjcfModel) -> dict[str, Gains]:
    """Returns the gains of position and velocity actuators, by joint name.

    The force of ``<position>`` is kp (u - q) - kv q', the force of ``<velocity>`` kv (u - q');
    ``<general>`` with an affine bias can be either; several actuators of one joint act together.
    Motors and actuators of tendons have no gains.
    The effort limit is the ``forcerange`` (MuJoCo, XML reference, actuator shortcuts).
    """
    root = ElementTree.fromstring(model.text)
    defaults = _Defaults(root)
    gains: dict[str, Gains] = {}
    for section in root.findall("actuator"):
        for element in section:
            values = defaults.of(element, "")
            joint = values.get("joint")
            found = _gains(element.tag, values)
            if joint is not None and found is not None:
                gear = _floats(values.get("gear", "1"))[0]
                limit = _limit(values, abs(gear))
                own = Gains(found[0] * gear**2, found[1] * gear**2, effort_limit=limit)
                gains[joint] = _together(gains[joint], own) if joint in gains else own
    return gains


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


def _gains(tag: str, values: Values) -> tuple[float, float] | None:
    """Returns the stiffness and damping of an actuator, or None if it has no gains."""
    if tag == "position":
        return float(values.get("kp", 1.0)), float(values.get("kv", 0.0))
    if tag == "velocity":
        return 0.0, float(values.get("kv", 1.0))
    if tag == "general" and values.get("biastype") == "affine":
        _, position, velocity = (*_floats(values.get("biasprm", "")), 0.0, 0.0, 0.0)[:3]
        return max(-position, 0.0), max(-velocity, 0.0)
    return None


def _together(one: Gains, other: Gains) -> Gains:
    """Returns the gains of two actuators that act on the same joint."""
    limit = None
    if one.effort_limit is not None and other.effort_limit is not None:
        limit = one.effort_limit + other.effort_limit
    return Gains(one.stiffness + other.stiffness, one.damping + other.damping, effort_limit=limit)


def _limit(values: Values, gear: float) -> float | None:
    numbers = _floats(values.get("forcerange", ""))
    limited = any(numbers) and values.get("forcelimited") != "false"
    return max(map(abs, numbers)) * gear if limited else None


def _floats(text: str) -> list[float]:
    return [float(number) for number in text.split()]

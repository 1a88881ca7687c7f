# SPDX-License-Identifier: Apache-2.0
"""Determines the order, limits, gains and home positions of a robot's joints."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np

from deepsim_spawn import JointAxis, MjcfModel, ModelDescription
from deepsim_sync import SCOPE, World

from .config import RobotConfig
from .controllers.model_controls import ModelControls
from .joint_group import JointGroup, JointTraits, matching
from .parts import Gains, Part

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


_SECOND = SCOPE + "2"


def described_axes(description: ModelDescription | MjcfModel | None) -> dict[str, JointAxis]:
    """Returns the axes of all joints by their names in the world, in the order of the file."""
    if description is None:
        return {}
    if isinstance(description, MjcfModel):
        return joint_axes(description)
    axes = {}
    for joint in description.all_joints():
        if joint.type == "ball":
            axes.update(ball_axes(joint.name))
        if joint.axis is not None:
            axes[joint.name] = joint.axis
        if joint.axis2 is not None:
            axes[joint.name + _SECOND] = joint.axis2
    return axes


def sliding_joints(description: ModelDescription | MjcfModel | None) -> set[str]:
    """Returns the names of the joints whose positions are lengths."""
    if description is None:
        return set()
    if isinstance(description, MjcfModel):
        return slide_names(description)
    return {joint.name for joint in description.all_joints() if joint.type == "prismatic"}


def joint_names(world: World, model: str, axes: dict[str, JointAxis]) -> list[str]:
    """Returns the names of a model's joints, without the model's name, in the order of the file."""
    start = len(model) + len(SCOPE)
    present = [name[start:] for name in world.entities.joints.within(model)]
    order = {name: index for index, name in enumerate(axes)}
    return sorted(present, key=lambda name: order.get(name, len(order)))  # unknown ones at the end


def joint_traits(
    world: World,
    model: str,
    names: list[str],
    axes: dict[str, JointAxis],
    config: RobotConfig,
) -> JointTraits:
    """Returns the limits, gains and home positions of the joints of a newly spawned model.

    Args:
        world: The world.
        model: Name of the model.
        names: Names of its joints.
        axes: Axes of joints by name, in the description.
        config: The configuration, whose gains replace those of the model.

    Raises:
        UnknownEntityError: A pattern in the configuration does not match any joint.
        ValueError: The home position of a joint is beyond its limits.
    """
    kind = f"joint of robot {model!r}"
    rows = world.joints.select([model + SCOPE + name for name in names])
    chosen = [
        Gains(stiffness, damping)
        for stiffness, damping in zip(
            rows.stiffness[0].tolist(), rows.damping[0].tolist(), strict=True
        )
    ]
    for pattern, gains in config.gains.items():
        for index in matching(kind, [pattern], names):
            chosen[index] = gains
    own = [axes.get(name, JointAxis()) for name in names]
    lower = np.array([axis.lower for axis in own])
    upper = np.array([axis.upper for axis in own])
    home = np.clip(rows.position[0], lower, upper)  # some ranges exclude 0
    for pattern, value in config.home.items():
        home[matching(kind, [pattern], names)] = value
    for index, axis in enumerate(own):
        if axis.mimic is not None:  # takes no commands: the leading joint determines its position
            chosen[index] = replace(chosen[index], stiffness=0.0, damping=0.0)
            scope = names[index].rpartition(SCOPE)[0]  # the name of a nested model
            own_leader = scope + SCOPE + axis.mimic.joint if scope else axis.mimic.joint
            leader = names.index(own_leader)
            home[index] = axis.mimic.multiplier * home[leader] + axis.mimic.offset
    traits = JointTraits(
        lower=lower,
        upper=upper,
        effort_limit=_given([gains.effort_limit for gains in chosen], rows.effort_limit[0]),
        velocity_limit=_given([gains.velocity_limit for gains in chosen], rows.velocity_limit[0]),
        stiffness=np.array([gains.stiffness for gains in chosen]),
        damping=np.array([gains.damping for gains in chosen]),
        home=home,
    )
    beyond = (home < traits.lower - 1e-9) | (home > traits.upper + 1e-9)
    if beyond.any():
        index = int(np.argmax(beyond))
        raise ValueError(
            f"the home of joint {names[index]!r} of robot {model!r} must lie in "
            f"{traits.lower[index]:g}..{traits.upper[index]:g}, got {home[index]:g}"
        )
    return traits


def warn_of_loose(joints: JointGroup, free: Sequence[str], axes: Mapping[str, JointAxis]) -> None:
    """Warns once of the joints without a part that nothing holds.

    Args:
        joints: All joints of a robot.
        free: Names of those that belong to no part.
        axes: The axes of the description by joint.
    """
    gains = joints.traits.stiffness + joints.traits.damping
    held = {name for name, gain in zip(joints.names, gains, strict=True) if gain > 0.0}
    loose = [name for name in free if name not in held and name in axes and axes[name].is_loose]
    if loose:
        more = f" and {len(loose) - 5} more" if len(loose) > 5 else ""
        warnings.warn(
            f"robot {joints.model!r}: nothing holds joint {', '.join(loose[:5])}{more}, which has "
            "no gains, part, damping or friction, so it swings or falls: give gains, a part, or "
            "controllers='position'",
            stacklevel=4,
        )


def _given(values: list[float | None], described: np.ndarray) -> np.ndarray:
    return np.array(
        [own if value is None else value for value, own in zip(values, described, strict=True)],
        dtype=np.float64,
    )

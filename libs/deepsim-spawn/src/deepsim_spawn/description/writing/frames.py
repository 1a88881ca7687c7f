# SPDX-License-Identifier: Apache-2.0
"""Joints between links with mass, in the place of those at massless frames."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from deepsim_math import Pose
from deepsim_spawn.description.checks import WORLD

from .sensor import JOINT_SENSOR

if TYPE_CHECKING:
    from deepsim_spawn.description.joint import JointDescription
    from deepsim_spawn.description.model import ModelDescription


def held_by_world(model: ModelDescription) -> set[str]:
    """Returns the links that fixed joints connect with the world, directly or by others.

    Between one of 1 g and a heavier link, ODE does not solve what a servo exerts.
    """
    held = {WORLD}
    fixed = [joint for joint in model.joints if joint.type == "fixed"]
    for _ in fixed:  # in whatever order they are
        held.update(joint.child for joint in fixed if joint.parent in held)
    return held


def joints_between_masses(
    model: ModelDescription, held: Collection[str]
) -> Iterator[JointDescription]:
    """Yields the joints of a model, those at frames moved to the links with mass that bear them.

    A frame is a link without mass; a link with mass that is fixed to it, with or without other
    frames between, bears it. All motions are the same, but no load passes through a frame, which
    Gazebo gives 1 g: ODE does not solve the loads of such a link between heavier ones.

    Frames below a joint whose load a sensor measures stay between that joint and what bears them.

    Args:
        model: The model; its nested models have no frames here, but links that bear.
        held: The links that the world holds; they count as links with mass.
    """
    frames = {
        link.name
        for link in model.links
        if link.inertial is None and not link.kinematic and link.name not in held
    }
    if not frames or model.static:
        yield from model.joints
        return
    poses = {name: pose for name, _, pose in model.all_links()}
    measured = {
        name
        for name, link, _ in model.all_links()
        if any(sensor.type == JOINT_SENSOR for sensor in link.sensors)
    }
    # The parents of links on fixed joints, except for joints whose load a sensor measures.
    rigid = {
        joint.child: joint.parent
        for joint in model.joints
        if joint.type == "fixed" and joint.parent != WORLD and joint.child not in measured
    }
    below: dict[str, list[str]] = {}
    for child, parent in rigid.items():
        below.setdefault(parent, []).append(child)

    def bearer(name: str) -> str:
        """Returns the nearest link with mass above, or else the first one below the top frame."""
        above = [name]
        while above[-1] in frames and rigid.get(above[-1], name) not in above:
            above.append(rigid[above[-1]])
        top = above[-1]
        group = [top] if top not in frames or top not in measured else []
        for part in group:
            if part not in frames:
                return part
            group += [child for child in below.get(part, []) if child not in group]
        return name

    # Frames at the top: what bears them takes their place, and they hang on it.
    tops = [name for name in frames if name not in rigid and bearer(name) != name]
    replaced = {bearer(name): name for name in tops}
    for joint in model.joints:
        child = joint.child
        parent = joint.parent if joint.parent == WORLD else bearer(joint.parent)
        if child in tops:
            bears = bearer(child)
            pose = poses[bears].inverse() @ poses[child] @ joint.pose
            yield replace(joint, parent=parent, child=bears, pose=pose)
        elif child in replaced and child in rigid:
            yield replace(joint, parent=child, child=replaced[child], pose=Pose())
        else:
            yield replace(joint, parent=parent)

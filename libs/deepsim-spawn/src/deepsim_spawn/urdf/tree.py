# SPDX-License-Identifier: Apache-2.0
"""The tree of links that a robot's joints form."""

from __future__ import annotations

from typing import NamedTuple

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_spawn.description.checks import is_reserved
from deepsim_spawn.xml.element import Element
from deepsim_spawn.xml.values import vector, word


class Tree(NamedTuple):
    """The links of a robot, from the root to the leaves."""

    root: str
    poses: dict[str, Pose]
    """Pose of every link in the frame of the root; parents precede their children."""


def read_tree(robot: Element) -> Tree:
    """Returns the tree of a robot's links, which must be connected and without loops."""
    links = {link.require_attribute("name", word): link for link in robot.find_all("link")}
    if not links:
        raise robot.error("a robot must have a link")
    above: dict[str, Element] = {}
    below: dict[str, list[tuple[str, Element]]] = {name: [] for name in links}
    for joint in robot.find_all("joint"):
        parent, child = (
            joint.require(end).require_attribute("link", word) for end in ("parent", "child")
        )
        for end, name in (("parent", parent), ("child", child)):
            if name not in links:
                known = ", ".join(links)
                raise joint.require(end).error(f"unknown link {name!r}; known links: {known}")
        if child in above:
            raise joint.error(f"link {child!r} is already the child of {above[child].path}")
        above[child] = joint
        below[parent].append((child, joint))
    roots = [name for name in links if name not in above]
    if len(roots) != 1:
        found = ", ".join(roots) or "none: the joints form a loop"
        raise robot.error(f"expected one root link, which is no joint's child, got {found}")
    poses = {roots[0]: Pose()}
    pending = [roots[0]]
    while pending:
        parent = pending.pop()
        for child, joint in below[parent]:
            poses[child] = poses[parent] @ read_origin(joint)
            pending.append(child)
    for name in links.keys() - poses.keys():
        raise links[name].error("is part of a loop of joints, but URDF must be a tree")
    return Tree(roots[0], poses)


_ZERO = Vector3(0.0, 0.0, 0.0)


def read_origin(owner: Element) -> Pose:
    """Returns the `<origin>` of an element (default: identity); rpy turns about fixed x, y, z."""
    turn = owner.attribute_of("origin", "rpy", vector, _ZERO)
    return Pose(owner.attribute_of("origin", "xyz", vector, _ZERO), Quaternion.from_euler(*turn))


def free_name(element: Element) -> str:
    """Returns the name of a robot or joint; a reserved name is changed, with a warning."""
    name = element.require_attribute("name", word)
    if not is_reserved(name):
        return name
    siblings = () if element.parent is None else element.parent.children
    taken = {sibling.attributes.get("name") for sibling in siblings}
    free = name
    while is_reserved(free) or free in taken:
        free += f"_{element.tag}"
    element.warn(f"the name {name!r} is reserved, {free!r} is used")
    return free

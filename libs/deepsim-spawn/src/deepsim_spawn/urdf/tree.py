# SPDX-License-Identifier: Apache-2.0
"""The tree that the joints of a robot make of its links."""

from __future__ import annotations

from typing import NamedTuple

from deepsim_math import Pose
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import word

from .origin import read_origin


class Tree(NamedTuple):
    """The links of a robot, from the root to the leaves."""

    root: str
    poses: dict[str, Pose]
    """Of every link, in the frame of the root; parents come before their children."""


def read_tree(robot: Element) -> Tree:
    """Returns the tree of the links of a robot.

    Raises:
        ModelFormatError: A joint names an unknown link, or the links are not one tree.
    """
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
                raise joint.require(end).error(f"there is no link {name!r}; links are {known}")
        if child in above:
            raise joint.error(f"link {child!r} is already the child of {above[child].path}")
        above[child] = joint
        below[parent].append((child, joint))
    roots = [name for name in links if name not in above]
    if len(roots) != 1:
        found = ", ".join(roots) or "none: the joints make a loop"
        raise robot.error(f"expected one link that is no joint's child, got {found}")
    poses = {roots[0]: Pose()}
    pending = [roots[0]]
    while pending:
        parent = pending.pop()
        for child, joint in below[parent]:
            poses[child] = poses[parent] @ read_origin(joint)
            pending.append(child)
    for name in links.keys() - poses.keys():
        raise links[name].error("is part of a loop of joints: URDF is a tree")
    return Tree(roots[0], poses)

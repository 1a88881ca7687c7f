# SPDX-License-Identifier: Apache-2.0
"""`<joint>` elements of URDF, their tree, and the `<gazebo>` and `<mujoco>` elements beside."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import PurePath
from typing import Final, NamedTuple, TypeVar, cast

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_spawn.description.checks import is_reserved
from deepsim_spawn.description.joint import JointAxis, JointDescription, JointType, MimicDescription
from deepsim_spawn.sdf.joint import read_limits
from deepsim_spawn.xml.element import Element, boolean, limit, number, vector, word

T = TypeVar("T")


class Extension:
    """All `<gazebo>` elements that refer to one link or joint, in order; later ones win."""

    def __init__(self, elements: list[Element]) -> None:
        self._elements = elements

    def find_all(self, tag: str) -> list[Element]:
        """Returns the children of all elements with this tag."""
        return [child for element in self._elements for child in element.find_all(tag)]

    def get(self, tag: str, parse: Callable[[str], T], default: T) -> T:
        """Returns the value of the last child with this tag."""
        values = [child.value_or(parse, default) for child in self.find_all(tag)]
        return values[-1] if values else default


class Extensions:
    """The `<gazebo>` elements of a robot.

    Args:
        robot: The `<robot>`.
        names: Names of its links and joints; references to other names have no effect.
    """

    def __init__(self, robot: Element, names: Collection[str]) -> None:
        self._by_reference: dict[str, list[Element]] = defaultdict(list)
        for element in robot.find_all("gazebo"):
            reference = element.attribute("reference", str, "")
            if reference and reference not in names:
                element.mark_read()
                element.warn_unsupported(f"no link or joint {reference!r}", "/@reference")
            self._by_reference[reference].append(element)

    def of(self, reference: str) -> Extension:
        """Returns the extensions of a link or joint, or those of the robot for an empty name."""
        return Extension(self._by_reference.get(reference, []))


_WITHOUT_EFFECT = ("angle", "autolimits", "balanceinertia", "fusestatic")
"""Ignored options of MuJoCo's compiler: URDF always has radians and limits, inertias are repaired,
links stay apart."""


def apply_mujoco(robot: Element) -> None:
    """Applies the options of MuJoCo's compiler to the elements of a robot.

    They are ``meshdir``, ``strippath``, ``discardvisual``, ``boundmass`` and ``boundinertia``.
    Meshes are first looked up in ``meshdir``, by their bare file names unless ``strippath`` is off.
    """
    found = [each for mujoco in robot.find_all("mujoco") for each in mujoco.find_all("compiler")]
    for compiler in found:
        for name in _WITHOUT_EFFECT:
            compiler.attribute(name, str, "")
        meshes = compiler.attribute("meshdir", str, "")
        strip = compiler.attribute("strippath", boolean, True)
        for mesh in _below(robot, "mesh") if meshes else ():
            name = mesh.attributes.get("filename", "").rpartition("://")[2]
            inside = str(PurePath(meshes, PurePath(name).name if strip else name))
            with suppress(OSError, ValueError):  # if not found, the path stays as it is
                mesh.document.load.search_path.find(inside, mesh.document.path)
                mesh.attributes["filename"] = inside
        if compiler.attribute("discardvisual", boolean, False):
            for link in robot.find_all("link"):
                link.children = [child for child in link.children if child.tag != "visual"]
        mass = compiler.attribute("boundmass", number, 0.0)
        moment = compiler.attribute("boundinertia", number, 0.0)
        for inertial in _below(robot, "inertial"):
            _raise_to(inertial.find("mass"), ("value",), mass)
            _raise_to(inertial.find("inertia"), ("ixx", "iyy", "izz"), moment)


def _below(robot: Element, tag: str) -> Iterator[Element]:
    pending = robot.find_all("link")
    while pending:
        element = pending.pop()
        if element.tag == tag:
            yield element
        pending += element.children


def _raise_to(element: Element | None, names: tuple[str, ...], least: float) -> None:
    for name in names:
        if element is not None and element.attribute(name, number, least) < least:
            element.attributes[name] = repr(least)


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


_X: Final = Vector3(1.0, 0.0, 0.0)  # URDF's default axis
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
        effort, velocity = _read_bound(limits, "effort"), _read_bound(limits, "velocity")
        given = limits.attribute("lower", limit, 0.0), limits.attribute("upper", limit, 0.0)
        if kind != "continuous":
            lower, upper = read_limits(joint, *given)
    return joint.make(
        JointAxis,
        xyz=_read_direction(joint),
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


def _read_direction(joint: Element) -> Vector3:
    """Returns the direction of a joint's axis; the default for one without length."""
    given = joint.attribute_of("axis", "xyz", vector, _X)
    if any(given):
        return given
    joint.repair("joint axis xyz must have a length > 0, got 0 0 0", "it becomes 1 0 0")
    return _X


def _read_bound(limits: Element, name: str) -> float:
    """Returns the largest effort or velocity; 0 and less mean no limit, as in other readers."""
    bound = limits.require_attribute(name, limit)
    if bound > 0.0:
        return bound
    limits.warn(f"{name} is {bound:g}", f"a limit of {name} that is 0 or negative is no limit")
    return math.inf


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

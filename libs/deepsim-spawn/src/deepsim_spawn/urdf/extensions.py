# SPDX-License-Identifier: Apache-2.0
"""`<gazebo>` and `<mujoco>` elements, which extend a robot, its links and its joints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import PurePath
from typing import TypeVar

from deepsim_spawn.xml.element import Element, boolean, number

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

# SPDX-License-Identifier: Apache-2.0
"""`<mujoco>` elements: options of MuJoCo's compiler, applied to the robot's elements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePath

from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import boolean, number

_WITHOUT_EFFECT = ("angle", "autolimits", "balanceinertia", "fusestatic")
"""Ignored options: URDF always has radians and limits, inertias are repaired, links stay apart."""


def apply_mujoco(robot: Element) -> None:
    """Applies ``meshdir``, ``strippath``, ``discardvisual``, ``boundmass`` and ``boundinertia``.

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

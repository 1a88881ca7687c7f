# SPDX-License-Identifier: Apache-2.0
"""SDF documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lxml import etree

T = TypeVar("T")


def document(write: Callable[[etree._Element, T], None], description: T) -> str:
    """Returns the text of a document with one world, model or light, added by `write`."""
    root = etree.Element("sdf")
    write(root, description)
    root.set("version", _version(root))
    _indent(root, "\n")
    return etree.tostring(root, encoding="unicode") + "\n"


def _version(root: etree._Element) -> str:
    """Returns the SDF version in which the document has its intended meaning.

    Cones need 1.11, capsules and ellipsoids 1.8; Gazebo 11 refuses both, but in 1.7 such shapes
    would crash it. From 1.7 on a joint must not share its name with a link or model beside it,
    as joints of URDF may.
    """
    if root.find(".//geometry/cone") is not None:
        return "1.11"
    if (
        root.find(".//geometry/capsule") is not None
        or root.find(".//geometry/ellipsoid") is not None
    ):
        return "1.8"
    for model in root.iter("model"):
        taken = {child.get("name") for child in model.iterchildren("link", "model")}
        if any(joint.get("name") in taken for joint in model.iterchildren("joint")):
            return "1.6"
    return "1.7"


def _indent(element: etree._Element, newline: str) -> None:
    """Puts each element on its own line, except in plugins, whose text is arbitrary."""
    if element.tag == "plugin" or not len(element):
        return
    element.text = newline + "  "
    for child in element:
        _indent(child, newline + "  ")
        child.tail = newline + "  "
    element[-1].tail = newline

# SPDX-License-Identifier: Apache-2.0
"""SDF documents; values and poses as the text of elements, which reads back as the same bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Integral
from typing import SupportsFloat, TypeAlias, TypeVar

from lxml import etree

from deepsim_math import Pose
from deepsim_spawn.description.sdf_paths import sdf_fields

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


Value: TypeAlias = str | bool | SupportsFloat | Iterable[float]
"""A word, a boolean, a number, or several numbers."""


def at(parent: etree._Element, path: str) -> etree._Element:
    """Returns the element at a path, created if missing."""
    for tag in path.split("/"):
        child = parent.find(tag)
        parent = etree.SubElement(parent, tag) if child is None else child
    return parent


def put(parent: etree._Element, path: str, value: Value) -> None:
    """Sets the text of the element at a path."""
    at(parent, path).text = _text(value)


def put_fields(element: etree._Element, description: object) -> None:
    """Sets the elements of a description's fields, where their `sdf` metadata places them."""
    kind: type = type(description)
    for field in sdf_fields(kind):
        value = getattr(description, field.name)
        if field.rare and value == field.default:
            continue
        if field.nested:
            put_fields(at(element, field.path), value)
        else:
            put(element, field.path, value)


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Integral):
        return str(int(value))
    if isinstance(value, Iterable):
        return " ".join(repr(float(number)) for number in value)
    return repr(float(value))  # the shortest text that reads as the same number


def write_pose(owner: etree._Element, pose: Pose) -> None:
    """Adds a pose, unless it is the identity, as roll-pitch-yaw: SDF 1.7 has no quaternions."""
    if pose != Pose():
        put(owner, "pose", (*pose.position, *pose.orientation.to_euler()))

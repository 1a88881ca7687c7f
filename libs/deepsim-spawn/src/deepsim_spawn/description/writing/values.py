# SPDX-License-Identifier: Apache-2.0
"""Values and poses as the text of elements, which reads back as the same bits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, SupportsFloat, TypeAlias

from lxml import etree

from deepsim_math import Pose

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


def put_fields(parent: etree._Element, description: Any, tags: Mapping[str, str]) -> None:
    """Sets the elements of a description's fields, by a table of tags."""
    for name, path in tags.items():
        put(parent, path, getattr(description, name))


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

# SPDX-License-Identifier: Apache-2.0
"""Places of the fields of descriptions in SDF, which its reader and its writer follow.

A field such as ``width: int = field(default=320, metadata=sdf("image/width"))`` is all that both
need. Fields without this metadata have rules of their own, which reader and writer state. Numbers
are written as text that reads back as the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from numbers import Integral
from typing import Any, Final, NamedTuple, SupportsFloat, TypeAlias, TypeVar, cast, get_type_hints

from lxml import etree

from deepsim_math import Pose
from deepsim_sync import Noise

_KEY: Final = "sdf"

MOMENTS: Final = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""The elements of an inertia tensor, row by row, by their names in SDF and URDF."""

BOUNCING: Final = {
    "bounce/threshold": 0.0,
    "contact/ode/kp": 2.5e10,
    "contact/ode/kd": 1e8,
    "contact/ode/max_vel": 100.0,
}
"""With these settings of its surface, a ball in Gazebo 11 bounces according to its restitution,
within 0.003 at steps of 1 and 2 ms. By default nothing bounces: a bounce needs a speed of
100000 m/s, and corrections are limited to 0.01 m/s. Without that limit, Gazebo's hard contacts
return 0.75 of the speed whatever the restitution is, so these settings also make them softer.
"""

_OF_NOISE: Final = {  # a class of deepsim-sync, which does not know SDF
    "mean": "mean",
    "stddev": "stddev",
    "bias_mean": "bias_mean",
    "bias_stddev": "bias_stddev",
    "drift_stddev": "dynamic_bias_stddev",
    "drift_time": "dynamic_bias_correlation_time",
    "precision": "precision",
}


def sdf(path: str, *, rare: bool = False) -> dict[str, Any]:
    """Returns the metadata of a field whose value is the element at a path.

    The path starts at the element of the description that has the field. A field whose type is a
    description itself has an element that holds the elements of that description's fields.
    A `rare` field is written only if it differs from its default.
    """
    return {_KEY: (path, rare)}


class SdfField(NamedTuple):
    """A field with a place in SDF."""

    name: str
    path: str
    rare: bool
    type: Any
    default: Any
    """The default, or `MISSING` if SDF requires the element."""
    nested: bool
    """Whether its value is a description with such fields itself."""


@cache
def sdf_fields(description: type) -> tuple[SdfField, ...]:
    """Returns the fields of a class of descriptions that have a place in SDF, in their order."""
    hints = get_type_hints(description)
    found = []
    for each in fields(description):
        metadata = sdf(_OF_NOISE[each.name]) if description is Noise else each.metadata
        if _KEY in metadata:
            made = each.default_factory
            default = each.default if made is MISSING else made()
            path, rare = metadata[_KEY]
            kind = hints[each.name]
            nested = is_dataclass(kind) and bool(sdf_fields(cast(type, kind)))
            found.append(SdfField(each.name, path, rare, kind, default, nested))
    return tuple(found)


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

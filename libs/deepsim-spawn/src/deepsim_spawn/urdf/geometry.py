# SPDX-License-Identifier: Apache-2.0
"""`<geometry>` elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from deepsim_math import Vector3
from deepsim_spawn.description import Box, Capsule, Cylinder, Geometry, Mesh, Plane, Sphere
from deepsim_spawn.sdf import read_scale
from deepsim_spawn.xml import Element
from deepsim_spawn.xml.values import factors, number, vector, word


def read_geometry(owner: Element) -> Geometry:
    """Returns the shape of a collision or visual."""
    geometry = owner.require("geometry")
    for shape in geometry.children:
        reader = _READERS.get(shape.tag)
        if reader is not None:
            return reader(geometry.require(shape.tag))
    raise geometry.error(f"expected one of {', '.join(_READERS)}")


def _box(shape: Element) -> Box:
    return shape.make(Box, shape.require_attribute("size", vector))


def _sphere(shape: Element) -> Sphere:
    return shape.make(Sphere, shape.require_attribute("radius", number))


def _cylinder(shape: Element) -> Cylinder:
    radius = shape.require_attribute("radius", number)
    return shape.make(Cylinder, radius, shape.require_attribute("length", number))


def _capsule(shape: Element) -> Capsule:
    radius = shape.require_attribute("radius", number)
    return shape.make(Capsule, radius, shape.require_attribute("length", number))


def _mesh(shape: Element) -> Mesh:
    path = shape.file(shape.require_attribute("filename", word))
    scale = read_scale(shape, shape.attribute("scale", factors, [1.0, 1.0, 1.0]))
    return shape.make(Mesh, path, scale)


def _plane(shape: Element) -> Plane:
    return shape.make(Plane, shape.attribute("normal", vector, Vector3(0.0, 0.0, 1.0)))


_READERS: Final[dict[str, Callable[[Element], Geometry]]] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "mesh": _mesh,
    "plane": _plane,  # of Bullet
}

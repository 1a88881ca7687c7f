# SPDX-License-Identifier: Apache-2.0
"""`<geometry>` elements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from deepsim_math import Vector3
from deepsim_spawn.description.checks import NoAreaError, NoSizeError
from deepsim_spawn.description.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Heightmap,
    Mesh,
    Plane,
    Sphere,
)
from deepsim_spawn.description.polyline import Polyline
from deepsim_spawn.errors import ModelFormatError
from deepsim_spawn.xml.element import Element
from deepsim_spawn.xml.values import boolean, factors, number, pair, word

G = TypeVar("G")


def unless_left_out(owner: Element, read: Callable[[Element], Geometry | None]) -> Geometry | None:
    """Returns the shape of a collision or visual; None, with a warning, for a dispensable one.

    Unless the load is strict, visuals without size or with a missing mesh are dispensable, and
    collisions that are a point or a line; so are collisions with a missing mesh if the load skips
    them. A flat collision is not, because it may be a floor.
    """
    load = owner.document.load
    try:
        return read(owner)
    except ModelFormatError as error:
        reason = error.__cause__
        missing = isinstance(reason, FileNotFoundError)
        if owner.tag == "visual":
            dispensable = missing or isinstance(reason, NoSizeError)
        else:
            dispensable = isinstance(reason, NoAreaError)
        if not (dispensable and not load.strict) and not (missing and load.skip_missing_collisions):
            raise
    owner.mark_read()
    owner.warn(str(reason), f"{owner.tag}s without a {'mesh' if missing else 'size'} are left out")
    return None


def read_scale(owner: Element, factors: list[float]) -> Vector3:
    """Returns the scale of a mesh: one factor for each axis, or one for all."""
    if len(factors) == 1:
        owner.repair(f"expected 3 numbers as scale, got {factors}", "it applies to all axes")
        factors *= 3
    elif len(factors) == 4:
        owner.repair(f"expected 3 numbers as scale, got {factors}", "the fourth is ignored")
    return Vector3(*factors[:3])


def read_geometry(owner: Element) -> Geometry | None:
    """Returns the shape of a collision or visual; None, with a warning, if unsupported."""
    geometry = owner.require("geometry")
    for shape in geometry.children:
        reader = _READERS.get(shape.tag)
        if reader is not None:
            return reader(geometry.require(shape.tag))
        shape.mark_read()
        if shape.tag == "empty":
            return None  # as the file requests, so without a warning
        shape.warn_unsupported(f"not supported, the {owner.tag} is left out")
        return None
    geometry.warn_unsupported(f"holds no shape, the {owner.tag} is left out")
    return None


def _simple(kind: type[G]) -> Callable[[Element], G]:
    """Returns the reader of a shape whose lengths have the same names in SDF."""
    return lambda shape: shape.read_description(kind)


def _file(shape: Element) -> Path:
    uri = shape.require("uri")
    return uri.file(uri.value(word))


def _mesh(shape: Element) -> Mesh:
    return shape.make(
        Mesh,
        path=_file(shape),
        scale=read_scale(shape, shape.get("scale", factors, [1.0, 1.0, 1.0])),
        submesh=shape.require("submesh/name").value(word) if shape.find("submesh") else "",
        center=shape.get("submesh/center", boolean, False),
    )


def _polyline(shape: Element) -> Polyline:
    """Returns the polylines of a geometry as one shape; an outline inside another is a hole."""
    parent = shape.parent
    outlines = [shape] if parent is None else parent.find_all("polyline")
    heights = [outline.require("height").value(number) for outline in outlines]
    if len(set(heights)) > 1:
        shape.warn(f"polylines of one shape differ in height, all get {heights[0]:g} m")
    points = [
        tuple(point.value(pair) for point in outline.find_all("point")) for outline in outlines
    ]
    return shape.make(Polyline, tuple(points), heights[0])


def _heightmap(shape: Element) -> Heightmap:
    return shape.read_description(Heightmap, path=_file(shape))


_READERS: Final[dict[str, Callable[[Element], Geometry]]] = {
    "box": _simple(Box),
    "sphere": _simple(Sphere),
    "cone": _simple(Cone),
    "cylinder": _simple(Cylinder),
    "capsule": _simple(Capsule),
    "ellipsoid": _simple(Ellipsoid),
    "plane": _simple(Plane),
    "heightmap": _heightmap,
    "mesh": _mesh,
    "polyline": _polyline,
}

# SPDX-License-Identifier: Apache-2.0
"""`<geometry>` elements."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from lxml import etree

from deepsim_spawn.description.geometry import Geometry, Heightmap, Mesh
from deepsim_spawn.description.polyline import Polyline
from deepsim_spawn.description.tags import HEIGHTMAP

from .document import put, put_fields


def write_geometry(owner: etree._Element, geometry: Geometry) -> None:
    """Adds a shape to a collision or visual.

    For simple shapes, SDF uses the same names as the descriptions.
    """
    element = etree.SubElement(owner, "geometry")
    if isinstance(geometry, Polyline):
        _write_polyline(element, geometry)
        return
    shape = etree.SubElement(element, type(geometry).__name__.lower())
    if isinstance(geometry, Mesh):
        _write_mesh(shape, geometry)
    elif isinstance(geometry, Heightmap):
        put(shape, "uri", _uri(geometry.path))
        put_fields(shape, geometry, HEIGHTMAP)
    else:
        for field in fields(geometry):
            put(shape, field.name, getattr(geometry, field.name))


def _uri(path: Path) -> str:
    # not Path.as_uri(), which writes blanks as %20: Gazebo does not decode them
    return f"file://{path.absolute()}"


def _write_polyline(element: etree._Element, polyline: Polyline) -> None:
    for outline in polyline.outlines:
        shape = etree.SubElement(element, "polyline")
        for x, y in outline:
            etree.SubElement(shape, "point").text = f"{x!r} {y!r}"
        put(shape, "height", polyline.height)


def _write_mesh(shape: etree._Element, mesh: Mesh) -> None:
    put(shape, "uri", _uri(mesh.path))
    put(shape, "scale", mesh.scale)
    if mesh.submesh:
        put(shape, "submesh/name", mesh.submesh)
        put(shape, "submesh/center", mesh.center)

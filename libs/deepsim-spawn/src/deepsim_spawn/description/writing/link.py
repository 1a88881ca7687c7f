# SPDX-License-Identifier: Apache-2.0
"""`<light>`, `<link>` and `<geometry>` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from deepsim_spawn.description.geometry import Geometry, Heightmap, Mesh
from deepsim_spawn.description.polyline import Polyline
from deepsim_spawn.description.sdf_paths import BOUNCING

from .document import put, put_fields, write_pose
from .sensor import JOINT_SENSOR, write_sensor

if TYPE_CHECKING:
    from deepsim_spawn.description.light import LightDescription
    from deepsim_spawn.description.link import (
        CollisionDescription,
        Inertial,
        LinkDescription,
        VisualDescription,
    )


def write_light(owner: etree._Element, light: LightDescription) -> None:
    """Adds a light to a world or link."""
    element = etree.SubElement(owner, "light", name=light.name, type=light.type)
    write_pose(element, light.pose)
    put_fields(element, light)


def write_link(model: etree._Element, link: LinkDescription) -> None:
    """Adds a link to a model."""
    element = etree.SubElement(model, "link", name=link.name)
    write_pose(element, link.pose)
    write_inertial(element, link.inertial)
    for collision in link.collisions:
        write_collision(element, collision)
    for visual in link.visuals:
        write_visual(element, visual)
    for sensor in link.sensors:
        if sensor.type != JOINT_SENSOR:
            write_sensor(element, sensor)
    for light in link.lights:
        write_light(element, light)
    put_fields(element, link)


_LEAST_MASS = 1e-3
_LEAST_MOMENT = 1e-6


def write_inertial(link: etree._Element, inertial: Inertial | None) -> None:
    """Adds mass and inertia to a link; None becomes a ball of 1 g with a radius of 5 cm."""
    element = etree.SubElement(link, "inertial")
    if inertial is None:
        put(element, "mass", _LEAST_MASS)
        for moment in ("ixx", "iyy", "izz"):
            put(element, f"inertia/{moment}", _LEAST_MOMENT)
        return
    write_pose(element, inertial.pose)
    put_fields(element, inertial)


def write_collision(link: etree._Element, collision: CollisionDescription) -> None:
    """Adds a collision to a link."""
    element = etree.SubElement(link, "collision", name=collision.name)
    write_pose(element, collision.pose)
    write_geometry(element, collision.geometry)
    put_fields(element, collision)
    if collision.surface.restitution > 0.0:
        for path, value in BOUNCING.items():
            put(element, f"surface/{path}", value)


def write_visual(link: etree._Element, visual: VisualDescription) -> None:
    """Adds a visual to a link; an invisible one becomes transparent, as SDF cannot hide it."""
    element = etree.SubElement(link, "visual", name=visual.name)
    write_pose(element, visual.pose)
    write_geometry(element, visual.geometry)
    if visual.material is not None:
        for color in ("ambient", "diffuse", "specular", "emissive"):
            put(element, f"material/{color}", getattr(visual.material, color))
    put_fields(element, visual)
    if not visual.visible:
        put(element, "transparency", 1.0)


def write_geometry(owner: etree._Element, geometry: Geometry) -> None:
    """Adds a shape to a collision or visual."""
    element = etree.SubElement(owner, "geometry")
    if isinstance(geometry, Polyline):
        _write_polyline(element, geometry)
        return
    shape = etree.SubElement(element, type(geometry).__name__.lower())
    if isinstance(geometry, Mesh | Heightmap):
        # not Path.as_uri(), which writes blanks as %20: Gazebo does not decode them
        put(shape, "uri", f"file://{geometry.path.absolute()}")
    put_fields(shape, geometry)
    if isinstance(geometry, Mesh):
        put(shape, "scale", geometry.scale)
        if geometry.submesh:
            put(shape, "submesh/name", geometry.submesh)
            put(shape, "submesh/center", geometry.center)


def _write_polyline(element: etree._Element, polyline: Polyline) -> None:
    for outline in polyline.outlines:
        shape = etree.SubElement(element, "polyline")
        for x, y in outline:
            etree.SubElement(shape, "point").text = f"{x!r} {y!r}"
        put(shape, "height", polyline.height)

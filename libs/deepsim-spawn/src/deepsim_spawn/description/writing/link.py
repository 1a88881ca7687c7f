# SPDX-License-Identifier: Apache-2.0
"""`<light>` and `<link>` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from deepsim_spawn.description.tags import (
    ATTENUATION,
    BOUNCING,
    LIGHT,
    LINK,
    MOMENTS,
    RARE_SURFACE,
    SPOT,
    SURFACE,
    VELOCITY_DECAY,
)

from .document import put, put_fields, write_pose
from .geometry import write_geometry
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
    put_fields(element, light, LIGHT)
    put_fields(element, light.attenuation, ATTENUATION)
    put_fields(element, light.spot, SPOT)


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
    put_fields(element, link, LINK)
    if link.self_collide is not None:
        put(element, "self_collide", link.self_collide)
    put_fields(element, link.velocity_decay, VELOCITY_DECAY)


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
    put(element, "mass", inertial.mass)
    for moment in MOMENTS:
        put(element, f"inertia/{moment}", getattr(inertial, moment))


def write_collision(link: etree._Element, collision: CollisionDescription) -> None:
    """Adds a collision to a link."""
    element = etree.SubElement(link, "collision", name=collision.name)
    write_pose(element, collision.pose)
    write_geometry(element, collision.geometry)
    surface = collision.surface
    put_fields(element, surface, SURFACE)
    for name, path in RARE_SURFACE.items():
        if getattr(surface, name) != getattr(type(surface)(), name):
            put(element, path, getattr(surface, name))
    if surface.restitution > 0.0:
        for path, value in BOUNCING.items():
            put(element, path, value)


def write_visual(link: etree._Element, visual: VisualDescription) -> None:
    """Adds a visual to a link; an invisible one becomes transparent, as SDF cannot hide it."""
    element = etree.SubElement(link, "visual", name=visual.name)
    write_pose(element, visual.pose)
    write_geometry(element, visual.geometry)
    if visual.material is not None:
        for color in ("ambient", "diffuse", "specular", "emissive"):
            put(element, f"material/{color}", getattr(visual.material, color))
    put(element, "transparency", visual.transparency if visual.visible else 1.0)
    put(element, "cast_shadows", visual.cast_shadows)

# SPDX-License-Identifier: Apache-2.0
"""`<link>` elements."""

from __future__ import annotations

from deepsim_math import Pose
from deepsim_spawn.description import (
    CollisionDescription,
    Inertial,
    JointDescription,
    LinkDescription,
    Surface,
    VisualDescription,
)
from deepsim_spawn.description.inertial import MOMENTS
from deepsim_spawn.inertia import make_inertial
from deepsim_spawn.sdf import (
    Scope,
    read_friction,
    read_joint_sensor,
    read_material,
    read_sensor,
    unless_left_out,
)
from deepsim_spawn.xml import Element, number_names
from deepsim_spawn.xml.values import boolean, number, word

from .extensions import Extension
from .geometry import read_geometry
from .materials import Materials, Paint
from .origin import read_origin


def read_link(
    element: Element,
    pose: Pose,
    materials: Materials,
    extension: Extension,
    scope: Scope,
    holder: tuple[JointDescription, Extension] | None,
) -> LinkDescription:
    """Returns a link.

    Args:
        element: The `<link>`.
        pose: In the model frame.
        materials: Of the robot.
        extension: What its `<gazebo>` elements add.
        scope: The links as frames, for sensors.
        holder: The joint that holds it, and what its `<gazebo>` elements add.
    """
    name = element.require_attribute("name", word)
    self_collide = extension.get("selfCollide", boolean, None)
    sensors = extension.find_all("sensor")
    felt = [] if holder is None else holder[1].find_all("sensor")
    number_names([*sensors, *felt])
    gravity = extension.get("gravity", boolean, True)
    return element.make(
        LinkDescription,
        name=name,
        pose=pose,
        inertial=_read_inertial(element),
        collisions=_read_collisions(element, name, extension),
        visuals=_read_visuals(element, name, materials, extension),
        sensors=(
            *(read_sensor(child, name, scope) for child in sensors),
            *(read_joint_sensor(child, holder[0], scope) for child in felt if holder),
        ),
        gravity=gravity and not extension.get("turnGravityOff", boolean, False),
        self_collide=self_collide,
    )


def _read_inertial(link: Element) -> Inertial | None:
    element = link.find("inertial")
    if element is None:
        return None
    inertia, weight = element.find("inertia"), element.find("mass")
    moments = None
    if inertia is not None:
        moments = {name: inertia.require_attribute(name, number) for name in MOMENTS}
    elif weight is not None:
        element.repair("<inertia> is missing", "it is that of a ball as dense as water")
    if weight is None:
        element.repair("<mass> is missing", "a link without mass is a frame")
    mass = 0.0 if weight is None else weight.require_attribute("value", number)
    return make_inertial(element, mass, read_origin(element), moments)


def _read_collisions(
    link: Element, link_name: str, extension: Extension
) -> tuple[CollisionDescription, ...]:
    surface = link.make(
        Surface,
        mu=read_friction(link, extension.get("mu1", number, 1.0)),
        mu2=read_friction(link, extension.get("mu2", number, 1.0)),
    )
    return tuple(
        element.make(
            CollisionDescription,
            name=element.require_attribute("name", str),
            geometry=geometry,
            pose=read_origin(element),
            surface=surface,
        )
        for element in _named(link, "collision", link_name)
        if (geometry := unless_left_out(element, read_geometry)) is not None
    )


def _read_visuals(
    link: Element, link_name: str, materials: Materials, extension: Extension
) -> tuple[VisualDescription, ...]:
    override = None
    for element in extension.find_all("material"):
        override = read_material(element)
    visuals = []
    for element in _named(link, "visual", link_name):
        material = element.find("material")
        paint = Paint() if material is None else materials.read(material)
        geometry = unless_left_out(element, read_geometry)
        if geometry is None:
            continue
        visuals.append(
            element.make(
                VisualDescription,
                name=element.require_attribute("name", str),
                geometry=geometry,
                pose=read_origin(element),
                material=override or paint.material,
                transparency=paint.transparency,
            )
        )
    return tuple(visuals)


def _named(link: Element, tag: str, link_name: str) -> list[Element]:
    """Returns the collisions or visuals of a link; unnamed ones get the names that Gazebo makes."""
    elements = link.find_all(tag)
    for index, element in enumerate(elements):
        if not element.attributes.get("name"):
            element.attributes["name"] = f"{link_name}_{tag}" + (f"_{index}" if index else "")
    number_names(elements)
    return elements

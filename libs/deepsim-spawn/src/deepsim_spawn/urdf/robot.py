# SPDX-License-Identifier: Apache-2.0
"""`<robot>` and `<link>` elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

from deepsim_math import Color, Material, Pose, Vector3
from deepsim_spawn.description.checks import WORLD
from deepsim_spawn.description.geometry import Box, Capsule, Cylinder, Geometry, Mesh, Plane, Sphere
from deepsim_spawn.description.joint import JointDescription
from deepsim_spawn.description.link import (
    CollisionDescription,
    Inertial,
    LinkDescription,
    Surface,
    VisualDescription,
)
from deepsim_spawn.description.model import ModelDescription
from deepsim_spawn.description.sdf_paths import MOMENTS
from deepsim_spawn.inertia import WATER, even_solid, fix_massless_bases, inertial_of, make_inertial
from deepsim_spawn.sdf.frames import MODEL, Frame, Scope
from deepsim_spawn.sdf.link import read_friction, read_scale, unless_left_out
from deepsim_spawn.sdf.material import Paint, find_texture, read_material
from deepsim_spawn.sdf.sensor import read_joint_sensor, read_plugin, read_sensor
from deepsim_spawn.xml.element import (
    Element,
    boolean,
    color,
    factors,
    number,
    number_names,
    unique_names,
    vector,
    word,
)

from .joint import (
    Extension,
    Extensions,
    apply_mujoco,
    free_name,
    read_joint,
    read_origin,
    read_tree,
)

G = TypeVar("G")


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
        pose: Pose in the model frame.
        materials: Materials of the robot.
        extension: The link's `<gazebo>` elements.
        scope: The links as frames, for sensors.
        holder: The joint whose child it is, with the joint's `<gazebo>` elements.
    """
    name = element.require_attribute("name", word)
    self_collide = extension.get("selfCollide", boolean, None)
    sensors = extension.find_all("sensor")
    felt = [] if holder is None else holder[1].find_all("sensor")
    number_names([*sensors, *felt])
    gravity = extension.get("gravity", boolean, True)
    collisions = _read_collisions(element, name, extension)
    return element.make(
        LinkDescription,
        name=name,
        pose=pose,
        inertial=_read_inertial(element, collisions),
        collisions=collisions,
        visuals=_read_visuals(element, name, materials, extension),
        sensors=(
            *(read_sensor(child, name, scope) for child in sensors),
            *(read_joint_sensor(child, holder[0], scope) for child in felt if holder),
        ),
        gravity=gravity and not extension.get("turnGravityOff", boolean, False),
        self_collide=self_collide,
    )


def _read_inertial(link: Element, collisions: tuple[CollisionDescription, ...]) -> Inertial | None:
    element = link.find("inertial")
    if element is None:
        return None
    inertia, weight = element.find("inertia"), element.find("mass")
    moments = None
    if weight is None:
        element.repair("<mass> is missing", "a link without mass becomes a frame")
    mass = 0.0 if weight is None else weight.require_attribute("value", number)
    if inertia is not None:
        moments = {name: inertia.require_attribute(name, number) for name in MOMENTS}
    elif mass > 0.0:
        solid = even_solid(element, [(collision, WATER) for collision in collisions])
        if solid is not None:
            element.repair("<inertia> is missing", "that of the collision shapes is used")
            at = Pose(read_origin(element).position)  # its axes do not matter
            return replace(inertial_of(element, solid, mass), pose=at)
        element.repair("<inertia> is missing", "that of a ball as dense as water is used")
    return make_inertial(element, mass, read_origin(element), moments)


def _read_collisions(
    link: Element, link_name: str, extension: Extension
) -> tuple[CollisionDescription, ...]:
    surface = link.make(
        Surface,
        mu=read_friction(link, mu := extension.get("mu1", number, 1.0)),
        mu2=read_friction(link, extension.get("mu2", number, mu)),
        wheel=extension.get("wheel", boolean, None),
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
    override = Paint()
    for element in extension.find_all("material"):
        override = read_material(element)
    visuals = []
    for element in _named(link, "visual", link_name):
        material = element.find("material")
        paint = Paint() if material is None else materials.read(material)
        if override != Paint():
            paint = override._replace(transparency=paint.transparency)
        geometry = unless_left_out(element, read_geometry)
        if geometry is None:
            continue
        visuals.append(
            element.make(
                VisualDescription,
                name=element.require_attribute("name", str),
                geometry=geometry,
                pose=read_origin(element),
                material=paint.material,
                transparency=paint.transparency,
                texture=paint.texture,
            )
        )
    return tuple(visuals)


def _named(link: Element, tag: str, link_name: str) -> list[Element]:
    """Returns the collisions or visuals of a link; unnamed ones get the names that Gazebo gives."""
    elements = link.find_all(tag)
    for index, element in enumerate(elements):
        if not element.attributes.get("name"):
            element.attributes["name"] = f"{link_name}_{tag}" + (f"_{index}" if index else "")
    number_names(elements)
    return elements


def read_geometry(owner: Element) -> Geometry:
    """Returns the shape of a collision or visual."""
    geometry = owner.require("geometry")
    for shape in geometry.children:
        reader = _READERS.get(shape.tag)
        if reader is not None:
            return reader(geometry.require(shape.tag))
    raise geometry.error(f"expected one of {', '.join(_READERS)}")


def _simple(kind: type[G], parse: Callable[[str], Any], *names: str) -> Callable[[Element], G]:
    """Returns the reader of a shape with required attributes."""
    return lambda shape: shape.make(kind, *(shape.require_attribute(name, parse) for name in names))


def _mesh(shape: Element) -> Mesh:
    path = shape.file(shape.require_attribute("filename", word))
    scale = read_scale(shape, shape.attribute("scale", factors, [1.0, 1.0, 1.0]))
    return shape.make(Mesh, path, scale)


def _plane(shape: Element) -> Plane:
    return shape.make(Plane, shape.attribute("normal", vector, Vector3(0.0, 0.0, 1.0)))


_READERS: Final[dict[str, Callable[[Element], Geometry]]] = {
    "box": _simple(Box, vector, "size"),
    "sphere": _simple(Sphere, number, "radius"),
    "cylinder": _simple(Cylinder, number, "radius", "length"),
    "capsule": _simple(Capsule, number, "radius", "length"),
    "mesh": _mesh,
    "plane": _plane,  # an extension of Bullet
}


class Materials:
    """The materials of a robot by name, starting with those of the `<robot>` itself."""

    def __init__(self, robot: Element) -> None:
        self._paints: dict[str, Paint] = {}
        for element in robot.find_all("material"):
            self.read(element)

    def read(self, element: Element) -> Paint:
        """Returns the material that an element defines or refers to."""
        name = element.attribute("name", str, "")
        rgba, picture = element.find("color"), element.find("texture")
        paint = Paint()
        if rgba is not None:
            r, g, b, alpha = rgba.require_attribute("rgba", color)
            opaque = Color(r, g, b, 1.0)
            paint = Paint(Material(ambient=opaque, diffuse=opaque), 1.0 - alpha)
        file = "" if picture is None else picture.attribute("filename", str, "")
        if picture is not None and file:  # exporters leave it empty
            paint = paint._replace(texture=find_texture(picture, file))
        if rgba is not None or picture is not None:
            return self._paints.setdefault(name, paint) if name else paint
        if name and name not in self._paints:
            element.warn(f"the material {name!r} is undefined, the visual has the default colour")
        return self._paints.get(name, Paint())


def read_urdf(robot: Element) -> ModelDescription:
    """Returns the model of a URDF document; its frame is that of the root link.

    Fixed joints stay joints: links keep their names, frames and sensors, whereas Gazebo would merge
    the links. A root link called ``world`` is the world itself: its children are joined to the
    world.
    """
    name = free_name(robot)
    apply_mujoco(robot)
    robot.attribute("version", str, "")
    links = robot.find_all("link")
    joints = robot.find_all("joint")
    unique_names(links)
    unique_names(joints)
    for transmission in robot.find_all("transmission"):
        transmission.mark_read()
        transmission.warn_unsupported("ignored: the joints table commands every joint")
    tree = read_tree(robot)
    if tree.root == WORLD:
        world = next(link for link in links if link.attributes["name"] == WORLD)
        links.remove(world)  # its contents stay unread, so they cause a warning
        if not links:
            raise robot.error("a robot must have a link besides the world")
    scope = Scope(MODEL)
    for link in links:
        link_name = link.attributes["name"]
        scope.add(link_name, Frame(link, tree.poses[link_name], MODEL))
    extensions = Extensions(robot, {element.attributes["name"] for element in (*links, *joints)})
    materials = Materials(robot)
    whole = extensions.of("")
    joined = {
        joint.child: (joint, extension)
        for each in joints
        for extension in [extensions.of(each.attributes["name"])]
        if (joint := read_joint(each, extension)) is not None
    }
    described = [
        read_link(
            link,
            tree.poses[link.attributes["name"]],
            materials,
            extensions.of(link.attributes["name"]),
            scope,
            joined.get(link.attributes["name"]),
        )
        for link in links
    ]
    model = robot.make(
        ModelDescription,
        name=name,
        links=tuple(described),
        joints=tuple(joint for joint, _ in joined.values()),
        static=whole.get("static", boolean, False),
        self_collide=whole.get("self_collide", boolean, False),
        canonical_link=next(link for link in tree.poses if link != WORLD),
        plugins=tuple(read_plugin(plugin) for plugin in whole.find_all("plugin")),
    )
    weighed = any(link.inertial for link in model.links)
    weightless = any(link.find("inertial") for link in links)
    return fix_massless_bases(model, robot) if weighed or weightless else model

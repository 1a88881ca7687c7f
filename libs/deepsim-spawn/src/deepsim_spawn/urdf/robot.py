# SPDX-License-Identifier: Apache-2.0
"""`<robot>` elements."""

from __future__ import annotations

from deepsim_spawn.description.checks import WORLD
from deepsim_spawn.description.model import ModelDescription
from deepsim_spawn.inertia import fix_massless_bases
from deepsim_spawn.sdf.frames import MODEL, Frame, Scope
from deepsim_spawn.sdf.sensor import read_plugin
from deepsim_spawn.xml.element import Element, boolean, unique_names

from .extensions import Extensions, apply_mujoco
from .joint import free_name, read_joint, read_tree
from .link import Materials, read_link


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

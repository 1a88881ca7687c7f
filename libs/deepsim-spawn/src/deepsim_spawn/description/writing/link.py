# SPDX-License-Identifier: Apache-2.0
"""`<link>` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from deepsim_spawn.description.tags import LINK, VELOCITY_DECAY

from .collision import write_collision
from .inertial import write_inertial
from .kept import JOINT_SENSOR, write_sensor
from .light import write_light
from .pose import write_pose
from .values import put, put_fields
from .visual import write_visual

if TYPE_CHECKING:
    from deepsim_spawn.description.link import LinkDescription


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

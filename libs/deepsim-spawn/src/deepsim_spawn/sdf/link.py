# SPDX-License-Identifier: Apache-2.0
"""`<link>` elements."""

from __future__ import annotations

from collections.abc import Iterable

from deepsim_spawn.description import JointDescription, LinkDescription, VelocityDecay
from deepsim_spawn.description.tags import LINK, VELOCITY_DECAY
from deepsim_spawn.xml import Element, number_names, read_fields
from deepsim_spawn.xml.values import boolean, word

from .collision import read_collision
from .frames import Scope
from .inertial import read_inertial
from .light import read_light
from .sensor import read_joint_sensor, read_sensor
from .visual import read_visual


def read_link(
    element: Element, scope: Scope, joints: Iterable[tuple[JointDescription, Element]] = ()
) -> LinkDescription:
    """Returns a link of a model whose frames are known, with the sensors of joints that hold it."""
    name = element.require_attribute("name", word)
    self_collide = element.find("self_collide")
    sensors = element.find_all("sensor")
    felt = [
        (joint, sensor)
        for joint, joined in joints
        if joint.child == name
        for sensor in joined.find_all("sensor")
    ]
    for tag in ("collision", "visual", "light"):
        number_names(element.find_all(tag))
    number_names([*sensors, *(sensor for _, sensor in felt)])
    collisions = [read_collision(child, name, scope) for child in element.find_all("collision")]
    visuals = [read_visual(child, name, scope) for child in element.find_all("visual")]
    return element.make(
        LinkDescription,
        name=name,
        pose=scope.pose(name, element),
        inertial=read_inertial(element),
        collisions=tuple(collision for collision in collisions if collision),
        visuals=tuple(visual for visual in visuals if visual),
        sensors=(
            *(read_sensor(child, name, scope) for child in sensors),
            *(read_joint_sensor(child, joint, scope) for joint, child in felt),
        ),
        lights=tuple(read_light(child, name, scope) for child in element.find_all("light")),
        self_collide=None if self_collide is None else self_collide.value(boolean),
        velocity_decay=element.make(
            VelocityDecay, **read_fields(element, VelocityDecay, VELOCITY_DECAY)
        ),
        **read_fields(element, LinkDescription, LINK),
    )

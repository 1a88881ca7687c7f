# SPDX-License-Identifier: Apache-2.0
"""`<collision>` elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lxml import etree

from deepsim_spawn.description.tags import RARE_SURFACE, SURFACE

from .geometry import write_geometry
from .pose import write_pose
from .values import put, put_fields

if TYPE_CHECKING:
    from deepsim_spawn.description.collision import CollisionDescription

BOUNCING: Final = {
    "surface/bounce/threshold": 0.0,
    "surface/contact/ode/kp": 2.5e10,
    "surface/contact/ode/kd": 1e8,
    "surface/contact/ode/max_vel": 100.0,
}
"""With these Gazebo 11 returns a ball at its restitution, within 0.003 at steps of 1 and 2 ms.

By default its contacts let nothing bounce: the least speed that does is 100000 m/s, and corrections
are limited to 0.01 m/s. Without that limit its hard contacts push 0.75 of the speed back, whatever
the restitution is, so they are softened.
"""


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

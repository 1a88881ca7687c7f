# SPDX-License-Identifier: Apache-2.0
"""`<collision>` elements."""

from __future__ import annotations

from deepsim_spawn.description import CollisionDescription, Surface
from deepsim_spawn.description.tags import RARE_SURFACE, SURFACE
from deepsim_spawn.description.writing.collision import BOUNCING
from deepsim_spawn.xml import Element, read_fields
from deepsim_spawn.xml.values import word

from .frames import Scope
from .geometry import read_geometry, unless_left_out
from .pose import read_pose

_UNLIMITED_FRICTION = 1000.0


def read_friction(owner: Element, coefficient: float) -> float:
    """Returns a friction coefficient; a negative one means no limit, as it does to ODE."""
    if coefficient >= 0.0:
        return coefficient
    owner.repair(
        f"surface mu must be >= 0, got {coefficient:g}",
        f"negative friction has no limit, {_UNLIMITED_FRICTION:g}",
    )
    return _UNLIMITED_FRICTION


def read_collision(element: Element, link: str, scope: Scope) -> CollisionDescription | None:
    """Returns a collision of a link, or None if its shape is not supported."""
    name = element.require_attribute("name", word)
    pose, relative_to = read_pose(element)
    values = read_fields(element, Surface, SURFACE | RARE_SURFACE)
    for coefficient in ("mu", "mu2"):
        if coefficient in values:
            values[coefficient] = read_friction(element, values[coefficient])
    surface = element.make(Surface, **values)
    for path, value in BOUNCING.items():
        solver = element.find(path)
        if solver is not None and solver.text != repr(value):
            solver.warn_unsupported("not supported, ignored")
    geometry = unless_left_out(element, read_geometry)
    if geometry is None:
        return None
    return element.make(
        CollisionDescription,
        name=name,
        geometry=geometry,
        pose=scope.relative_pose(pose, relative_to, link, element),
        surface=surface,
    )

# SPDX-License-Identifier: Apache-2.0
"""Bounding boxes of entities, and whether they overlap with the bounds of a filter."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3
from simulation_interfaces.msg import Bounds

from deepsim_math import Pose, poses
from deepsim_ros2.served.geometry import Floats
from deepsim_ros2.served.refusal import failed, unsupported
from deepsim_ros2.served.simulation import ServedWorld
from deepsim_spawn import Bounds as Box
from deepsim_spawn import CollisionDescription, LinkDescription, ModelDescription
from deepsim_sync import SCOPE


def box_of(served: ServedWorld, name: str, *, in_world: bool) -> Floats:
    """Returns the bounding box of an entity at present: lowest and highest corner, (2, 3) [m].

    It is that of the collisions or, for a model in MJCF, of the visuals, along the axes of the
    world frame or of the entity's canonical link.

    Raises:
        RefusedError: The entity has no shapes.
    """
    simulation, world = served.simulation, served.simulation.world
    world.models.select([name])  # raises UnknownEntityError
    description = simulation.description(name)
    if not isinstance(description, ModelDescription):
        description = world.simulator.descriptions.looks.get(name)
    if not isinstance(description, ModelDescription):
        raise failed(f"the shapes of {name!r} are not known")
    links = [(each, link) for each, link, _ in description.all_links()]
    names = [name + SCOPE + each for each, _ in links]
    placed = world.links.select(names).pose[served.number]
    if not in_world:
        canonical = [each for each, _ in links].index(description.canonical_link)
        placed = poses.relative(placed[canonical], placed)
    solid = [
        LinkDescription(f"link_{number}", Pose.from_array(pose), collisions=_shapes(link))
        for number, ((_, link), pose) in enumerate(zip(links, placed, strict=True))
    ]
    found = Box.of(ModelDescription("bounds", links=tuple(solid)))
    if found is None:
        raise failed(f"{name!r} has no shapes")
    return np.array([found.lower, found.upper])


def _shapes(link: LinkDescription) -> tuple[CollisionDescription, ...]:
    return link.collisions or tuple(
        CollisionDescription(visual.name, visual.geometry, visual.pose) for visual in link.visuals
    )


def write_box(message: Any, box: Floats) -> None:
    """Writes a box, (2, 3), into a Bounds."""
    message.type = Bounds.TYPE_BOX
    message.points = [Vector3(x=x, y=y, z=z) for x, y, z in box[::-1].tolist()]


def overlaps(box: Floats, bounds: Any) -> bool:
    """Returns whether a box, (2, 3), and the bounds of a filter share a point.

    Raises:
        RefusedError: The bounds have a type that is not supported, or are no volume.
    """
    points = np.array([(each.x, each.y, each.z) for each in bounds.points]).reshape(-1, 3)
    if bounds.type not in (Bounds.TYPE_BOX, Bounds.TYPE_SPHERE):
        raise unsupported(f"filters with bounds are a box or a sphere, got type {bounds.type}")
    if len(points) != 2 or not np.isfinite(points).all():
        raise failed(f"bounds of type {bounds.type} have 2 finite points, got {len(points)}")
    if bounds.type == Bounds.TYPE_BOX:
        lower, upper = points.min(axis=0), points.max(axis=0)
        return bool((box[0] <= upper).all() and (lower <= box[1]).all())
    nearest = np.clip(points[0], box[0], box[1])
    return bool(np.sum((nearest - points[0]) ** 2) <= points[1, 0] ** 2)

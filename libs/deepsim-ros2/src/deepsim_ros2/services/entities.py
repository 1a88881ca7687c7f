# SPDX-License-Identifier: Apache-2.0
"""Names, states, information and bounds of entities."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from geometry_msgs.msg import Vector3
from simulation_interfaces.msg import Bounds, EntityState, TagsFilter
from simulation_interfaces.srv import SetEntityState

from deepsim_math import Pose, poses
from deepsim_ros2.geometry import WORLD, Floats, write_pose, write_time, write_twist
from deepsim_ros2.simulation import (
    RefusedError,
    ServedWorld,
    failed,
    is_static,
    pose_in_world,
    twist_in_world,
    unsupported,
)
from deepsim_spawn import Bounds as Box
from deepsim_spawn import CollisionDescription, LinkDescription, ModelDescription
from deepsim_sync import SCOPE, UnknownEntityError


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


_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
"""POSIX's classes of characters, as Python's regular expressions write them."""


def get_entities(served: ServedWorld, request: Any, response: Any) -> None:
    """Lists the names of entities."""
    response.entities = _filtered(served, request.filters)


def get_entities_states(served: ServedWorld, request: Any, response: Any) -> None:
    """Returns the states of several entities."""
    response.entities = _filtered(served, request.filters)
    response.states = [_state(served, name) for name in response.entities]


def get_entity_state(served: ServedWorld, request: Any, response: Any) -> None:
    """Returns the state of an entity."""
    response.state = _state(served, request.entity)


def set_entity_state(served: ServedWorld, request: Any, _response: Any) -> None:
    """Sets pose and twist of an entity."""
    name, state, world = request.entity, request.state, served.simulation.world
    row, frame = world.models.select([name]), state.header.frame_id
    worlds = np.array([served.number])
    if request.set_acceleration:
        raise unsupported("accelerations follow from forces and cannot be set")
    changes: dict[str, Floats] = {}
    if request.set_pose:
        pose = pose_in_world(served, frame, state.pose)
        length = float(np.linalg.norm(pose[3:]))
        if not np.isfinite(pose).all() or length < 1e-6:
            text = f"the pose must be finite, with a quaternion that is not zero, got {pose}"
            raise RefusedError(SetEntityState.Response.INVALID_POSE, text)
        changes["pose"] = pose
    if request.set_twist:
        twist = twist_in_world(served, frame, state.twist)
        if not np.isfinite(twist).all():
            raise failed(f"the twist must be finite, got {twist}")
        if is_static(served.simulation.description(name)):
            if twist.any():
                raise failed(f"{name!r} is static, so that its twist is 0")
        else:
            changes["twist"] = twist
    if changes:
        row.put(worlds, **changes)
        world.flush()
        served.simulation.forget_acceleration()
        served.changed = True


def _state(served: ServedWorld, name: str) -> EntityState:
    """Returns the state of an entity in the world frame."""
    world = served.simulation.world
    row = int(world.entities.models.rows([name])[0])
    state = EntityState()
    state.header.frame_id = WORLD
    write_time(state.header.stamp, served.time)
    write_pose(state.pose, world.models.pose[served.number, row])
    write_twist(state.twist, world.models.twist[served.number, row])
    write_twist(state.acceleration, served.simulation.acceleration(served.number, row))
    return state


def get_entity_info(served: ServedWorld, request: Any, response: Any) -> None:
    """Returns category, description and tags of an entity."""
    response.info = served.simulation.info(_known(served, request.entity))


def set_entity_info(served: ServedWorld, request: Any, _response: Any) -> None:
    """Replaces category, description and tags of an entity."""
    served.simulation.infos[_known(served, request.entity)] = request.info


def get_entity_bounds(served: ServedWorld, request: Any, response: Any) -> None:
    """Returns the bounding box of an entity along the axes of its canonical link."""
    write_box(response.bounds, box_of(served, request.entity, in_world=False))


def get_named_poses(_served: ServedWorld, _request: Any, _response: Any) -> None:
    """Refuses, because worlds have no named poses."""
    raise unsupported("there are no named poses")


def _known(served: ServedWorld, name: str) -> str:
    """Returns the name of an entity; raises UnknownEntityError if there is none."""
    names = served.simulation.world.entities.models
    if name not in names:
        raise UnknownEntityError("entity", name, names)
    return name


def _filtered(served: ServedWorld, filters: Any) -> list[str]:
    """Returns the names of the entities that a filter admits, in the order of the world."""
    simulation = served.simulation
    names = [*simulation.world.entities.models]
    if filters.filter:
        pattern = _pattern(filters.filter)
        names = [name for name in names if pattern.search(name)]
    if filters.categories:
        wanted = {each.category for each in filters.categories}
        names = [name for name in names if simulation.info(name).category.category in wanted]
    if filters.tags.tags:
        mode, tags = filters.tags.filter_mode, set(filters.tags.tags)
        if mode not in (TagsFilter.FILTER_MODE_ANY, TagsFilter.FILTER_MODE_ALL):
            raise failed(f"the mode of a filter of tags is 0 or 1, got {mode}")
        of_all = mode == TagsFilter.FILTER_MODE_ALL
        fits = tags.issubset if of_all else (lambda own: not tags.isdisjoint(own))
        names = [name for name in names if fits(simulation.info(name).tags)]
    if filters.bounds.type or filters.bounds.points:
        names = [name for name in names if _is_within(served, name, filters.bounds)]
    return names


def _is_within(served: ServedWorld, name: str, bounds: Any) -> bool:
    try:
        box = box_of(served, name, in_world=True)
    except RefusedError:  # without shapes, it is a point
        place = served.simulation.world.models.select([name]).pose[served.number, :, :3]
        box = np.concatenate([place, place])
    return overlaps(box, bounds)


def _pattern(text: str) -> re.Pattern[str]:
    """Compiles an extended regular expression of POSIX."""
    for name, characters in _CLASSES.items():
        text = text.replace(f"[:{name}:]", characters)
    try:
        return re.compile(text)
    except re.error as error:
        raise failed(f"the filter {text!r} is no regular expression: {error}") from error

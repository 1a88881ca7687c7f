# SPDX-License-Identifier: Apache-2.0
"""Names what a description asks for and MuJoCo is not made to do."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator

from deepsim_spawn import (
    CollisionDescription,
    Geometry,
    Heightmap,
    JointAxis,
    JointDescription,
    LinkDescription,
    ModelDescription,
    UnsupportedElementWarning,
    VelocityDecay,
)
from deepsim_sync import SCOPE

from .decay import decays
from .landscapes import reason_left_out
from .loops import is_locked
from .tree import link_trees


def warn_of_unsupported(description: ModelDescription, name: str) -> None:
    """Warns once for each kind of thing that is left out, and says where it is first asked for.

    Args:
        description: The model to be spawned.
        name: The name that it is spawned under.
    """
    places: dict[str, list[str]] = defaultdict(list)
    for link_name, link, placed in _links(description):
        for kind, place in _of_link(link, placed):
            places[kind].append(f"{link_name}{place}")
    for place, plugin in _plugins(description, name):
        places[f"plugin {plugin}"].append(place)
    for node in link_trees(description, name):
        if node.link.velocity_decay != VelocityDecay() and not (node.placed or decays(node)):
            places["velocity decay (joints hold it)"].append(node.name.removeprefix(name + SCOPE))
        for _, joint in node.closing:
            for kind in _of_loop(joint):
                places[kind].append(f"joint {joint.name}")
    for kind, where in places.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        warnings.warn(
            f"model {name!r}: {kind} of {where[0]}{more} not simulated",
            UnsupportedElementWarning,
            stacklevel=4,
        )


_REPLACEMENTS = {
    "control": "the joints are commanded by the joints table, `world.joints`",
    "drive": "the wheels are commanded by the joints table, `world.joints`",
    "steering": "the wheels are commanded by the joints table, `world.joints`",
    "camera": "pictures come from `simulator.cameras`",
    "bumper": "contacts come from `world.sensors` and `simulator.contacts`",
    "imu": "an IMU is a `<sensor>` of a link, read by `world.sensors`",
    "laser": "a lidar is a `<sensor>` of a link, read by `world.sensors`",
    "ft_sensor": "forces come from a `<sensor>` of a joint, read by `world.sensors`",
}
"""What stands in for plugins with such a word in their library's name."""


def _plugins(model: ModelDescription, scope: str) -> Iterator[tuple[str, str]]:
    """The scoped name of each model with a plugin; the plugin's library, with what replaces it."""
    for plugin in model.plugins:
        library = plugin.filename or plugin.name
        cures = [cure for word, cure in _REPLACEMENTS.items() if word in library]
        yield scope, library + (f" ({cures[0]})" if cures else "")
    for nested in model.models:
        yield from _plugins(nested, scope + SCOPE + nested.name)


def _links(
    model: ModelDescription, scope: str = "", *, static: bool = False
) -> Iterator[tuple[str, LinkDescription, bool]]:
    """Scoped name, link, and whether it stays where it is put."""
    static = static or model.static
    for link in model.links:
        yield scope + link.name, link, static or link.kinematic
    for nested in model.models:
        yield from _links(nested, scope + nested.name + SCOPE, static=static)


def _of_link(link: LinkDescription, placed: bool) -> Iterator[tuple[str, str]]:
    for collision in link.collisions:
        for kind in (*_of_geometry(collision.geometry, placed), *_of_collision(collision)):
            yield kind, f"::{collision.name}"
    for visual in link.visuals:
        for kind in _of_geometry(visual.geometry, placed):
            yield kind, f"::{visual.name}"
    for sensor in link.sensors:
        if sensor.camera is None and sensor.measurement is None:
            yield f"{sensor.type} sensors", f"::{sensor.name}"


def _of_loop(joint: JointDescription) -> Iterator[str]:
    axis = joint.axis
    if axis is not None and not is_locked(joint) and axis != JointAxis(axis.xyz):
        yield "limits, damping, friction and springs (it closes a loop)"


def _of_geometry(geometry: Geometry, placed: bool) -> Iterator[str]:
    if isinstance(geometry, Heightmap):
        reason = reason_left_out(geometry, placed=placed)
        if reason:
            yield f"the heightmap ({reason})"


def _of_collision(collision: CollisionDescription) -> Iterator[str]:
    if collision.surface.mu != collision.surface.mu2:
        yield "a second friction coefficient"

# SPDX-License-Identifier: Apache-2.0
"""Warnings about elements of descriptions that are not simulated."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator

from deepsim_spawn import (
    Geometry,
    Heightmap,
    JointAxis,
    LinkDescription,
    ModelDescription,
    UnsupportedElementWarning,
    VelocityDecay,
)
from deepsim_sync import SCOPE

from .constraints import is_locked
from .inertias import decays
from .landscapes import reason_left_out
from .tree import link_trees, nested_models


def warn_of_unsupported(description: ModelDescription, name: str) -> None:
    """Warns once per kind of element that is not simulated, naming the first such element."""
    places: dict[str, list[str]] = defaultdict(list)
    models = list(nested_models(description, name))
    for model, scoped, _, static in models:
        for link in model.links:
            link_name = f"{scoped}{SCOPE}{link.name}".removeprefix(name + SCOPE)
            for kind, place in _of_link(link, static or link.kinematic):
                places[kind].append(link_name + place)
    for model, scoped, _, _ in models:
        for plugin in model.plugins:
            library = plugin.filename or plugin.name
            cure = next((f" ({cure})" for word, cure in _CURES.items() if word in library), "")
            places[f"plugin {library}{cure}"].append(scoped)
    for node in link_trees(description, name):
        if node.link.velocity_decay != VelocityDecay() and not (node.placed or decays(node)):
            places["velocity decay (joints hold it)"].append(node.name.removeprefix(name + SCOPE))
        for _, joint in node.closing:
            axis = joint.axis
            if axis is not None and not is_locked(joint) and axis != JointAxis(axis.xyz):
                kind = "limits, damping, friction and springs (it closes a loop)"
                places[kind].append(f"joint {joint.name}")
    for kind, where in places.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        warnings.warn(
            f"model {name!r}: {kind} of {where[0]}{more} not simulated",
            UnsupportedElementWarning,
            stacklevel=4,
        )


_CURES = {
    "control": "the joints are commanded by the joints table, `world.joints`",
    "drive": "the wheels are commanded by the joints table, `world.joints`",
    "steering": "the wheels are commanded by the joints table, `world.joints`",
    "camera": "pictures come from `simulator.cameras`",
    "bumper": "contacts come from `world.sensors` and `simulator.contacts`",
    "imu": "an IMU is a `<sensor>` of a link, read by `world.sensors`",
    "laser": "a lidar is a `<sensor>` of a link, read by `world.sensors`",
    "ft_sensor": "forces come from a `<sensor>` of a joint, read by `world.sensors`",
}
"""Replacements for plugins, by a word in the name of their library."""


def _of_link(link: LinkDescription, placed: bool) -> Iterator[tuple[str, str]]:
    for collision in link.collisions:
        for kind in _of_geometry(collision.geometry, placed):
            yield kind, f"::{collision.name}"
        if collision.surface.mu != collision.surface.mu2:
            yield "a second friction coefficient", f"::{collision.name}"
    for visual in link.visuals:
        for kind in _of_geometry(visual.geometry, placed):
            yield kind, f"::{visual.name}"
    for sensor in link.sensors:
        if sensor.camera is None and sensor.measurement is None:
            yield f"{sensor.type} sensors", f"::{sensor.name}"


def _of_geometry(geometry: Geometry, placed: bool) -> Iterator[str]:
    if isinstance(geometry, Heightmap):
        reason = reason_left_out(geometry, placed=placed)
        if reason:
            yield f"the heightmap ({reason})"

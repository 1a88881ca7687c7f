# SPDX-License-Identifier: Apache-2.0
"""Warnings about elements and options of descriptions that are not simulated."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from deepsim_mujoco.imports import mujoco
from deepsim_spawn import (
    Geometry,
    Heightmap,
    JointAxis,
    LinkDescription,
    MjcfModel,
    ModelDescription,
    UnsupportedElementWarning,
    VelocityDecay,
)
from deepsim_sync import SCOPE, SpawnError

from .constraints import is_locked
from .shapes import reason_left_out
from .tree import decays, link_trees, nested_models


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


_GRAVITY = "0 0 -9.81"  # in MJCF by default [m/s^2]; in SDF it is 9.8
TAKEN_OPTIONS = (
    *("gravity", "wind", "magnetic", "density", "viscosity"),
    *("integrator", "cone", "impratio", "noslip_iterations", "noslip_tolerance"),
)
"""Options of an MJCF model that count if it is alone in a world; the step size is the world's."""
_STRONG = 30.0  # [m/s^2]; more than on any planet
_COARSE = 2.0  # ratio of step sizes above which gains and contacts may be unstable


class MjcfOptions(NamedTuple):
    """The options of an MJCF model."""

    given: frozenset[str]
    """Names of the options that the file sets, and of gravity if it has an ``<option>``."""
    values: mujoco.MjOption
    flags: tuple[str, ...]
    """Names of the ``<flag>``s that the file sets."""


def options_of(description: MjcfModel) -> MjcfOptions:
    """Returns the options of an MJCF model."""
    given: dict[str, str] = {}
    flags: list[str] = []
    for option in ElementTree.fromstring(description.text).findall("option"):
        given.setdefault("gravity", _GRAVITY)
        given.update(option.attrib)
        flags += [name for flag in option.findall("flag") for name in flag.attrib]
    alone = ElementTree.Element("mujoco")
    alone.append(ElementTree.Element("option", given))
    spec = mujoco.MjSpec.from_string(ElementTree.tostring(alone, encoding="unicode"))
    return MjcfOptions(frozenset(given), spec.option, tuple(dict.fromkeys(flags)))


def take_options(spec: mujoco.MjSpec, options: MjcfOptions) -> None:
    """Sets those of `TAKEN_OPTIONS` that an MJCF model sets itself, and gravity."""
    for name in options.given.intersection(TAKEN_OPTIONS):
        setattr(spec.option, name, getattr(options.values, name))


def refuse_other_units(spec: mujoco.MjSpec, options: MjcfOptions, name: str) -> None:
    """Refuses an MJCF model in units other than SI in a world that does not have its gravity.

    Raises:
        SpawnError: The gravity of the file is that of other units, and not the world's.
    """
    own, there = _strength(options.values), _strength(spec.option)
    if own > _STRONG and not np.isclose(own, there):
        raise SpawnError(
            name,
            f"its MJCF has a gravity of {own:g}, so its units are not metres and seconds, and this "
            f"world has {there:g}: spawn it into a world where nothing else moves, or scale it",
        )


def warn_of_left_out(
    spec: mujoco.MjSpec,
    name: str,
    options: MjcfOptions,
    left_out: list[str],
    *,
    has_options: bool,
) -> None:
    """Warns of the parts of an MJCF model that have no effect, and of step sizes and units.

    Args:
        spec: The spec of the world.
        name: Name of the model.
        options: Its options.
        left_out: Other parts without effect.
        has_options: Whether its options count.
    """
    found = [*left_out]
    if options.given and not has_options:
        found.insert(0, "<option>")
    elif options.flags:
        found.insert(0, f"<flag> {', '.join(options.flags)}")
    said: list[str] = []
    if found:
        kept = "; physics is that of the world" if options.given and not has_options else ""
        said.append(f"{', '.join(found)} of its MJCF not simulated{kept}")
    own, there = float(options.values.timestep), float(spec.option.timestep)
    if "timestep" in options.given and there > _COARSE * own:
        said.append(
            f"its MJCF is for steps of {own:g} s, and those of this world are {there:g} s: set "
            "Physics(max_step_size=...) if it is unstable"
        )
    if _strength(options.values) > _STRONG:
        said.append(
            f"its MJCF has a gravity of {_strength(options.values):g}, so its units are not metres "
            "and seconds: all numbers of this world are in its units"
        )
    for each in said:
        warnings.warn(f"model {name!r}: {each}", UnsupportedElementWarning, stacklevel=4)


def _strength(option: mujoco.MjOption) -> float:
    return float(np.linalg.norm(option.gravity))

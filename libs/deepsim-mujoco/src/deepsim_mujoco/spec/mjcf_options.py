# SPDX-License-Identifier: Apache-2.0
"""The ``<option>`` of MJCF models, and warnings of everything that a world does not simulate."""

from __future__ import annotations

import warnings
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from deepsim_mujoco.imports import mujoco
from deepsim_spawn import MjcfModel, UnsupportedElementWarning
from deepsim_sync import SpawnError

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

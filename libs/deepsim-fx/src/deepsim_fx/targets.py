# SPDX-License-Identifier: Apache-2.0
"""What an effect or a randomizer is on: models, links or single visuals."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Entities, LinkTransform, Transform, World

Target = str | Transform | LinkTransform
"""A model, link or visual by name, or a model or link by its transform."""


def named(targets: Target | Iterable[Target], world: World | None) -> tuple[tuple[str, ...], World]:
    """The names of targets, and the world that they are in.

    Args:
        targets: One or several.
        world: Their world; by default that of their transforms, or else the current one.

    Raises:
        TypeError: A target is neither a name nor a transform.
        ValueError: There is none, or they are in several worlds.
        NoCurrentWorldError: No world was given, and none is current.
    """
    several = [targets] if isinstance(targets, Target) else list(targets)
    if not several:
        raise ValueError("at least one target is needed, got none")
    for target in several:
        if not isinstance(target, Target):
            raise TypeError(f"a target is a name, a Transform or a LinkTransform, got {target!r}")
    worlds = {target.world for target in several if not isinstance(target, str)}
    if world is not None:
        worlds.add(world)
    if len(worlds) > 1:
        raise ValueError("the targets are in several worlds: make one for each")
    names = tuple(target if isinstance(target, str) else target.name for target in several)
    return names, worlds.pop() if worlds else World.current()


def is_present(entities: Entities, name: str) -> bool:
    """Whether a model, link or visual has the name."""
    return name in entities.models or name in entities.links or name in entities.visuals


def visual_rows(entities: Entities, names: Iterable[str]) -> NDArray[np.intp]:
    """The rows of the visuals that have one of the names or lie below it, each once, ascending."""
    visuals = entities.visuals
    found: set[str] = set()
    for name in names:
        found.update(visuals.within(name))
        if name in visuals:
            found.add(name)
    return np.sort(visuals.rows(found))

# SPDX-License-Identifier: Apache-2.0
"""Checks of the targets and worlds that users give."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync import Entities, LinkTransform, Transform, World

Target = str | Transform | LinkTransform
"""A model, link or visual by name, or a model or link by its transform."""


def named(targets: Target | Iterable[Target], world: World | None) -> tuple[tuple[str, ...], World]:
    """Returns the names of targets, and their world.

    Args:
        targets: One or several targets.
        world: The world of the targets; by default the world of a transform, or the current one.

    Raises:
        TypeError: A target is neither a name nor a transform.
        ValueError: No target was given, or the targets are in several worlds.
        NoCurrentWorldError: No world was given, and none is current.
    """
    several = [targets] if isinstance(targets, Target) else list(targets)
    if not several:
        raise ValueError("expected at least one target, got none")
    for target in several:
        if not isinstance(target, Target):
            raise TypeError(f"a target is a name, a Transform or a LinkTransform, got {target!r}")
    worlds = {target.world for target in several if not isinstance(target, str)}
    if world is not None:
        worlds.add(world)
    if len(worlds) > 1:
        raise ValueError("the targets belong to several World objects: use one for each")
    names = tuple(target if isinstance(target, str) else target.name for target in several)
    return names, worlds.pop() if worlds else World.current()


def is_present(entities: Entities, name: str) -> bool:
    """Returns whether a model, link or visual has the name."""
    return name in entities.models or name in entities.links or name in entities.visuals


def visual_rows(entities: Entities, names: Iterable[str]) -> NDArray[np.intp]:
    """Returns the rows of the visuals that have one of the names or lie within it, ascending."""
    visuals = entities.visuals
    found: set[str] = set()
    for name in names:
        found.update(visuals.within(name))
        if name in visuals:
            found.add(name)
    return np.sort(visuals.rows(found))


def chosen_worlds(world: World, worlds: ArrayLike | None) -> NDArray[np.intp]:
    """Returns the numbers of some or all worlds, ascending.

    Raises:
        ValueError: `worlds` is not a list of different world numbers.
    """
    if worlds is None:
        return np.arange(len(world))
    given = np.asarray(worlds)
    if not given.size:
        return np.zeros(0, np.intp)
    fit = given.ndim == 1 and given.dtype.kind in "iu" and given.min() >= 0
    if not fit or given.max() >= len(world) or len(np.unique(given)) < len(given):
        raise ValueError(
            f"worlds must be different numbers from 0 to {len(world) - 1}, got {worlds!r}: "
            "for a mask, give np.flatnonzero(mask)"
        )
    return np.sort(given).astype(np.intp, copy=False)

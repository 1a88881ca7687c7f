# SPDX-License-Identifier: Apache-2.0
"""Names what a description asks for and MuJoCo is not made to do."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator

from deepsim_spawn import (
    CollisionDescription,
    Heightmap,
    LinkDescription,
    ModelDescription,
    UnsupportedElementWarning,
    VelocityDecay,
)


def warn_of_unsupported(description: ModelDescription, name: str) -> None:
    """Warns once for each kind of thing that is left out, and says where it is first asked for.

    Args:
        description: What is about to be spawned.
        name: What it is spawned as.
    """
    places: dict[str, list[str]] = defaultdict(list)
    for link_name, link, _ in description.all_links():
        for kind, place in _of_link(link):
            places[kind].append(f"{link_name}{place}")
    for kind, where in places.items():
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        warnings.warn(
            f"model {name!r}: {kind} of {where[0]}{more} not simulated",
            UnsupportedElementWarning,
            stacklevel=4,
        )


def _of_link(link: LinkDescription) -> Iterator[tuple[str, str]]:
    if link.velocity_decay != VelocityDecay():
        yield "velocity decay", ""
    for collision in link.collisions:
        for kind in _of_collision(collision):
            yield kind, f"::{collision.name}"
    for visual in link.visuals:
        if isinstance(visual.geometry, Heightmap):
            yield "the heightmap", f"::{visual.name}"
    for sensor in link.sensors:
        if sensor.camera is None:
            yield f"{sensor.type} sensors", f"::{sensor.name}"


def _of_collision(collision: CollisionDescription) -> Iterator[str]:
    if isinstance(collision.geometry, Heightmap):
        yield "the heightmap"
    if collision.surface.restitution > 0.0:
        yield "restitution"
    if collision.surface.mu != collision.surface.mu2:
        yield "a second friction coefficient"

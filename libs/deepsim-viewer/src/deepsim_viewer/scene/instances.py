# SPDX-License-Identifier: Apache-2.0
"""The visuals of a world as rows of link, visual, pose and shape."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deepsim_spawn import (
    CollisionDescription,
    Geometry,
    LinkDescription,
    ModelDescription,
    VisualDescription,
)
from deepsim_sync import SCOPE, Descriptions, Entities

from .surfaces import Surface, unit_shape

_LOGGER = logging.getLogger("deepsim_viewer")


@dataclass(frozen=True)
class Instances:
    """The n visuals of one world.

    Attributes:
        links: (n,) rows in the table of links.
        visuals: (n,) rows in the table of visuals.
        places: (n, 7) poses in the frames of the links.
        scales: (n, 3) scale factors of the shapes.
        surfaces: The surfaces of the n visuals; equal ones are shared.
    """

    links: NDArray[np.intp]
    visuals: NDArray[np.intp]
    places: NDArray[np.float64]
    scales: NDArray[np.float64]
    surfaces: tuple[Surface, ...]


def instances_of(descriptions: Descriptions, entities: Entities) -> Instances:
    """Returns the visuals of all models whose descriptions can be drawn.

    Raises:
        ModelFormatError: A mesh or picture cannot be read.
    """
    found = [
        (link, entities.visuals.row(link + SCOPE + visual.name), visual)
        for link, described in _links(descriptions, warn=True)
        for visual in described.visuals
    ]
    return _placed(found, entities)


def collider_instances(descriptions: Descriptions, entities: Entities) -> Instances:
    """Returns the collisions of all models, numbered 0, 1, 2, ... in place of rows of visuals.

    Raises:
        ModelFormatError: A mesh or picture cannot be read.
    """
    every = [
        (link, collision)
        for link, described in _links(descriptions)
        for collision in described.collisions
    ]
    return _placed([(link, row, each) for row, (link, each) in enumerate(every)], entities)


def _links(
    descriptions: Descriptions, *, warn: bool = False
) -> Iterator[tuple[str, LinkDescription]]:
    """Yields the links of all models with their scoped names."""
    for name, described in descriptions.models.items():
        model = descriptions.looks.get(name, described)
        if isinstance(model, ModelDescription):
            for link_name, link, _ in model.all_links():
                yield name + SCOPE + link_name, link
        elif warn:
            _LOGGER.warning("%r is not shown: it is a %s", name, type(model).__name__)


def _placed(
    found: Sequence[tuple[str, int, VisualDescription | CollisionDescription]], entities: Entities
) -> Instances:
    """Returns the instances of shapes, given the link, visual row and description of each."""
    made: dict[Geometry, Surface] = {}
    places, scales, surfaces = [], [], []
    for _, _, each in found:
        places.append(np.asarray(each.pose, dtype=np.float64))
        shape, scale = unit_shape(each.geometry)
        if shape not in made:
            made[shape] = Surface.of(shape)
        surfaces.append(made[shape])
        scales.append(scale)
    return Instances(
        entities.links.rows(link for link, _, _ in found),
        np.array([row for _, row, _ in found], dtype=np.intp),
        np.array(places, dtype=np.float64).reshape(-1, 7),
        np.array(scales, dtype=np.float64).reshape(-1, 3),
        tuple(surfaces),
    )


class Layout:
    """The entities of a world and their shapes, which stay the same until entities change.

    Args:
        entities: The names of the rows.
        descriptions: The descriptions of models and lights.
    """

    def __init__(self, entities: Entities, descriptions: Descriptions) -> None:
        self.entities = entities
        self.descriptions = descriptions

    @cached_property
    def instances(self) -> Instances:
        """The visuals; their surfaces are computed on first access."""
        return instances_of(self.descriptions, self.entities)

# SPDX-License-Identifier: Apache-2.0
"""The visuals of a world as rows: link, visual, place and shape of each."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deepsim_spawn import Geometry, ModelDescription
from deepsim_sync import SCOPE, Descriptions, Entities

from .surfaces import Surface, unit_shape

_LOGGER = logging.getLogger("deepsim_viewer")


@dataclass(frozen=True)
class Instances:
    """The n visuals of one world.

    Attributes:
        links: (n,) their rows in the table of links.
        visuals: (n,) their rows in the table of visuals.
        places: (n, 7) poses in the frames of the links.
        scales: (n, 3) factors of the shapes.
        surfaces: Those of the n visuals; visuals that are alike share one.
    """

    links: NDArray[np.intp]
    visuals: NDArray[np.intp]
    places: NDArray[np.float64]
    scales: NDArray[np.float64]
    surfaces: tuple[Surface, ...]


def instances_of(descriptions: Descriptions, entities: Entities) -> Instances:
    """Returns the visuals of all models that are described in a way that can be drawn."""
    links, visuals, places, scales, surfaces = [], [], [], [], []
    made: dict[Geometry, Surface] = {}
    for name, model in descriptions.models.items():
        if not isinstance(model, ModelDescription):
            _LOGGER.warning("%r is not shown: it is a %s", name, type(model).__name__)
            continue
        for link_name, link, _ in model.all_links():
            scoped = name + SCOPE + link_name
            for visual in link.visuals:
                links.append(entities.links.row(scoped))
                visuals.append(entities.visuals.row(scoped + SCOPE + visual.name))
                places.append(np.asarray(visual.pose, dtype=np.float64))
                shape, scale = unit_shape(visual.geometry)
                if shape not in made:
                    made[shape] = Surface.of(shape)
                surfaces.append(made[shape])
                scales.append(scale)
    return Instances(
        np.array(links, dtype=np.intp),
        np.array(visuals, dtype=np.intp),
        np.array(places, dtype=np.float64).reshape(-1, 7),
        np.array(scales, dtype=np.float64).reshape(-1, 3),
        tuple(surfaces),
    )

# SPDX-License-Identifier: Apache-2.0
"""A copy of a world at one instant: its tables, and its visuals with their shapes."""

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
    TexturedSurface,
    VisualDescription,
    textured_surface,
)
from deepsim_sync import SCOPE, Descriptions, Entities, Key, Tables, World

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
    made: dict[Geometry | TexturedSurface, Surface] = {}
    places, scales, surfaces = [], [], []
    for _, _, each in found:
        places.append(np.asarray(each.pose, dtype=np.float64))
        shape, scale = unit_shape(each.geometry)
        textured = textured_surface(each) if isinstance(each, VisualDescription) else None
        if textured is not None:
            scale = (1.0, 1.0, 1.0)
        key = textured or shape
        if key not in made:
            made[key] = Surface.of(shape, textured)
        surfaces.append(made[key])
        scales.append(scale)
    return Instances(
        entities.links.rows(link for link, _, _ in found),
        np.array([row for _, row, _ in found], dtype=np.intp),
        np.array(places, dtype=np.float64).reshape(-1, 7),
        np.array(scales, dtype=np.float64).reshape(-1, 3),
        tuple(surfaces),
    )


@dataclass(eq=False)
class Layout:
    """The entities of a world and their shapes, which stay the same until entities change.

    Attributes:
        entities: The names of the rows.
        descriptions: The descriptions of models and lights.
    """

    entities: Entities
    descriptions: Descriptions

    @cached_property
    def instances(self) -> Instances:
        """The visuals; their surfaces are computed on first access."""
        return instances_of(self.descriptions, self.entities)


_COLUMNS: tuple[Key, ...] = (
    ("models", "pose"),
    ("models", "twist"),
    ("links", "pose"),
    ("joints", "position"),
    ("actuators", "target"),
    ("actuators", "effort"),
    ("actuators", "length"),
    ("visuals", "diffuse"),
    ("visuals", "emissive"),
    ("visuals", "transparency"),
    ("visuals", "visible"),
)


@dataclass(frozen=True)
class Frame:
    """The shown worlds at one instant; the arrays are never modified.

    Attributes:
        layout: The entities and their shapes.
        time: (w,) simulated times [s].
        models: (w, M, 13) poses and twists of the models.
        poses: (w, L, 7) poses of the links.
        joints: (w, J) positions of the joints [rad or m].
        actuators: (w, A, 3) target, effort [N or N m] and length [m or rad] of the actuators.
        colors: (w, V, 3) colours of the visuals, sRGB.
        opacities: (w, V) opacities of the visuals, 0..1; 0 for hidden ones.
    """

    layout: Layout
    time: NDArray[np.float64]
    models: NDArray[np.float64]
    poses: NDArray[np.float64]
    joints: NDArray[np.float64]
    actuators: NDArray[np.float64]
    colors: NDArray[np.float64]
    opacities: NDArray[np.float64]

    @property
    def entities(self) -> Entities:
        """The names of the rows."""
        return self.layout.entities


class FrameReader:
    """A reader of the frames of a world, for use in the world's thread.

    It has separate tables, so that columns which only a viewer needs are not read in every tick.

    Args:
        world: The world.
        shown: Number of worlds to read, starting with the first.
    """

    def __init__(self, world: World, shown: int) -> None:
        self._world = world
        self._shown = shown
        self._tables: Tables | None = None
        self._layout: Layout | None = None

    def read(self) -> Frame:
        """Returns a copy of the current state, excluding pending changes (see `World.flush`)."""
        simulator, worlds = self._world.simulator, slice(self._shown)
        tables, layout = self._tables, self._layout
        if tables is None or layout is None or layout.entities is not simulator.entities:
            tables = self._tables = Tables(simulator.entities, len(self._world))
            found = simulator.descriptions
            models, lights, looks, controls = map(dict, found[:4])
            kept = Descriptions(models, lights, looks, controls, found.gravity)
            layout = self._layout = Layout(simulator.entities, kept)
        simulator.read(tables, _COLUMNS)
        visuals, actuators = tables.visuals, tables.actuators
        colors = np.clip(visuals.diffuse[worlds, :, :3] + visuals.emissive[worlds, :, :3], 0, 1)
        opacities = visuals.diffuse[worlds, :, 3] * (1.0 - visuals.transparency[worlds])
        return Frame(
            layout,
            self._world.time[worlds],
            np.concatenate([tables.models.pose[worlds], tables.models.twist[worlds]], axis=-1),
            tables.links.pose[worlds].copy(),
            tables.joints.position[worlds].copy(),
            np.stack([actuators.target, actuators.effort, actuators.length], axis=-1)[worlds],
            colors,
            np.where(visuals.visible[worlds], opacities, 0.0),
        )

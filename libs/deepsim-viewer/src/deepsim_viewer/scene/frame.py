# SPDX-License-Identifier: Apache-2.0
"""A copy of the tables at one instant, for the viewer's thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Descriptions, Entities, Key, Tables, World

from .instances import Layout

_COLUMNS: tuple[Key, ...] = (
    ("models", "pose"),
    ("models", "twist"),
    ("links", "pose"),
    ("joints", "position"),
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
        colors: (w, V, 3) colours of the visuals, sRGB.
        opacities: (w, V) opacities of the visuals, 0..1; 0 for hidden ones.
    """

    layout: Layout
    time: NDArray[np.float64]
    models: NDArray[np.float64]
    poses: NDArray[np.float64]
    joints: NDArray[np.float64]
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
            layout = self._layout = Layout(
                simulator.entities,
                Descriptions(dict(found.models), dict(found.lights), dict(found.looks)),
            )
        simulator.read(tables, _COLUMNS)
        visuals = tables.visuals
        colors = np.clip(visuals.diffuse[worlds, :, :3] + visuals.emissive[worlds, :, :3], 0, 1)
        opacities = visuals.diffuse[worlds, :, 3] * (1.0 - visuals.transparency[worlds])
        return Frame(
            layout,
            self._world.time[worlds],
            np.concatenate([tables.models.pose[worlds], tables.models.twist[worlds]], axis=-1),
            tables.links.pose[worlds].copy(),
            tables.joints.position[worlds].copy(),
            colors,
            np.where(visuals.visible[worlds], opacities, 0.0),
        )

# SPDX-License-Identifier: Apache-2.0
"""Visual trackers of the DeepSim paper, which read or set appearance by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from deepsim_math import Color, Material
from deepsim_sync.current import PerWorld
from deepsim_sync.port.tables import COLUMNS

from .states import Visual, chosen_names

_COLORS = ("ambient", "diffuse", "specular", "emissive")


class GetVisualTracker(PerWorld):
    """Tracker that reads the appearance of visuals at the present instant.

    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "car", Pose((1, 2, 0)))
    >>> world.make_current()
    >>> GetVisualTracker.get_instance().get_visual("car::link::visual").transparency
    0.0
    """

    def get_visual(self, name: str) -> Visual:
        """Returns one visual, ``model::link::visual``; see `get_visuals`."""
        return self.get_visuals([name])[name]

    def get_visuals(self, names: Iterable[str] | None = None) -> dict[str, Visual]:
        """Returns visuals by name, in the given order; all by default.

        Raises:
            UnknownEntityError: No visual has the name.
        """
        self.world.require_single(type(self).__name__)
        self.world.cache.fetch([("visuals", column) for column in COLUMNS["visuals"]])
        table = self.world.visuals
        chosen = chosen_names(table.names, names)
        rows = table.names.rows(chosen)
        colors = [getattr(table, column)[0, rows].tolist() for column in _COLORS]
        transparency, visible = table.transparency[0, rows], table.visible[0, rows]
        return {
            name: Visual(
                name,
                Material(*(Color(*color[row]) for color in colors)),
                float(transparency[row]),
                bool(visible[row]),
            )
            for row, name in enumerate(chosen)
        }


class SetVisualTracker(PerWorld):
    """Tracker that sets the appearance of visuals by name.

    Methods raise UnknownEntityError for an unknown visual, and ValueError for a transparency
    outside 0..1 or a visibility that is not a bool.

    >>> world = World(TableSimulator(timestep=0.25))
    >>> world.spawn(TableModel(), "car", Pose((1, 2, 0)))
    >>> world.make_current()
    >>> SetVisualTracker.get_instance().set_transparencies({"car::link::visual": 0.5})
    >>> world.visuals.transparency[0].tolist()
    [0.5]
    """

    def set_visual(self, visual: Visual) -> None:
        """Sets all properties of one visual; see `set_visuals`."""
        self.set_visuals([visual])

    def set_visuals(self, visuals: Iterable[Visual]) -> None:
        """Sets material, transparency and visibility of visuals."""
        chosen = list(visuals)
        values = {
            **_material_columns([visual.material for visual in chosen]),
            "transparency": [visual.transparency for visual in chosen],
            "visible": [visual.visible for visual in chosen],
        }
        self._put([visual.visual_name for visual in chosen], values)

    def set_materials(self, materials: Mapping[str, Material]) -> None:
        """Sets materials by visual name."""
        self._put(list(materials), _material_columns(list(materials.values())))

    def set_transparencies(self, transparencies: Mapping[str, float]) -> None:
        """Sets transparencies, from 0 (opaque) to 1 (invisible), by visual name."""
        self._put(list(transparencies), {"transparency": [*transparencies.values()]})

    def set_visibles(self, visibles: Mapping[str, bool]) -> None:
        """Shows or hides visuals by name."""
        self._put(list(visibles), {"visible": [*visibles.values()]})

    def _put(self, names: list[str], values: Mapping[str, ArrayLike]) -> None:
        self.world.require_single(type(self).__name__)
        if names:
            self.world.put("visuals", values, self.world.entities.visuals.rows(names))


def _material_columns(materials: list[Material]) -> dict[str, ArrayLike]:
    """Returns materials as columns of the visual table, (n, 4) each."""
    return {
        column: np.array([getattr(material, column) for material in materials], dtype=np.float64)
        for column in _COLORS
    }

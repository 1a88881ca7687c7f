# SPDX-License-Identifier: Apache-2.0
"""The paper's setter trackers: many rows changed by one request.

A set value reads back at once and reaches the simulator at the end of the tick, together with
everything else that changed until then; what trackers of `Priority.LOW` set waits for the next
tick. A batch with one bad row changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from deepsim_math import Material
from deepsim_sync.port.entities import Kind
from deepsim_sync.world.current import PerWorld

from .frames import frame_state, to_world
from .states import LinkState, ModelState, Visual


class Setter(PerWorld):
    """Changes rows of the tables, which are sent at the end of the tick."""

    def _set_states(self, kind: Kind, named: list[tuple[str, ModelState | LinkState]]) -> None:
        # Everything that can fail comes before the first change.
        rows = self.world.entities.names(kind).rows(name for name, _ in named)
        placed = [
            to_world(frame_state(self.world, state.reference_frame), state.pose, state.twist)
            for _, state in named
        ]
        if placed:
            poses = np.array([pose for pose, _ in placed], dtype=np.float64)
            twists = np.array([twist for _, twist in placed], dtype=np.float64)
            self.world.put(kind, {"pose": poses, "twist": twists}, rows)


class SetModelStateTracker(Setter):
    """Sets poses and twists of models."""

    def set_model_state(self, state: ModelState) -> None:
        """Sets one model's pose and twist; see `set_model_states`."""
        self.set_model_states([state])

    def set_model_states(self, states: Iterable[ModelState]) -> None:
        """Sets poses and twists; of two states for one model the later counts.

        Raises:
            UnknownEntityError: There is no such model or reference frame.
            ValueError: A number is not finite, or a quaternion is zero.
        """
        self._set_states("models", [(state.model_name, state) for state in states])


class SetLinkStateTracker(Setter):
    """Sets poses and twists of links."""

    def set_link_state(self, state: LinkState) -> None:
        """Sets one link's pose and twist; see `set_link_states`."""
        self.set_link_states([state])

    def set_link_states(self, states: Iterable[LinkState]) -> None:
        """Sets poses and twists; of two states for one link the later counts.

        Raises:
            UnknownEntityError: There is no such link or reference frame.
            ValueError: A number is not finite, or a quaternion is zero.
        """
        self._set_states("links", [(state.link_name, state) for state in states])


class SetVisualTracker(Setter):
    """Sets how visuals look, by name.

    Its methods raise UnknownEntityError where there is no such visual, and ValueError for a
    transparency outside 0..1 or a visibility that is not a bool.
    """

    def set_visual(self, visual: Visual) -> None:
        """Sets all properties of one visual; see `set_visuals`."""
        self.set_visuals([visual])

    def set_visuals(self, visuals: Iterable[Visual]) -> None:
        """Sets material, transparency and visibility of visuals."""
        chosen = list(visuals)
        values = {
            **material_columns([visual.material for visual in chosen]),
            "transparency": [visual.transparency for visual in chosen],
            "visible": [visual.visible for visual in chosen],
        }
        self._put([visual.visual_name for visual in chosen], values)

    def set_materials(self, materials: Mapping[str, Material]) -> None:
        """Sets materials by visual name."""
        self._put(list(materials), material_columns(list(materials.values())))

    def set_transparencies(self, transparencies: Mapping[str, float]) -> None:
        """Sets transparencies by visual name: 0 opaque .. 1 invisible."""
        self._put(list(transparencies), {"transparency": [*transparencies.values()]})

    def set_visibles(self, visibles: Mapping[str, bool]) -> None:
        """Shows or hides visuals by name."""
        self._put(list(visibles), {"visible": [*visibles.values()]})

    def _put(self, names: list[str], values: Mapping[str, ArrayLike]) -> None:
        self.world.require_single(type(self).__name__)
        if names:
            self.world.put("visuals", values, self.world.entities.visuals.rows(names))


def material_columns(materials: list[Material]) -> dict[str, ArrayLike]:
    """Materials as columns of the visual table, (n, 4) each."""
    return {
        column: np.array([getattr(material, column) for material in materials], dtype=np.float64)
        for column in ("ambient", "diffuse", "specular", "emissive")
    }

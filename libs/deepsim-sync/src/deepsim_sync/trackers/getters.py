# SPDX-License-Identifier: Apache-2.0
"""The paper's getter trackers: rows of the tables as values.

All getters of a tick see the same simulated instant, because they are views of the same tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from deepsim_math import Color, Material, Pose, Twist
from deepsim_sync.port.entities import Kind, Names
from deepsim_sync.port.tables import COLUMNS
from deepsim_sync.world.current import PerWorld

from .frames import frame_state, from_world
from .states import LinkState, ModelState, Visual

S = TypeVar("S", ModelState, LinkState)


class StateGetter(PerWorld, Generic[S]):
    """Rows of one state table as values of one class."""

    kind: Kind
    state: type[S]

    def _states(self, names: Iterable[str] | None, reference_frame: str) -> dict[str, S]:
        frame = frame_state(self.world, reference_frame)
        self.world.cache.fetch([(self.kind, "pose"), (self.kind, "twist")])
        table = self.world.models if self.kind == "models" else self.world.links
        chosen = _chosen(table.names, names)
        rows = table.names.rows(chosen)
        states = {}
        for name, pose, twist in zip(
            chosen, table.pose[0, rows].tolist(), table.twist[0, rows].tolist()
        ):
            seen = from_world(frame, Pose.from_array(pose), Twist.from_array(twist))
            states[name] = self.state(name, *seen, reference_frame)
        return states


class GetModelStateTracker(StateGetter[ModelState]):
    """Model states at the present instant."""

    kind = "models"
    state = ModelState

    def get_model_state(self, name: str, reference_frame: str = "") -> ModelState:
        """Returns the state of one model; see `get_model_states`."""
        return self._states([name], reference_frame)[name]

    def get_model_states(
        self, names: Iterable[str] | None = None, reference_frame: str = ""
    ) -> dict[str, ModelState]:
        """Returns states by name, in the order asked for.

        Args:
            names: The models; all of them by default.
            reference_frame: A model or link; empty is the world frame.

        Raises:
            UnknownEntityError: There is no such model or frame.
        """
        return self._states(names, reference_frame)


class GetLinkStateTracker(StateGetter[LinkState]):
    """Link states at the present instant."""

    kind = "links"
    state = LinkState

    def get_link_state(self, name: str, reference_frame: str = "") -> LinkState:
        """Returns the state of one link, ``model::link``; see `get_link_states`."""
        return self._states([name], reference_frame)[name]

    def get_link_states(
        self, names: Iterable[str] | None = None, reference_frame: str = ""
    ) -> dict[str, LinkState]:
        """Returns states by name, in the order asked for.

        Args:
            names: The links; all of them by default.
            reference_frame: A model or link; empty is the world frame.

        Raises:
            UnknownEntityError: There is no such link or frame.
        """
        return self._states(names, reference_frame)


class GetVisualTracker(PerWorld):
    """Appearance of visuals at the present instant."""

    def get_visual(self, name: str) -> Visual:
        """Returns one visual, ``model::link::visual``; see `get_visuals`."""
        return self.get_visuals([name])[name]

    def get_visuals(self, names: Iterable[str] | None = None) -> dict[str, Visual]:
        """Returns visuals by name, in the order asked for; all of them by default.

        Raises:
            UnknownEntityError: There is no such visual.
        """
        self.world.require_single(type(self).__name__)
        self.world.cache.fetch([("visuals", column) for column in COLUMNS["visuals"]])
        table = self.world.visuals
        chosen = _chosen(table.names, names)
        rows = table.names.rows(chosen)
        colors = [
            getattr(table, column)[0, rows].tolist()
            for column in ("ambient", "diffuse", "specular", "emissive")
        ]
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


def _chosen(known: Names, names: Iterable[str] | None) -> list[str]:
    if isinstance(names, str):
        raise TypeError(f"names must be a list of {known.kind}, got the str {names!r}")
    return list(known if names is None else names)

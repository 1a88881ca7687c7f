# SPDX-License-Identifier: Apache-2.0
"""Drives one agent by sliders that are made from its action space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_envs import Environment

_POLICY = "the policy"
_WIDEST = 1.0  # of an entry of an action without bounds


class DriveFolder:
    """The sliders of the agent that is driven by hand.

    They act only while the browser that moved one last is connected; without it all are zero.
    Agents whose actions are neither a vector of numbers nor one of several choices are not offered.

    Args:
        server: The server of the browser.
        environment: The environment, of which names and spaces are taken.
    """

    def __init__(self, server: viser.ViserServer, environment: Environment) -> None:
        self._server = server
        self._spaces = {
            slot: space
            for slot, space in environment.action_space.items()
            if _bounds(space) is not None
        }
        self._sliders: list[Any] = []
        self._driver: int | None = None
        gui = server.gui
        self._folder = gui.add_folder("Drive", expand_by_default=False, visible=bool(self._spaces))
        with self._folder:
            self._slot: Any = gui.add_dropdown("By hand", (_POLICY, *self._spaces))
            release = gui.add_button("Release", icon=viser.Icon.HAND_OFF)
        self._slot.on_update(lambda _: self._choose())
        release.on_click(lambda _: self._release())
        server.on_client_disconnect(self._gone)

    def override(self, actions: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns actions in which those of the driven agent are by hand."""
        slot, sliders = self._slot.value, tuple(self._sliders)
        if slot not in actions or not sliders:
            return actions
        space = self._spaces[slot]
        driven = np.array([slider.value for slider in sliders], dtype=np.float64)
        return {**actions, slot: _action(space, driven)}

    def _choose(self) -> None:
        for slider in self._sliders:
            slider.remove()
        self._sliders = []
        space = self._spaces.get(self._slot.value)
        bounds = None if space is None else _bounds(space)
        if bounds is None:
            return
        made = []
        with self._folder:
            for number, (low, high) in enumerate(zip(*bounds, strict=True)):
                whole = space.__class__.__name__ == "Discrete"
                step = 1.0 if whole else (high - low) / 200.0
                slider = self._server.gui.add_slider(
                    f"action {number}", low, high, step, min(max(0.0, low), high)
                )
                slider.on_update(self._moved)
                made.append(slider)
        self._sliders = made

    def _moved(self, event: Any) -> None:
        if event.client is not None:
            self._driver = event.client.client_id

    async def _gone(self, client: viser.ClientHandle) -> None:
        if client.client_id == self._driver:
            self._release()

    def _release(self) -> None:
        self._driver = None
        for slider in self._sliders:
            slider.value = min(max(0.0, slider.min), slider.max)


def _bounds(space: Any) -> tuple[list[float], list[float]] | None:
    """The range of the slider of each entry of an action; None for spaces without sliders."""
    kind = type(space).__name__
    if kind == "Discrete":
        return [float(space.start)], [float(space.start + space.n - 1)]
    if kind == "Box" and np.issubdtype(space.dtype, np.floating):
        low = np.maximum(space.low.astype(np.float64), -_WIDEST).reshape(-1)
        high = np.minimum(space.high.astype(np.float64), _WIDEST).reshape(-1)
        bounded = np.isfinite(space.low) & np.isfinite(space.high)
        low = np.where(bounded.reshape(-1), space.low.reshape(-1), low)
        high = np.where(bounded.reshape(-1), space.high.reshape(-1), high)
        return low.tolist(), high.tolist()
    return None


def _action(space: Any, driven: NDArray[np.float64]) -> Any:
    """The action of a space that sliders stand for."""
    if type(space).__name__ == "Discrete":
        return space.dtype.type(round(float(driven[0])))
    action = np.clip(driven.reshape(space.shape), space.low, space.high)
    return action.astype(space.dtype)

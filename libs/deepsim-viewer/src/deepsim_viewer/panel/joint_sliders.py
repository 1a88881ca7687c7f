# SPDX-License-Identifier: Apache-2.0
"""Sliders for the joint axes of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np
import viser

from deepsim_spawn import ModelDescription
from deepsim_sync import SCOPE, World
from deepsim_viewer.scene.frame import Frame

_MOST = 40  # sliders; more would fill the page
_SLIDE = 1.0  # [m], range of an unlimited slider on each side of 0
_TURN = math.pi  # [rad]


class JointSliders:
    """Sliders that show and move the axes of a model.

    Moving a slider sets the target position of a commanded axis (stiffness > 0). Any other axis is
    set to the position, at rest.

    Args:
        server: The server of the browser.
        world: The world, accessed in its own thread only.
        post: Schedules a function for that thread.
        frame: The current frame.
        model: Name of the model.
        number: Index of its world.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        world: World,
        post: Callable[[Callable[[], object]], object],
        frame: Frame,
        model: str,
        number: int,
    ) -> None:
        self._world, self._post, self._number = world, post, number
        self._loop, gui = server.get_event_loop(), server.gui
        self._sliders: dict[str, Any] = {}
        names = frame.entities.joints.within(model)[:_MOST]
        self._folder = gui.add_folder("Joints", visible=bool(names))
        limits = _limits(frame.layout.descriptions.models.get(model))
        with self._folder:
            for name in names:
                lower, upper = limits.get(name[len(model + SCOPE) :], (-_TURN, _TURN))
                position = float(frame.joints[number, frame.entities.joints.row(name)])
                slider = gui.add_slider(
                    name[len(model + SCOPE) :],
                    lower,
                    upper,
                    (upper - lower) / 1000.0,
                    min(max(position, lower), upper),
                )
                slider.on_update(self._moved(name, slider))
                self._sliders[name] = slider

    def show(self, frame: Frame) -> None:
        """Shows the positions of a frame; callable from any thread."""
        # Written on the server's loop, like `moved`, so that it never overwrites an unread move.
        self._loop.call_soon_threadsafe(self._write, frame)

    def _write(self, frame: Frame) -> None:
        for name, slider in self._sliders.items():
            if name in frame.entities.joints:
                position = float(frame.joints[self._number, frame.entities.joints.row(name)])
                slider.value = min(max(position, slider.min), slider.max)

    def remove(self) -> None:
        """Removes all sliders."""
        self._sliders = {}
        self._folder.remove()

    def _moved(self, name: str, slider: Any) -> Callable[[Any], Coroutine[Any, Any, None]]:
        worlds = np.array([self._number])

        async def moved(event: Any) -> None:
            if event.client is None:  # by `_write`
                return
            value = float(slider.value)

            def put() -> None:
                rows = self._world.joints.select([name])
                if rows.stiffness[self._number, 0] > 0.0:
                    rows.put(target_position=value, worlds=worlds)
                else:
                    rows.put(position=value, velocity=0.0, worlds=worlds)

            self._post(put)

        return moved


def _limits(description: object) -> dict[str, tuple[float, float]]:
    """Returns the slider ranges of a model's joints by name [rad or m]."""
    found = {}
    if isinstance(description, ModelDescription):
        for joint in description.all_joints():
            if joint.axis is not None:
                widest = _SLIDE if joint.type == "prismatic" else _TURN
                lower, upper = max(joint.axis.lower, -widest), min(joint.axis.upper, widest)
                if lower < upper:
                    found[joint.name] = lower, upper
    return found

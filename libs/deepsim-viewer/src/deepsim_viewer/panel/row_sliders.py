# SPDX-License-Identifier: Apache-2.0
"""Sliders for the joints and actuators of one model."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deepsim_spawn import ModelDescription
from deepsim_sync import SCOPE, Kind
from deepsim_viewer.host import Host
from deepsim_viewer.scene.frame import Frame

from .run_folder import plain_lines

_MOST = 40  # sliders; more would fill the page
_SLIDE = 1.0  # [m], widest slider of a prismatic joint on each side of 0


class RowSliders(ABC):
    """Sliders that show and change a number of each row of a model in one world.

    Args:
        host: The viewer.
        frame: The latest frame.
        model: Name of the model.
        number: Index of the world.
    """

    kind: ClassVar[Kind]
    widest: ClassVar[float]
    """Upper end of a slider without limits; the lower end is its negative."""
    hint: ClassVar[str | None] = None

    def __init__(self, host: Host, frame: Frame, model: str, number: int) -> None:
        self._host, self._number = host, number
        self._loop, gui = host.server.get_event_loop(), host.server.gui
        self._sliders: dict[str, Any] = {}
        names = frame.entities.names(self.kind).within(model)[:_MOST]
        self._folder = gui.add_folder(self.kind.title(), visible=bool(names))
        ranges = self._ranges(frame, model)
        values = self._values(frame)
        with self._folder:
            for name in names:
                lower, upper = ranges.get(name, (-self.widest, self.widest))
                value = float(values[frame.entities.names(self.kind).row(name)])
                slider = gui.add_slider(
                    name[len(model + SCOPE) :],
                    lower,
                    upper,
                    (upper - lower) / 1000.0,
                    min(max(value, lower), upper),
                    hint=self.hint,
                )
                slider.on_update(self._moved(name, slider))
                self._sliders[name] = slider

    @abstractmethod
    def _ranges(self, frame: Frame, model: str) -> Mapping[str, tuple[float, float]]:
        """Returns the limits of the sliders of a model's rows that have limits."""

    @abstractmethod
    def _values(self, frame: Frame) -> NDArray[np.float64]:
        """Returns the shown numbers of all rows in the world of the sliders, (rows,)."""

    @abstractmethod
    def _put(self, name: str, value: float, worlds: NDArray[np.intp]) -> None:
        """Changes the number of a row; called in the world's thread."""

    def show(self, frame: Frame) -> None:
        """Shows the numbers of a frame; callable from any thread."""
        # Written on the server's loop, like `moved`, so that it never overwrites an unread move.
        self._loop.call_soon_threadsafe(self._write, frame)

    def _write(self, frame: Frame) -> None:
        names, values = frame.entities.names(self.kind), self._values(frame)
        for name, slider in self._sliders.items():
            if name in names:
                slider.value = min(max(float(values[names.row(name)]), slider.min), slider.max)

    def remove(self) -> None:
        """Removes all sliders."""
        self._sliders = {}
        self._folder.remove()

    def _moved(self, name: str, slider: Any) -> Callable[[Any], Coroutine[Any, Any, None]]:
        worlds = np.array([self._number])

        async def moved(event: Any) -> None:
            if event.client is not None:  # otherwise by `_write`
                value = float(slider.value)
                self._host.post(lambda: self._put(name, value, worlds))

        return moved


def _ranges_of_controls(frame: Frame, model: str, column: str) -> dict[str, tuple[float, float]]:
    """Returns the ranges of a column that the controls of a model's file have, by row."""
    ranges = {}
    for each in frame.layout.descriptions.controls.get(model, ()):
        lower, upper = sorted(each.scale * end + each.offset for end in (each.lower, each.upper))
        if each.column == column and -math.inf < lower < upper < math.inf:
            ranges[each.row] = lower, upper
    return ranges


class JointSliders(RowSliders):
    """Sliders that show and move the axes of a model.

    Moving a slider sets the target position of a commanded axis (stiffness > 0). Any other axis is
    set to the position, at rest.
    """

    kind = "joints"
    widest = math.pi

    def _ranges(self, frame: Frame, model: str) -> Mapping[str, tuple[float, float]]:
        found = _ranges_of_controls(frame, model, "target_position")
        described = frame.layout.descriptions.models.get(model)
        if isinstance(described, ModelDescription):
            for joint in described.all_joints():
                if joint.axis is not None:
                    widest = _SLIDE if joint.type == "prismatic" else self.widest
                    lower, upper = max(joint.axis.lower, -widest), min(joint.axis.upper, widest)
                    if lower < upper:
                        found[model + SCOPE + joint.name] = lower, upper
        return found

    def _values(self, frame: Frame) -> NDArray[np.float64]:
        positions: NDArray[np.float64] = frame.joints[self._number]
        return positions

    def _put(self, name: str, value: float, worlds: NDArray[np.intp]) -> None:
        rows = self._host.world.joints.select([name])
        if rows.stiffness[self._number, 0] > 0.0:
            rows.put(target_position=value, worlds=worlds)
        else:
            rows.put(position=value, velocity=0.0, worlds=worlds)


class ActuatorSliders(RowSliders):
    """Sliders that show and set the targets of a model's actuators, with their states below."""

    kind = "actuators"
    widest = 1.0
    hint = "Control, in the units of the model's file"

    def __init__(self, host: Host, frame: Frame, model: str, number: int) -> None:
        super().__init__(host, frame, model, number)
        with self._folder:
            self._states = host.server.gui.add_html("")
        self._write(frame)

    def _ranges(self, frame: Frame, model: str) -> Mapping[str, tuple[float, float]]:
        return _ranges_of_controls(frame, model, "target")

    def _values(self, frame: Frame) -> NDArray[np.float64]:
        targets: NDArray[np.float64] = frame.actuators[self._number, :, 0]
        return targets

    def _put(self, name: str, value: float, worlds: NDArray[np.intp]) -> None:
        self._host.world.actuators.select([name]).put(target=value, worlds=worlds)

    def _write(self, frame: Frame) -> None:
        super()._write(frame)
        names = frame.entities.actuators
        states = frame.actuators[self._number]
        self._states.content = plain_lines(
            *(
                "{}: {:.4g}, effort {:.3g}, length {:.4g}".format(
                    slider.label, *states[names.row(name)].tolist()
                )
                for name, slider in self._sliders.items()
                if name in names
            )
        )

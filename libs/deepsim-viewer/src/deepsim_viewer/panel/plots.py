# SPDX-License-Identifier: Apache-2.0
"""Plots over simulated time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import viser
import viser.uplot as uplot
from numpy.typing import NDArray

from deepsim_sync import COLUMNS, Entities, Kind, Priority
from deepsim_viewer.host import Host

_KEPT = 400  # rows
_EVERY = 0.35  # [s] of wall time between updates
_COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f")
MOST = len(_COLORS)
"""Largest number of lines in a plot."""


class LivePlot:
    """A plot of recent values, without any cost while it is off.

    Args:
        gui: The panel; the plot is added to the open folder.
        label: Label of the checkbox that switches it on.
        title: Title of the plot.
        names: Names of the lines; only the first 8 are drawn.

    Attributes:
        folder: The plot's folder in the panel.
    """

    def __init__(self, gui: viser.GuiApi, label: str, title: str, names: Sequence[str]) -> None:
        self._gui, self._title = gui, title
        self._names = tuple(names[:MOST])
        self._rows: deque[list[float]] = deque(maxlen=_KEPT)
        self._drawn = 0.0
        self._forgotten = False
        self._plot: Any = None
        self.folder = gui.add_folder(title.capitalize(), expand_by_default=False)
        with self.folder:
            self._box = gui.add_checkbox(label, False)

    @property
    def is_on(self) -> bool:
        """Whether the plot is switched on."""
        return self._box.value

    def on_switch(self, function: Callable[[bool], object]) -> None:
        """Calls a function with the new state each time the plot is switched on or off."""

        def switched(_: object) -> None:
            function(self._box.value)

        self._box.on_update(switched)

    def rename(self, names: Sequence[str]) -> None:
        """Restarts the plot with other lines."""
        if tuple(names[:MOST]) != self._names:
            self._names = tuple(names[:MOST])
            self._clear()

    def restart(self) -> None:
        """Forgets all rows."""
        self._forgotten = True

    def add(self, simulated: float, values: Callable[[], Sequence[float]]) -> None:
        """Adds a row of values, and updates the plot from time to time.

        Args:
            simulated: Time of the row [s]; a time before that of the last row restarts the plot.
            values: Returns the values, NaN for missing ones; called only while the plot is on.
        """
        if not self.is_on:
            self._clear()
            return
        if self._forgotten or (self._rows and simulated < self._rows[-1][0]):
            self._rows.clear()
            self._forgotten = False
        self._rows.append([simulated, *values()[: len(self._names)]])
        now = time.monotonic()
        if now - self._drawn > _EVERY:
            self._drawn = now
            self._draw()

    def _clear(self) -> None:
        if self._plot is not None:
            self._plot.remove()
            self._plot = None
        self._rows.clear()

    def _draw(self) -> None:
        data = tuple(np.array(self._rows).T)
        if self._plot is not None:
            self._plot.data = data
            return
        series = [uplot.Series(label="t [s]")] + [
            uplot.Series(label=name, stroke=color, width=2)
            for name, color in zip(self._names, _COLORS, strict=False)
        ]
        with self.folder:
            self._plot = self._gui.add_uplot(
                data,
                tuple(series),
                title=self._title,
                scales={"x": uplot.Scale(time=False)},
                aspect=1.6,
            )


class ObservationPlot:
    """A plot of eight consecutive numbers of an agent's observation.

    Args:
        gui: The panel.
        slots: Names of the agents.
    """

    def __init__(self, gui: viser.GuiApi, slots: Sequence[str]) -> None:
        self._plot = LivePlot(gui, "Plot the observations", "observations", ())
        with self._plot.folder:
            self._slot: Any = gui.add_dropdown("Observer", tuple(slots))
            self._first = gui.add_number("From number", 0, min=0, step=1)

    def add(self, simulated: float, observations: Mapping[str, Any]) -> None:
        """Adds the observations of a step at a simulated time [s], by agent."""
        if not self._plot.is_on:
            self._plot.add(simulated, tuple)
        elif self._slot.value in observations:
            first = int(self._first.value)
            numbers = _numbers(observations[self._slot.value])[first : first + MOST].tolist()
            self._plot.rename([f"[{first + place}]" for place in range(len(numbers))])
            self._plot.add(simulated, lambda: numbers)


def _numbers(observation: Any) -> NDArray[np.float64]:
    """Returns all numbers of an observation as one array (n,)."""
    if isinstance(observation, Mapping):
        observation = tuple(observation.values())
    if isinstance(observation, tuple):
        parts = [_numbers(part) for part in observation]
        return np.concatenate(parts) if parts else np.zeros(0)
    array = np.asarray(observation)
    return array.astype(np.float64).ravel() if array.dtype.kind in "biuf" else np.zeros(0)


_KINDS: tuple[Kind, ...] = ("models", "links", "joints", "actuators")
_CONTACT = "contact force"  # of a link, which is no column [N]


class ValuePlot:
    """A plot of any column of any model, link, joint or actuator, or of a link's contact force.

    A column of several numbers has a line for each. The contact force is the sum of the forces on
    the link at all its contact points, in the world frame [N].

    Args:
        host: The viewer.
        entities: The entities of the world.
    """

    def __init__(self, host: Host, entities: Entities) -> None:
        self._world, self._entities, worlds = host.world, entities, len(host.offsets)
        self._next = 0.0
        gui = host.server.gui
        self._plot = LivePlot(gui, "Plot the values", "values", ())
        with self._plot.folder:
            self._kind: Any = gui.add_dropdown("Table", _KINDS)
            self._row: Any = gui.add_dropdown("Row", ("",))
            self._column: Any = gui.add_dropdown("Column", ("",))
            self._number: Any = gui.add_slider(
                "Plotted world", 0, max(1, worlds - 1), 1, 0, visible=worlds > 1
            )
        self._kind.on_update(lambda _: self._offer())
        for choice in (self._row, self._column, self._number):
            choice.on_update(lambda _: self._plot.restart())
        self._offer()

    def show(self, entities: Entities) -> None:
        """Offers the rows of new entities."""
        if entities is not self._entities:
            self._entities = entities
            self._offer()

    def add(self, simulated: float) -> None:
        """Adds the values at a simulated time [s], in the world's thread."""
        if not self._plot.is_on:
            self._plot.add(simulated, tuple)
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _MEASURED_EVERY
        kind, row, column = self._kind.value, self._row.value, self._column.value
        names = self._world.entities.names(kind)
        if row not in names or column not in (*COLUMNS[kind], _CONTACT):
            return  # another table was chosen just now
        number = int(self._number.value) if len(self._world) > 1 else 0
        if column == _CONTACT:
            values = self._contact_force(number, names.row(row))
        else:
            values = getattr(self._world, kind).get(column)[number, names.row(row)]
        numbers = np.ravel(values).astype(np.float64).tolist()
        several = len(numbers) > 1
        self._plot.rename(
            [f"{column}[{place}]" if several else column for place in range(len(numbers))]
        )
        self._plot.add(simulated, lambda: numbers)

    def _contact_force(self, number: int, link: int) -> NDArray[np.float64]:
        contacts = self._world.simulator.contacts
        assert contacts is not None
        points = contacts.read(number)
        signs = (points.links[:, 1] == link).astype(float) - (points.links[:, 0] == link)
        force: NDArray[np.float64] = signs @ points.force
        return force

    def _offer(self) -> None:
        """Offers the rows and columns of the chosen table."""
        kind: Kind = self._kind.value
        columns = tuple(COLUMNS[kind])
        if kind == "links" and self._world.simulator.contacts is not None:
            columns = (*columns, _CONTACT)
        self._row.options = tuple(self._entities.names(kind)) or ("",)
        if self._column.options != columns:
            self._column.options = columns
        self._plot.restart()


_MEASURED_EVERY = 0.05  # [s] of wall time between rows


class PerformancePlot:
    """A plot of milliseconds per tick, measured only while it is on.

    The lines are the callbacks (trackers, behaviours and controllers, without this viewer), the
    rest of the tick, which is mainly physics, and the ratio of simulated to wall time.
    """

    def __init__(self, host: Host) -> None:
        self._world = host.world
        self._plot = LivePlot(
            host.server.gui,
            "Plot the performance",
            "performance",
            ("callbacks [ms]", "physics and all else [ms]", "x real time"),
        )
        self._begins = _Begin()
        self._end = 0.0  # wall time of the end of the latest callbacks [s]
        self._spent = np.zeros(3)  # wall times of both parts [s], and ticks
        self._since = (0.0, 0.0)  # wall and simulated time of the latest row [s]
        self._plot.on_switch(lambda on: host.post(lambda: self._switch(on)))

    def end_callbacks(self) -> None:
        """Measures the callbacks of a tick; called after all of them."""
        if self._plot.is_on and self._begins.time:
            now = time.perf_counter()
            if self._end:
                self._spent += (now - self._begins.time, self._begins.time - self._end, 1.0)

    def resume(self, simulated: float) -> None:
        """Begins to measure the physics, after the viewer's work in the tick at a time [s]."""
        if not self._plot.is_on:
            return
        self._end = now = time.perf_counter()
        passed = now - self._since[0]
        if passed > _MEASURED_EVERY and self._spent[2]:
            ratio = max(0.0, simulated - self._since[1]) / passed
            callbacks, physics = (1e3 * self._spent[:2] / self._spent[2]).tolist()
            self._plot.add(simulated, lambda: (callbacks, physics, ratio))
            self._spent[:] = 0.0
            self._since = (now, simulated)

    def _switch(self, on: bool) -> None:
        trackers = self._world.trackers
        self._begins.time = self._end = 0.0
        if on and self._begins not in trackers:
            trackers.add(self._begins, Priority.HIGH)
        elif not on and self._begins in trackers:
            trackers.remove(self._begins)
            self._plot.add(0.0, tuple)

    def close(self) -> None:
        """Stops measuring."""
        if self._begins in self._world.trackers:
            self._world.trackers.remove(self._begins)


class _Begin:
    """A tracker that records the wall time at the beginning of a tick."""

    def __init__(self) -> None:
        self.time = 0.0

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        self.time = time.perf_counter()

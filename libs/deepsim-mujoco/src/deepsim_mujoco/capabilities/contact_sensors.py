# SPDX-License-Identifier: Apache-2.0
"""The record of contact sensors over the physics steps of the latest `step` call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from deepsim_mujoco.spec.sensors import NEAREST, NET, BuiltSensor
from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_sync import Reading, UnknownEntityError, WorldNumbers

from .contact_summary import ContactReading, ContactSummary, Outputs, Phases


class ContactRecorder:
    """A record of all contact sensors' outputs, with counts of steps in contact and in the air.

    Times are counted in whole steps, so that contacts of a single step are not lost. Arrays are
    replaced, never changed in place, because readings refer to them.
    """

    def __init__(self, worlds: int) -> None:
        self._worlds = worlds
        self._rows: dict[str, int] = {}
        self._clock = 0  # physics steps
        self._phases = self._beginning()
        self.follow({}, {}, 0, 0.0)

    def follow(
        self,
        sensors: Mapping[str, BuiltSensor],
        address: Mapping[str, int],
        outputs: int,
        timestep: float,
    ) -> None:
        """Adopts a newly compiled model; sensors that stay keep their counts.

        Args:
            sensors: The contact sensors by name.
            address: Start of the outputs of each MuJoCo sensor, by name.
            outputs: Number of all outputs, n.
            timestep: Duration of a physics step [s].
        """
        self._timestep = timestep
        old, then = self._rows, self._phases
        self._rows = {name: row for row, name in enumerate(sensors)}
        parts = max([1, *(each.parts for each in sensors.values())])
        net, nearest = np.full((2, parts, len(sensors)), -1)
        for row, sensor in enumerate(sensors.values()):
            for part in range(sensor.parts):
                net[part, row] = address[sensor.output(NET, part)]
                nearest[part, row] = address[sensor.output(NEAREST, part)]
        self._outputs = Outputs.at(net, nearest)
        kept = [name for name in self._rows if name in old]
        here, there = [self._rows[name] for name in kept], [old[name] for name in kept]
        self._phases = self._beginning()
        for now, before in zip(self._phases[:3], then[:3], strict=True):
            now[:, here] = before[:, there]
        self._steady = b""  # the latest tick's contacts if equal ones would only advance the clock
        self._record: Floats = np.zeros((self._worlds, 1, outputs))
        self._is_steady = False  # whether all steps of the record are like the latest one
        self._steps: int | Floats = 1  # number of recorded steps, for all worlds or for each
        self._summary: ContactSummary | None = None
        self._places: dict[str | tuple[str, ...], int | slice | Rows] = {}

    def add(self, record: Floats, chosen: WorldNumbers | None) -> None:
        """Adds the steps of some worlds.

        Args:
            record: All outputs of MuJoCo's sensors, (w, steps, n); the caller must not change the
                array later.
            chosen: Numbers of the w worlds; None for all.
        """
        found = record.take(self._outputs.found, axis=2)
        if chosen is None and found.tobytes() == self._steady:  # in most ticks
            self._clock += record.shape[1]
        else:
            self._count(found, chosen)
        self._keep(record, chosen)
        self._is_steady = bool(self._steady)

    def begin(self, outputs: Floats, worlds: Rows) -> None:
        """Records the present outputs, (w, n), of worlds that have not stepped."""
        self._keep(outputs[:, None], worlds)

    def _keep(self, record: Floats, chosen: WorldNumbers | None) -> None:
        steps = record.shape[1]
        self._summary, self._is_steady = None, False
        if chosen is None:
            self._record, self._steps = record, steps
            return
        all_steps = max(steps, self._record.shape[1])
        merged = np.zeros((self._worlds, all_steps, record.shape[2]))
        merged[:, : self._record.shape[1]] = self._record
        merged[chosen] = 0.0
        merged[chosen, :steps] = record
        lengths: Floats = np.empty((self._worlds, 1, 1))
        lengths[:] = self._steps
        lengths[chosen] = steps
        self._record, self._steps = merged, lengths

    def _count(self, found: Floats, chosen: WorldNumbers | None) -> None:
        """Counts steps of contact and flight, given contact counts (w, steps[, parts], sensors)."""
        touches = found > 0.0
        if touches.ndim > 3:
            if self._outputs.is_part is not None:
                touches &= self._outputs.is_part
            touches = np.asarray(touches.any(axis=2))
        steps, phases = touches.shape[1], self._phases
        was = phases.touching if chosen is None else phases.touching[chosen]
        as_before = chosen is None and not (touches != was[:, None]).any()
        if as_before and not phases.first.any():
            self._clock += steps
            self._steady = found.tobytes()
            phases.touching.setflags(write=False)  # readings return it
            return
        self._steady = b""
        worlds: Any = slice(None) if chosen is None else chosen
        new = phases.copy()
        touching, since, last_air, first = new
        air, contact = (counts[worlds] for counts in phases.durations(self._clock))
        number = np.arange(1, steps + 1)[:, None]
        last_touch = (touches * number).max(axis=1)  # 0: none in these steps
        last_free = (~touches * number).max(axis=1)
        before = np.concatenate([was[:, None], touches[:, :-1]], axis=1)
        landed = touches & ~before
        if landed.any():
            # The flight before the last landing began after the last earlier step of contact.
            landing = (landed * number).max(axis=1)
            flown = np.where(touches & (number < landing[:, None]), number, 0).max(axis=1)
            flight = np.where(flown > 0, landing - 1 - flown, air + landing - 1)
            last_air[worlds] = np.where(landing > 0, flight, last_air[worlds])
        first[worlds] = landed.any(axis=1)
        air = np.where(last_touch, steps - last_touch, air + steps)
        contact = np.where(last_free, steps - last_free, contact + steps)
        self._clock += steps
        since += steps  # for worlds that did not step
        touching[worlds] = air == 0
        since[worlds] = self._clock - np.where(air == 0, contact, air)
        self._phases = new

    def read(self, names: str | tuple[str, ...]) -> Reading:
        """Returns the quantities of one sensor, (W, ...), or of n sensors, (W, n, ...)."""
        summary = self._summary
        if summary is None:
            summary = ContactSummary(
                self._record,
                self._steps,
                self._outputs,
                self._phases,
                self._clock,
                self._timestep,
                is_steady=self._is_steady,
            )
            self._summary = summary
        where = self._places.get(names)
        if where is None:
            where = self._places[names] = self._place(names)
        return summary if isinstance(where, slice) else ContactReading(summary, where)

    def _place(self, names: str | tuple[str, ...]) -> int | slice | Rows:
        """Returns the row of one sensor, or those of several: a slice for all sensors in order."""
        several = (names,) if isinstance(names, str) else names
        for name in several:
            if name not in self._rows:
                raise UnknownEntityError("contact sensor", name, self._rows)
        if isinstance(names, str):
            return self._rows[names]
        if several == tuple(self._rows):
            return slice(None)
        return np.array([self._rows[name] for name in names])

    def reset(self, worlds: WorldNumbers) -> None:
        """Clears the contacts of some worlds."""
        phases = self._phases.copy()
        for values, new in zip(phases, self._beginning(), strict=True):
            values[worlds] = new[worlds]
        self._phases, self._steady = phases, b""
        self._keep(np.zeros((len(worlds), 1, self._record.shape[2])), worlds)

    def _beginning(self) -> Phases:
        """Returns the phases at the start of an episode, where a first contact is not a landing."""
        shape = (self._worlds, len(self._rows))
        touching, since = np.ones(shape, np.bool_), np.full(shape, self._clock)
        return Phases(touching, since, np.zeros(shape, np.int64), np.zeros(shape, np.bool_))

    def get_state(self) -> Any:
        """Returns the record and the counts, for `set_state`."""
        return self._phases, self._clock, self._record, self._steps

    def set_state(self, state: Any) -> None:
        """Restores the result of `get_state`."""
        self._phases, self._clock, self._record, self._steps = state
        self._is_steady = False
        self._steady = b""
        self._summary = None

# SPDX-License-Identifier: Apache-2.0
"""The contacts that links feel, in every physics step of the latest `step` call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.spec.sensors import NEAREST, NET, BuiltSensor
from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_sync import Reading, WorldNumbers

_COLUMNS = 14  # of a part: found, force, torque, position; distance, normal
_AIR, _LAST_AIR, _CONTACT = range(3)  # rows of the counts
_PLUS, _MINUS = np.array([5, 6, 1]), np.array([7, 2, 3])
"""Of the products a[j] * b[k], by rows: their differences are a x b."""


class ContactRecorder:
    """Keeps the record of all contact sensors, and counts their steps on the ground and in the air.

    Times are counted in whole steps, so that no touch of a single step is lost.
    """

    def __init__(self, worlds: int) -> None:
        self._worlds = worlds
        self._rows: dict[str, int] = {}
        self._counts = np.zeros((3, worlds, 0), dtype=np.int64)
        self.follow({}, {})

    def follow(self, sensors: Mapping[str, BuiltSensor], address: Mapping[str, int]) -> None:
        """Takes up a newly compiled model; sensors that stay go on counting."""
        old = self._rows
        self._rows = {name: row for row, name in enumerate(sensors)}
        count = len(sensors)
        most = max([1, *(each.parts for each in sensors.values())])
        self._columns = np.zeros((count, most, _COLUMNS), dtype=np.intp)
        is_part = np.zeros((count, most))  # the others are of sensors with fewer parts
        for row, sensor in enumerate(sensors.values()):
            for part in range(sensor.parts):
                net = address[sensor.output(NET, part)]
                nearest = address[sensor.output(NEAREST, part)]
                self._columns[row, part] = [*range(net, net + 10), *range(nearest, nearest + 4)]
                is_part[row, part] = 1.0
        self._is_part = None if is_part.all() else is_part[..., None]
        counts = np.zeros((3, self._worlds, count), dtype=np.int64)
        kept = [name for name in self._rows if name in old]
        here, there = [self._rows[name] for name in kept], [old[name] for name in kept]
        if kept:
            counts[..., here] = self._counts[..., there]
        self._counts = counts
        self._first = np.zeros((self._worlds, count), dtype=np.bool_)
        self._record: Floats = np.zeros((self._worlds, 1, *self._columns.shape))
        self._steps = np.ones(self._worlds)
        self._summary: dict[str, NDArray[Any]] | None = None

    def add(self, record: Floats, chosen: WorldNumbers | None) -> None:
        """Adds the steps of some worlds.

        Args:
            record: (w, steps, n) all outputs of MuJoCo's sensors.
            chosen: The w worlds; None for all.
        """
        worlds = slice(None) if chosen is None else chosen
        felt = self._felt(record)
        found = felt[..., 0] > 0.0
        touches = found[..., 0] if found.shape[3] == 1 else np.asarray(found.any(axis=3))
        self._count(touches, worlds)
        self._keep(felt, chosen)

    def begin(self, outputs: Floats, worlds: Rows) -> None:
        """Takes the present contacts of some worlds, (w, n), in which there was no step."""
        self._keep(self._felt(outputs[:, None]), worlds)

    def _felt(self, record: Floats) -> Floats:
        felt = record.take(self._columns, axis=2)
        if self._is_part is not None:
            felt *= self._is_part
        return felt

    def _keep(self, felt: Floats, chosen: WorldNumbers | None) -> None:
        steps = felt.shape[1]
        self._summary = None
        if chosen is None:
            self._record = felt
            self._steps[:] = steps
            return
        if steps > self._record.shape[1]:
            more = np.zeros((self._worlds, steps, *self._columns.shape))
            more[:, : self._record.shape[1]] = self._record
            self._record = more
        self._record[chosen] = 0.0
        self._record[chosen, :steps] = felt
        self._steps[chosen] = steps

    def _count(self, touches: NDArray[np.bool_], worlds: Any) -> None:
        """Counts steps; touches (w, steps, sensors)."""
        steps = touches.shape[1]
        air, contact = self._counts[_AIR, worlds], self._counts[_CONTACT, worlds]
        was = air == 0
        if not np.count_nonzero(touches != was[:, None]):  # as before, which most ticks are
            self._first[worlds] = False
            self._counts[_AIR, worlds] = (air + steps) * ~was
            self._counts[_CONTACT, worlds] = (contact + steps) * was
            return
        number = np.arange(1, steps + 1)[:, None]
        last_touch = (touches * number).max(axis=1)  # 0: none in these steps
        last_free = (~touches * number).max(axis=1)
        before = np.concatenate([(air == 0)[:, None], touches[:, :-1]], axis=1)
        landed = touches & ~before
        if landed.any():
            # The free step before the last landing ends a flight that began after a touch.
            landing = (landed * number).max(axis=1)
            flown = np.where(touches & (number < landing[:, None]), number, 0).max(axis=1)
            flight = np.where(flown > 0, landing - 1 - flown, air + landing - 1)
            last = self._counts[_LAST_AIR]
            last[worlds] = np.where(landing > 0, flight, last[worlds])
        self._first[worlds] = landed.any(axis=1)
        self._counts[_AIR, worlds] = np.where(last_touch, steps - last_touch, air + steps)
        self._counts[_CONTACT, worlds] = np.where(last_free, steps - last_free, contact + steps)

    def read(self, name: str, timestep: float) -> Reading:
        """Returns the quantities of one sensor, (W, ...)."""
        row = self._rows[name]
        if self._summary is None:
            self._summary = self._summarised(timestep)
        return {what: values[:, row] for what, values in self._summary.items()}

    def _summarised(self, timestep: float) -> dict[str, NDArray[Any]]:
        """Means over the steps, as forces on the links; MuJoCo's are those of the links.

        Returns:
            New arrays (W, sensors, ...), which nothing changes.
        """
        # Steps and parts are added alike: (W, sensors, steps * parts, columns). All columns are 0
        # where nothing touches.
        spread = self._record.swapaxes(1, 2).reshape(*self._first.shape, -1, _COLUMNS)
        force, point = spread[..., 1:4], spread[..., 7:10]
        weights = np.ones((*spread.shape[:2], 2, spread.shape[2]))
        size = np.sqrt(np.einsum("...i,...i", force, force), out=weights[:, :, 1])
        sums = weights @ spread[..., 1:10]
        net, weighted = sums[:, :, 0, :3], sums[:, :, 1, 6:]
        whole = size.sum(axis=2)[..., None]
        position = weighted / (whole + (whole == 0.0))
        moments = point.swapaxes(2, 3) @ force - position[..., None] * net[:, :, None]
        moments = moments.reshape(*moments.shape[:2], 9)
        torque = moments.take(_PLUS, axis=2) - moments.take(_MINUS, axis=2)
        torque += sums[:, :, 0, 3:6]
        distance = np.where(spread[..., 0] > 0.0, spread[..., 10], np.inf)
        world, sensor = np.arange(len(spread))[:, None], np.arange(spread.shape[1])
        deepest = spread[world, sensor, distance.argmin(axis=2)]
        found = deepest[..., 0] > 0.0
        in_step = size
        if self._columns.shape[1] > 1:
            of_parts = self._record[..., 1:4].sum(axis=3).swapaxes(1, 2)
            in_step = np.sqrt(np.einsum("...i,...i", of_parts, of_parts))
        air, last_air, contact = self._counts * timestep
        share = -1.0 / self._steps[:, None, None]
        return {
            "found": found,
            "force": net * share + 0.0,  # never -0.0
            "torque": torque * share + 0.0,
            "position": position,
            "distance": np.where(found, deepest[..., 10], np.inf),
            "normal": 0.0 - deepest[..., 11:14],
            "peak_force": in_step.max(axis=2),
            "first_contact": self._first.copy(),
            "air_time": air,
            "last_air_time": last_air,
            "contact_time": contact,
        }

    def reset(self, worlds: WorldNumbers) -> None:
        """Forgets the contacts of some worlds."""
        self._counts[:, worlds] = 0
        self._first[worlds] = False
        self._record[worlds] = 0.0
        self._steps[worlds] = 1.0
        self._summary = None

    def get_state(self) -> Any:
        """Returns records and counts."""
        return self._counts.copy(), self._first.copy(), self._record.copy(), self._steps.copy()

    def set_state(self, state: Any) -> None:
        """Goes back to them."""
        counts, first, record, steps = state
        self._counts, self._first = counts.copy(), first.copy()
        self._record, self._steps = record.copy(), steps.copy()
        self._summary = None

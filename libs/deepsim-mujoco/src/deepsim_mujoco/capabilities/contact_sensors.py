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
_COUNTS = ("air", "last_air", "contact")
_YZX, _ZXY = [1, 2, 0], [2, 0, 1]


class ContactRecorder:
    """Keeps the record of all contact sensors, and counts their steps on the ground and in the air.

    Times are counted in whole steps, so that no touch of a single step is lost.

    Args:
        worlds: The number of worlds, W.
    """

    def __init__(self, worlds: int) -> None:
        self._worlds = worlds
        self._rows: dict[str, int] = {}
        self._counts: dict[str, NDArray[np.int64]] = {}
        self.follow({}, {})

    def follow(self, sensors: Mapping[str, BuiltSensor], address: Mapping[str, int]) -> None:
        """Takes up a newly compiled model; sensors that stay go on counting.

        Args:
            sensors: The contact sensors by name.
            address: Where the outputs of MuJoCo's sensors begin.
        """
        old = self._rows
        self._rows = {name: row for row, name in enumerate(sensors)}
        count = len(sensors)
        most = max([1, *(each.parts for each in sensors.values())])
        self._columns = np.zeros((count, most, _COLUMNS), dtype=np.intp)
        self._is_part = np.zeros((count, most))  # the others are of sensors with fewer parts
        for row, sensor in enumerate(sensors.values()):
            for part in range(sensor.parts):
                net = address[sensor.output(NET, part)]
                nearest = address[sensor.output(NEAREST, part)]
                self._columns[row, part] = [*range(net, net + 10), *range(nearest, nearest + 4)]
                self._is_part[row, part] = 1.0
        counts = {name: np.zeros((self._worlds, count), dtype=np.int64) for name in _COUNTS}
        kept = [name for name in self._rows if name in old]
        here, there = [self._rows[name] for name in kept], [old[name] for name in kept]
        for name in _COUNTS if kept else ():
            counts[name][:, here] = self._counts[name][:, there]
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
        self._count(np.asarray(felt[..., 0].any(axis=3)), worlds)
        self._keep(felt, chosen)

    def begin(self, outputs: Floats, worlds: Rows) -> None:
        """Takes the present contacts of some worlds, (w, n), in which there was no step."""
        self._keep(self._felt(outputs[:, None]), worlds)

    def _felt(self, record: Floats) -> Floats:
        felt = record.take(self._columns, axis=2)
        felt *= self._is_part[..., None]
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
        air, contact = self._counts["air"][worlds], self._counts["contact"][worlds]
        was = air == 0
        if (touches == was[:, None]).all():  # as before, which most ticks are
            self._first[worlds] = False
            self._counts["air"][worlds] = np.where(was, 0, air + steps)
            self._counts["contact"][worlds] = np.where(was, contact + steps, 0)
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
            last = self._counts["last_air"]
            last[worlds] = np.where(landing > 0, flight, last[worlds])
        self._first[worlds] = landed.any(axis=1)
        self._counts["air"][worlds] = np.where(last_touch, steps - last_touch, air + steps)
        self._counts["contact"][worlds] = np.where(last_free, steps - last_free, contact + steps)

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
        size = np.sqrt(np.einsum("...i,...i", force, force))
        whole = size.sum(axis=-1)[..., None]
        position = np.einsum("...i,...ij->...j", size, point) / np.where(whole, whole, 1.0)
        net = force.sum(axis=2)
        # Of sums of products a[j] * b[k], the differences are the sum of a x b.
        moments = point.swapaxes(2, 3) @ force - position[..., None] * net[:, :, None]
        torque = moments[..., _YZX, _ZXY] - moments[..., _ZXY, _YZX]
        torque += spread[..., 4:7].sum(axis=2)
        distance = np.where(spread[..., 0] > 0.0, spread[..., 10], np.inf)
        nearest = distance.argmin(axis=-1).ravel()
        row = np.arange(len(nearest))
        deepest = spread.reshape(len(row), -1, _COLUMNS)[row, nearest].reshape(*net.shape[:2], -1)
        in_step = size
        if self._columns.shape[1] > 1:
            sums = self._record[..., 1:4].sum(axis=3).swapaxes(1, 2)
            in_step = np.sqrt(np.einsum("...i,...i", sums, sums))
        air, last_air, contact = (self._counts[name] * timestep for name in _COUNTS)
        share = -1.0 / self._steps[:, None, None]
        least = distance.reshape(len(row), -1)[row, nearest].reshape(net.shape[:2])
        return {
            "found": least < np.inf,
            "force": net * share + 0.0,  # never -0.0
            "torque": torque * share + 0.0,
            "position": position,
            "distance": least,
            "normal": 0.0 - deepest[..., 11:14],
            "peak_force": in_step.max(axis=2),
            "first_contact": self._first.copy(),
            "air_time": air,
            "last_air_time": last_air,
            "contact_time": contact,
        }

    def reset(self, worlds: WorldNumbers) -> None:
        """Forgets the contacts of some worlds."""
        for values in self._counts.values():
            values[worlds] = 0
        self._first[worlds] = False
        self._record[worlds] = 0.0
        self._steps[worlds] = 1.0
        self._summary = None

    def get_state(self) -> Any:
        """Returns records and counts."""
        counts = {name: values.copy() for name, values in self._counts.items()}
        return counts, self._first.copy(), self._record.copy(), self._steps.copy()

    def set_state(self, state: Any) -> None:
        """Goes back to them."""
        counts, first, record, steps = state
        self._counts = {name: values.copy() for name, values in counts.items()}
        self._first, self._record, self._steps = first.copy(), record.copy(), steps.copy()
        self._summary = None

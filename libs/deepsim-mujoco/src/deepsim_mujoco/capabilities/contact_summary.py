# SPDX-License-Identifier: Apache-2.0
"""The quantities of contact sensors over some physics steps, computed when they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_sync import QUANTITIES

COLUMNS = 14  # of a part: found, force, torque, position; distance, normal
_FOUND, _FORCE, _TORQUE, _POSITION = 0, slice(1, 4), slice(4, 7), slice(7, 10)
_DISTANCE, _NORMAL = 10, slice(11, 14)
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])
_STEPS_AND_PARTS = (1, 3)

Quantities = dict[str, NDArray[Any]]


class Phases(NamedTuple):
    """Stretches of steps in which sensors touch or are free, (W, sensors) each."""

    touching: NDArray[np.bool_]
    """Whether the latest step is one of contact."""
    since: NDArray[np.int64]
    """The step after which the present stretch began."""
    last_air: NDArray[np.int64]
    """Steps of the flight that ended last."""
    first: NDArray[np.bool_]
    """Whether a flight ended in the latest tick."""

    def copy(self) -> Phases:
        """Returns copies of the arrays."""
        touching, since, last_air, first = self
        return Phases(touching.copy(), since.copy(), last_air.copy(), first.copy())

    def durations(self, clock: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the steps in the air and in contact until now."""
        passed = clock - self.since
        return passed * ~self.touching, passed * self.touching


class ContactSummary:
    """The quantities of all contact sensors, each computed once.

    Args:
        record: (W, steps, n) all outputs of MuJoCo's sensors; 0 where nothing touches.
        steps: Number of steps: of all worlds alike, or (W, 1, 1) of each.
        columns: (sensors, parts, 14) which of the outputs are those of the parts of a sensor.
        is_part: (sensors, parts) whether a sensor has that part; None if all have all.
        phases: Stretches at the end of the steps.
        clock: Number of the latest step.
        timestep: [s]
        is_steady: Whether the sensors touch in all steps as in the latest one.
    """

    def __init__(
        self,
        record: Floats,
        steps: int | Floats,
        columns: Rows,
        is_part: NDArray[np.bool_] | None,
        phases: Phases,
        clock: int,
        timestep: float,
        *,
        is_steady: bool,
    ) -> None:
        self._record, self._steps = record, steps
        self._columns, self._is_part = columns, is_part
        self._phases, self._clock, self._timestep = phases, clock, timestep
        self._known: Quantities = {}
        if is_steady:
            self._known["found"] = phases.touching

    def get(self, quantity: str) -> NDArray[Any]:
        """Returns a quantity of all sensors, (W, sensors, ...), read-only."""
        found = self._known.get(quantity)
        if found is None:
            for name, values in _RULES[quantity](self).items():
                values.flags.writeable = False
                self._known[name] = values
            found = self._known[quantity]
        return found

    def _felt(self, columns: int | slice) -> Floats:
        """Returns columns of each step, (W, steps, sensors, parts, ...)."""
        felt = self._record.take(self._columns[..., columns], axis=2)
        if self._is_part is not None:
            felt *= self._is_part if isinstance(columns, int) else self._is_part[..., None]
        return felt

    def _mean(self, sums: Floats) -> Floats:
        """Returns the mean of all steps as felt by the links; MuJoCo's forces are those of links.

        Args:
            sums: (W, sensors, 3) over the steps.
        """
        sums *= -1.0 / self._steps
        sums += 0.0  # never -0.0
        return sums

    def _found(self) -> Quantities:
        found = self._felt(_FOUND) > 0.0
        return {"found": np.logical_or.reduce(found, axis=_STEPS_AND_PARTS)}

    def _force(self) -> Quantities:
        return {"force": self._mean(np.add.reduce(self._felt(_FORCE), axis=_STEPS_AND_PARTS))}

    def _place(self) -> Quantities:
        """The torque about the mean of the points, weighted by the sizes of their forces."""
        force, point = self._felt(_FORCE), self._felt(_POSITION)
        size = np.sqrt(np.einsum("...i,...i", force, force))[..., None]
        # With the point in one array, so that the order of the sum over steps is always the same.
        weighted = np.concatenate([size, size * point], axis=-1).sum(axis=_STEPS_AND_PARTS)
        whole = weighted[..., :1]
        position = weighted[..., 1:] / (whole + (whole == 0.0))
        arm = point - position[:, None, :, None]
        moment = arm.take(_NEXT, axis=-1) * force.take(_LAST, axis=-1)
        moment -= arm.take(_LAST, axis=-1) * force.take(_NEXT, axis=-1)
        moment += self._felt(_TORQUE)
        return {"position": position, "torque": self._mean(moment.sum(axis=_STEPS_AND_PARTS))}

    def _nearest(self) -> Quantities:
        """Distance and normal of the deepest contact."""
        distance = np.where(self._felt(_FOUND) > 0.0, self._felt(_DISTANCE), np.inf)
        normal = self._felt(_NORMAL)
        # Of (W, sensors, steps and parts).
        worlds, _, sensors = distance.shape[:3]
        distance = distance.swapaxes(1, 2).reshape(worlds, sensors, -1)
        normal = normal.swapaxes(1, 2).reshape(worlds, sensors, -1, 3)
        world, sensor = np.arange(worlds)[:, None], np.arange(sensors)
        deepest = distance.argmin(axis=2)
        return {
            "distance": distance[world, sensor, deepest],
            "normal": 0.0 - normal[world, sensor, deepest],
        }

    def _peak(self) -> Quantities:
        force = self._felt(_FORCE).sum(axis=3)
        return {"peak_force": np.sqrt(np.einsum("...i,...i", force, force).max(axis=1))}

    def _times(self) -> Quantities:
        air, contact = self._phases.durations(self._clock)
        timestep = self._timestep
        return {
            "air_time": air * timestep,
            "last_air_time": self._phases.last_air * timestep,
            "contact_time": contact * timestep,
        }

    def _first_contact(self) -> Quantities:
        return {"first_contact": self._phases.first}


_RULES: dict[str, Callable[[ContactSummary], Quantities]] = {
    "found": ContactSummary._found,
    "force": ContactSummary._force,
    "torque": ContactSummary._place,
    "position": ContactSummary._place,
    "distance": ContactSummary._nearest,
    "normal": ContactSummary._nearest,
    "peak_force": ContactSummary._peak,
    "first_contact": ContactSummary._first_contact,
    "air_time": ContactSummary._times,
    "last_air_time": ContactSummary._times,
    "contact_time": ContactSummary._times,
}
"""How quantities are computed; some come together."""


class ContactReading(Mapping[str, NDArray[Any]]):
    """The quantities of one sensor, (W, ...) each, or of n sensors, (W, n, ...)."""

    __slots__ = ("_summary", "_where")

    def __init__(self, summary: ContactSummary, where: int | slice | Rows) -> None:
        self._summary, self._where = summary, where

    def __getitem__(self, quantity: str) -> NDArray[Any]:
        values = self._summary.get(quantity)[:, self._where]
        values.flags.writeable = False
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(QUANTITIES["contact"])

    def __len__(self) -> int:
        return len(QUANTITIES["contact"])

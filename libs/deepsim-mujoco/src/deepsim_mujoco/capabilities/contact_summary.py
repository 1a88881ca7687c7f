# SPDX-License-Identifier: Apache-2.0
"""The quantities of contact sensors over some physics steps, computed on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_sync import QUANTITIES

COLUMNS = 14  # numbers of a part: found, force, torque, position; distance, normal
_FOUND, _FORCE, _TORQUE, _POSITION = 0, slice(1, 4), slice(4, 7), slice(7, 10)
_DISTANCE, _NORMAL = 10, slice(11, 14)
_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])
_STEPS_AND_PARTS = (1, 3)

Quantities = dict[str, NDArray[Any]]


class Phases(NamedTuple):
    """The current contact or flight phase of each sensor, (W, sensors)."""

    touching: NDArray[np.bool_]
    """Whether there was contact in the latest step."""
    since: NDArray[np.int64]
    """Number of the step after which the current phase began."""
    last_air: NDArray[np.int64]
    """Duration of the last flight in steps."""
    first: NDArray[np.bool_]
    """Whether a flight ended in the latest tick."""

    def copy(self) -> Phases:
        """Returns the phases with copies of all arrays."""
        touching, since, last_air, first = self
        return Phases(touching.copy(), since.copy(), last_air.copy(), first.copy())

    def durations(self, clock: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the steps that present flights and contacts have lasted, one of which is 0."""
        passed = clock - self.since
        return passed * ~self.touching, passed * self.touching


class ContactSummary:
    """The quantities of all contact sensors, each computed once.

    Args:
        record: All outputs of MuJoCo's sensors, (W, steps, n); 0 without contact.
        steps: Number of steps, for all worlds or for each, (W, 1, 1).
        columns: Indices of the outputs of each part of a sensor, (sensors, parts, 14).
        is_part: Whether a sensor has each part, (sensors, parts); None if all have all.
        phases: Phases after the steps.
        clock: Number of the latest step.
        timestep: Duration of a step [s].
        is_steady: Whether the contacts in all steps are like those in the latest one.
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
        """Returns columns of the sensors' outputs in all steps, (W, steps, sensors, parts, ...)."""
        felt = self._record.take(self._columns[..., columns], axis=2)
        if self._is_part is not None:
            felt *= self._is_part if isinstance(columns, int) else self._is_part[..., None]
        return felt

    def _mean(self, sums: Floats) -> Floats:
        """Returns means over the steps, given the sums, (W, sensors, 3).

        The sign changes, because MuJoCo reports the forces that the links exert.
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
        """Returns the mean contact point, weighted by force, and the torque about this point."""
        force, point = self._felt(_FORCE), self._felt(_POSITION)
        size = np.sqrt(np.einsum("...i,...i", force, force))[..., None]
        # In one array with the points, so that the order of the sum over steps is always the same.
        weighted = np.concatenate([size, size * point], axis=-1).sum(axis=_STEPS_AND_PARTS)
        whole = weighted[..., :1]
        position = weighted[..., 1:] / (whole + (whole == 0.0))
        arm = point - position[:, None, :, None]
        moment = arm.take(_NEXT, axis=-1) * force.take(_LAST, axis=-1)
        moment -= arm.take(_LAST, axis=-1) * force.take(_NEXT, axis=-1)
        moment += self._felt(_TORQUE)
        return {"position": position, "torque": self._mean(moment.sum(axis=_STEPS_AND_PARTS))}

    def _nearest(self) -> Quantities:
        """Returns the distance and the normal of the deepest contact."""
        distance = np.where(self._felt(_FOUND) > 0.0, self._felt(_DISTANCE), np.inf)
        normal = self._felt(_NORMAL)
        # Reshaped to (W, sensors, steps * parts).
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
"""The function that computes each quantity; some functions compute several."""


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

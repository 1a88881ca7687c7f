# SPDX-License-Identifier: Apache-2.0
"""The quantities of contact sensors over some physics steps, computed on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.state.layout import Floats, Rows
from deepsim_sync import QUANTITIES

_NEXT, _LAST = np.array([1, 2, 0]), np.array([2, 0, 1])

Quantities = dict[str, NDArray[Any]]


class Outputs(NamedTuple):
    """Indices of MuJoCo's outputs for each part of each contact sensor.

    All sensors have as many parts as the one with the most; surplus parts are ignored. If all
    sensors have one part, the arrays have no axis for parts.
    """

    found: Rows
    """Numbers of contacts, (parts, sensors) or (sensors,)."""
    force: Rows
    """Forces that the sensors exert, (..., sensors, 3)."""
    torque: Rows
    """Their torques about the positions, (..., sensors, 3)."""
    position: Rows
    """Points at which the forces act, (..., sensors, 3)."""
    distance: Rows
    """Distances of the deepest contacts, (..., sensors)."""
    normal: Rows
    """Normals of the deepest contacts, (..., sensors, 3)."""
    is_part: NDArray[np.bool_] | None
    """Whether a sensor has each part, (parts, sensors); None if all have all."""

    @classmethod
    def at(cls, net: Rows, nearest: Rows) -> Outputs:
        """Returns the indices, given the starts of two MuJoCo sensors per part.

        Args:
            net: Starts for number, force, torque and position, (parts, sensors); -1 for no part.
            nearest: Starts for distance and normal, (parts, sensors).
        """
        is_part = net >= 0
        net, nearest = net * is_part, nearest * is_part
        if len(net) == 1:
            net, nearest = net[0], nearest[0]
        force, torque, position = (net[..., None] + np.arange(n, n + 3) for n in (1, 4, 7))
        normal = nearest[..., None] + np.arange(1, 4)
        every = None if is_part.all() else is_part
        return cls(net, force, torque, position, nearest, normal, every)


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
        """Returns for how many steps flights and contacts have lasted; one of the two is 0."""
        passed = clock - self.since
        return passed * ~self.touching, passed * self.touching


class ContactSummary(Mapping[str, NDArray[Any]]):
    """The quantities of all contact sensors, (W, sensors, ...), each computed once.

    Args:
        record: All outputs of MuJoCo's sensors, (W, steps, n); 0 without contact.
        steps: Number of steps, for all worlds or for each, (W, 1, 1).
        outputs: The outputs of contact sensors.
        phases: Phases after the steps.
        clock: Number of the latest step.
        timestep: Duration of a step [s].
        is_steady: Whether the contacts in all steps are like those in the latest one.
    """

    def __init__(
        self,
        record: Floats,
        steps: int | Floats,
        outputs: Outputs,
        phases: Phases,
        clock: int,
        timestep: float,
        *,
        is_steady: bool,
    ) -> None:
        self._record, self._steps, self._outputs = record, steps, outputs
        self._phases, self._clock, self._timestep = phases, clock, timestep
        self._known: Quantities = {"found": phases.touching} if is_steady else {}

    def __getitem__(self, quantity: str) -> NDArray[Any]:
        """Returns a quantity, read-only."""
        found = self._known.get(quantity)
        if found is None:
            for name, values in _RULES[quantity](self).items():
                values.setflags(write=False)
                self._known[name] = values
            found = self._known[quantity]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(QUANTITIES["contact"])

    def __len__(self) -> int:
        return len(QUANTITIES["contact"])

    def _felt(self, indices: Rows) -> Floats:
        """Returns outputs of all parts in all steps, (W, steps * parts, sensors, ...)."""
        felt = self._record.take(indices, axis=2)
        if self._outputs.found.ndim == 1:  # a reshape would take longer than the rest
            return felt
        is_part = self._outputs.is_part
        if is_part is not None:
            felt *= is_part.reshape(is_part.shape + (1,) * (indices.ndim - 2))
        return felt.reshape(len(felt), -1, *indices.shape[1:])

    def _mean(self, values: Floats) -> Floats:
        """Returns means over the steps, (W, sensors, 3).

        The sign changes, because MuJoCo reports the forces that the links exert.

        Args:
            values: Forces or torques that the links exert, (W, steps * parts, sensors, 3).
        """
        mean: Floats = np.subtract.reduce(values, axis=1, initial=0.0)  # never -0.0
        mean *= 1.0 / self._steps
        return mean

    def _found(self) -> Quantities:
        return {"found": np.logical_or.reduce(self._felt(self._outputs.found) > 0.0, axis=1)}

    def _force(self) -> Quantities:
        return {"force": self._mean(self._felt(self._outputs.force))}

    def _place(self) -> Quantities:
        """Returns the mean contact point, weighted by force, and the torque about this point."""
        outputs = self._outputs
        force, point = self._felt(outputs.force), self._felt(outputs.position)
        size = np.sqrt(np.einsum("...i,...i", force, force))[..., None]
        # In one array with the points, so that the order of the sum over steps is always the same.
        weighted = np.concatenate([size, size * point], axis=-1).sum(axis=1)
        whole = weighted[..., :1]
        position = weighted[..., 1:] / (whole + (whole == 0.0))
        arm = point - position[:, None]
        moment = arm.take(_NEXT, axis=-1) * force.take(_LAST, axis=-1)
        moment -= arm.take(_LAST, axis=-1) * force.take(_NEXT, axis=-1)
        moment += self._felt(outputs.torque)
        return {"position": position, "torque": self._mean(moment)}

    def _nearest(self) -> Quantities:
        """Returns the distance and the normal of the deepest contact."""
        outputs = self._outputs
        distance = np.where(self._felt(outputs.found) > 0.0, self._felt(outputs.distance), np.inf)
        normal = self._felt(outputs.normal)
        worlds, _, sensors = distance.shape
        world, sensor = np.arange(worlds)[:, None], np.arange(sensors)
        deepest = distance.argmin(axis=1)
        return {
            "distance": distance[world, deepest, sensor],
            "normal": 0.0 - normal[world, deepest, sensor],
        }

    def _peak(self) -> Quantities:
        force = self._felt(self._outputs.force)
        worlds, steps = self._record.shape[:2]
        force = force.reshape(worlds, steps, -1, *force.shape[2:]).sum(axis=2)
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

    def __init__(self, summary: ContactSummary, where: int | Rows) -> None:
        self._summary, self._where = summary, where

    def __getitem__(self, quantity: str) -> NDArray[Any]:
        values = self._summary[quantity][:, self._where]
        values.flags.writeable = False
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self._summary)

    def __len__(self) -> int:
        return len(self._summary)

# SPDX-License-Identifier: Apache-2.0
"""Light servos within their effort limits, on the device; see `deepsim_mujoco.state.servos`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from deepsim_mujoco.state.layout import Floats, Rows

from . import kernels
from .buffer import Transfers, view
from .imports import wp


class ServoLimits:
    """Repeats the steps of worlds in which the effort of a light servo exceeds its limit.

    In each repetition, the servo of a world that exceeds its limit by the largest factor gets the
    effort of its limit. All worlds repeat the step: one without such a servo takes it again with
    the same inputs. How often is not known beforehand, and a graph cannot repeat what allocates
    memory, so that the host reads one number after each try.

    Args:
        model: The model on the device.
        data: The data of the worlds on the device.
        fields: The fields of the data that a step changes.
        chosen: 1 for each world that steps, otherwise 0, (W,); on the device.
        freed: Becomes 1 for each light servo that took the latest step within its limit, and
            otherwise 0, (W, actuators); on the device.
        transfers: Counts the reads.

    Attributes:
        is_active: Whether there are light servos.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        fields: Sequence[Any],
        chosen: Any,
        freed: Any,
        transfers: Transfers,
    ) -> None:
        self._model, self._data, self._fields, self._chosen = model, data, fields, chosen
        self._freed, self._transfers = freed, transfers
        self._shape = freed.shape
        self.is_active = False
        self._before = [wp.empty_like(field) for field in fields]
        self._numbers = [wp.zeros(self._shape, dtype=wp.float64) for _ in range(3)]
        self._dofs = wp.zeros(model.nactuator, dtype=int)
        self._exceeds = wp.zeros(1, dtype=int)

    def set(self, limits: Floats, damping: Floats, push: Floats, dofs: Rows) -> None:
        """Copies limits and gains to the device; see `LimitsServos.limit_servos`."""
        for there, values in zip(self._numbers, (limits, damping, push), strict=True):
            there.assign(values)
        self._dofs.assign(dofs.astype(np.int32))
        self._freed.zero_()
        self.is_active = bool(np.isfinite(limits).any())
        self._transfers.models += 1

    def step(
        self,
        replay: Callable[[str, Callable[[], None]], None],
        drive: Callable[[], None],
        advance: Callable[[], None],
        exact: Any,
    ) -> None:
        """Takes a physics step.

        Args:
            replay: Launches kernels, as a graph that has a name.
            drive: Launches the kernels that evaluate the commands of servos.
            advance: Launches those of a step.
            exact: The ranges of actuators in 64 bits, (W, actuators, 2), on the device.
        """
        ranges = view(self._model.actuator_forcerange, float, (*self._shape, 2))

        def check() -> None:
            self._exceeds.zero_()
            data = self._data
            moving = [data.actuator_force, data.actuator_velocity, data.qvel]
            limits = [*self._numbers, self._dofs, self._chosen, *moving, self._freed]
            inputs = [*limits, ranges, exact, self._exceeds]
            wp.launch(kernels.limit_servos, self._shape[0], inputs=inputs)

        def first() -> None:
            drive()
            for field, before in zip(self._fields, self._before, strict=True):
                wp.copy(before, field)
            inputs = [self._numbers[0], self._freed, ranges, exact]
            wp.launch(kernels.free_servos, self._shape, inputs=inputs)
            advance()
            check()

        def again() -> None:
            for field, before in zip(self._fields, self._before, strict=True):
                wp.copy(field, before)
            advance()
            check()

        replay("first try", first)
        while self._is_exceeded():
            replay("next try", again)

    def _is_exceeded(self) -> bool:
        """Returns whether a light servo exceeded its limit in the latest try."""
        self._transfers.tries += 1
        return bool(self._exceeds.numpy()[0])  # waits for the device

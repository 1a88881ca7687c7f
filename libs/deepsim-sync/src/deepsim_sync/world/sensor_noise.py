# SPDX-License-Identifier: Apache-2.0
"""The noise of a sensor, drawn separately in each world."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.port.sensors import Noise, Reading, SensorInfo

Floats = NDArray[np.float64]


class SensorNoise:
    """Noise of a sensor, drawn separately in each world.

    Each world has its own generator, which is seeded by the world's random generator at the first
    measurement of an episode, when the bias is drawn too. The noise of a world thus does not depend
    on the number of worlds.

    Attributes:
        is_none: Whether the sensor is exact.
    """

    def __init__(self, info: SensorInfo, rngs: Sequence[np.random.Generator]) -> None:
        self._rngs = rngs
        self._limits = info.limits
        self._noise = {
            quantity: (noise, _parameters(noise)) for quantity, noise in info.noise.items() if noise
        }
        self.is_none = not self._noise
        self._own: list[np.random.Generator | None] = [None] * len(rngs)
        self._time = np.zeros(len(rngs))
        self._bias, self._drift = (
            {name: np.zeros((len(rngs), len(noise))) for name, (noise, _) in self._noise.items()}
            for _ in range(2)
        )

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Starts new episodes in some worlds."""
        for world in worlds.tolist() if self._noise else ():
            self._own[world] = None

    def add(self, reading: Reading, due: NDArray[np.bool_], time: Floats) -> Reading:
        """Returns a measurement with noise added in some worlds.

        Args:
            reading: Measurement without noise.
            due: Whether each world measured, (W,).
            time: Present time, (W,) [s].
        """
        worlds = np.flatnonzero(due)
        for world in worlds.tolist():
            self._generator(world)
        passed = time - self._time
        self._time[worlds] = time[worlds]
        noisy = dict(reading)
        for quantity in self._noise:
            noisy[quantity] = reading[quantity].copy()
            # Pictures one by one, because each takes 50 times its memory in between.
            for some in worlds[:, None] if quantity == "rgb" else (worlds,):
                exact = reading[quantity][some]
                noisy[quantity][some] = self._measured(quantity, exact, some, passed[some, None])
        return noisy

    def _measured(
        self, quantity: str, exact: Floats, worlds: NDArray[np.intp], passed: Floats
    ) -> Floats:
        """Returns a quantity with noise in some worlds, (w, ...)."""
        _, parameters = self._noise[quantity]
        mean, stddev, drift_stddev, drift_time, precision = parameters
        generators = [self._generator(world) for world in worlds.tolist()]
        shape = exact.shape[1:]
        if quantity == "rgb":  # a deviate changes all colours of a pixel, on a scale of 0 to 1
            exact, shape = exact / 255.0, (*shape[:-1], 1)
        normal = np.array([each.standard_normal(shape) for each in generators])
        offset = self._bias[quantity][worlds]
        if drift_stddev.any() and drift_time.any():
            step = np.array([each.standard_normal(len(mean)) for each in generators])
            offset = offset + self._drifted(quantity, worlds, passed, step, parameters)
        offset = offset.reshape(len(worlds), *[1] * (exact.ndim - 2), -1)
        value = exact + offset + mean + stddev * normal
        unit = np.where(precision, precision, 1.0)
        rounded = np.round(value / unit) * unit
        value = np.clip(np.where(precision, rounded, value), *self._limits)
        if quantity == "rgb":
            value = np.rint(255.0 * value)
        found: Floats = np.where(np.isfinite(exact), value, exact)
        return found

    def _generator(self, world: int) -> np.random.Generator:
        """Returns the generator of a world in this episode."""
        found = self._own[world]
        if found is None:
            found = np.random.default_rng(int(self._rngs[world].integers(2**63)))
            self._own[world] = found
            self._time[world] = 0.0
            for quantity, (noise, _) in self._noise.items():
                draws = found.standard_normal(len(noise)).tolist()
                self._bias[quantity][world] = [
                    each.bias_mean + each.bias_stddev * draw for each, draw in zip(noise, draws)
                ]
                self._drift[quantity][world] = 0.0
        return found

    def _drifted(
        self,
        quantity: str,
        worlds: NDArray[np.intp],
        passed: Floats,
        step: Floats,
        parameters: Sequence[Floats],
    ) -> Floats:
        """Advances the drifting bias, a Gauss-Markov process, exactly for any period of time."""
        _, _, stddev, time, _ = parameters
        moves = (stddev > 0.0) & (time > 0.0)
        tau = np.where(moves, time, 1.0)
        spread = np.sqrt(-0.5 * stddev * stddev * tau * np.expm1(-2.0 * passed / tau))
        drift = self._drift[quantity][worlds] * np.exp(-passed / tau) + spread * step
        self._drift[quantity][worlds] = np.where(moves, drift, 0.0)
        return self._drift[quantity][worlds]

    def get_state(self) -> Any:
        """Returns generators, biases and drifts."""
        return deepcopy((self._own, self._time, self._bias, self._drift))

    def set_state(self, state: Any) -> None:
        """Restores the result of `get_state`."""
        self._own, self._time, self._bias, self._drift = deepcopy(state)


def _parameters(noise: Sequence[Noise]) -> list[Floats]:
    names = ("mean", "stddev", "drift_stddev", "drift_time", "precision")
    return [np.array([getattr(each, name) for each in noise]) for name in names]

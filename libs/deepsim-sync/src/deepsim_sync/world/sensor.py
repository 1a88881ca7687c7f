# SPDX-License-Identifier: Apache-2.0
"""A sensor of a world, with its update rate, delay and noise."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.errors import UnsupportedError
from deepsim_sync.port.sensors import QUANTITIES, Noise, Reading, SensorInfo, Sensors

if TYPE_CHECKING:
    from .world import World

Floats = NDArray[np.float64]


class SensorNoise:
    """Noise of measurements, drawn separately in each world.

    Each world has its own generator, which is seeded by the world's random generator at the first
    measurement of an episode, when the bias is drawn too. The noise of a world thus does not depend
    on the number of worlds.

    >>> world = World(TableSimulator(worlds=2))
    >>> noise = SensorNoise({"range": [Noise(mean=0.5)]}, world.rngs)
    >>> measured = noise.add({"range": np.ones((2, 1))}, np.array([True, False]), world.time)
    >>> measured["range"].tolist()
    [[1.5], [1.0]]

    Args:
        noise: Noise by quantity: one for all its numbers, or one for each along the last axis.
        rngs: The generator of each world.
        limits: Least and largest value of a noisy measurement.

    Attributes:
        is_none: Whether measurements are exact.
    """

    def __init__(
        self,
        noise: Mapping[str, Sequence[Noise]],
        rngs: Sequence[np.random.Generator],
        limits: tuple[float, float] = (-np.inf, np.inf),
    ) -> None:
        self._rngs = rngs
        self._limits = limits
        self._noise = {
            quantity: (each, _parameters(each)) for quantity, each in noise.items() if each
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


_Record = Tuple[NDArray[np.bool_], NDArray[np.float64], Reading]
"""A delayed measurement: worlds that still wait for it, instants, and values."""


class Sensor:
    """One sensor in all worlds, with quantities (W, ...); made by `world.sensors[name]`.

    Without an update rate and a delay, it measures when it is read. Otherwise it measures at the
    beginning of the first tick at or after each multiple of its period. Contact sensors measure in
    every tick, whatever their rate, so that they miss no contact.

    Example::

        imu = world.sensors["robot::base::imu"]
        world.tick()
        imu.linear_acceleration  # (W, 3), at the instants imu.time

    Attributes:
        name: Name of the sensor, ``model::link::sensor``.
        info: Kind, rate, delay and noise.
    """

    info: SensorInfo

    def __init__(self, world: World, name: str) -> None:
        self.name = name
        self._world = world
        self._simulator, self._flush = world.simulator, world.cache.flush
        self._port = port_of(world)
        self._watch()
        count = len(world)
        self._noise = SensorNoise(self.info.noise, world.rngs, self.info.limits)
        self._shown: Reading = {}
        self._shown_time = np.full(count, np.nan)
        self._last = np.full(count, np.nan)  # time of the latest measurement, if there is no rate
        self._index = np.full(count, -1, dtype=np.int64)  # its number, if there is a rate
        self._coming: list[_Record] = []
        self._polled: NDArray[np.float64] | None = None  # the time of the latest poll

    def __getattr__(self, quantity: str) -> NDArray[Any]:
        if quantity.startswith("_") or quantity not in QUANTITIES[self.info.kind]:
            raise AttributeError(
                f"a sensor of kind {self.info.kind!r} measures "
                f"{', '.join(QUANTITIES[self.info.kind])}, and not {quantity!r}"
            )
        return self.read()[quantity]

    def __repr__(self) -> str:
        return f"<Sensor {self.name!r} of kind {self.info.kind}>"

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated instants of the measurements that `read` returns, (W,) [s]."""
        self.read()
        return self._shown_time.copy()

    def read(self) -> Reading:
        """Returns the latest measurement that has arrived, by quantity; it must not be written to.

        Unsent changes of the world are sent first. Until a delayed measurement arrives, the first
        measurement of the episode is returned.
        """
        self._flush()
        self.poll()
        return self._shown

    def measure(self) -> Reading:
        """Measures at once in all worlds, with noise, whatever the rate and delay are.

        What `read` returns does not change.
        """
        self._flush()
        if self._port.infos is not self._infos:
            self._watch()
        reading = self._port.read(self.name)
        if self._noise.is_none:
            return reading
        return self._noise.add(reading, np.ones(len(self._world), np.bool_), self._simulator.time)

    @property
    def is_timed(self) -> bool:
        """Whether the sensor must be polled in every tick."""
        return self.info.delay > 0.0 or self._has_rate

    def poll(self) -> None:
        """Measures in the worlds where a measurement is due; called in each tick."""
        now = self._simulator.time
        if now is self._polled:
            return
        self._polled = now
        if self._port.infos is not self._infos:
            self._watch()
        if self._has_rate:
            index = np.floor(now * self.info.update_rate + 1e-9).astype(np.int64)
            due = index > self._index
            self._index = np.maximum(index, self._index)
        else:
            due = now != self._last
            self._last = now
        count = int(np.count_nonzero(due))
        if not count:
            if self._coming:
                self._arrive(now)
            return
        reading = self._port.read(self.name)
        if not self._noise.is_none:
            reading = self._noise.add(reading, due, now)
        if isinstance(reading, dict):  # others compute their values when they are read
            for values in reading.values():
                values.setflags(write=False)
        if self.info.delay == 0.0:
            if count == len(due):
                self._shown, self._shown_time = reading, now
            else:
                self._show(due, now, reading)
            return
        first = due & np.isnan(self._shown_time)
        self._show(first, now, reading)
        self._coming.append((due & ~first, now, reading))
        self._arrive(now)

    def _arrive(self, now: NDArray[np.float64]) -> None:
        """Makes measurements available when their delay has passed."""
        latest = now - self.info.delay + 1e-3 * self._world.timestep
        for waiting, taken, reading in self._coming:
            ready = waiting & (taken <= latest)
            if ready.any():
                self._show(ready, taken, reading)
                waiting &= ~ready
        self._coming = [each for each in self._coming if each[0].any()]

    def _show(
        self,
        worlds: NDArray[np.bool_],
        time: NDArray[np.float64],
        reading: Reading,
    ) -> None:
        if worlds.all():
            self._shown, self._shown_time = reading, time
            return
        shown = self._shown or reading
        self._shown = {
            quantity: np.where(
                worlds.reshape(-1, *[1] * (values.ndim - 1)), values, shown[quantity]
            )
            for quantity, values in reading.items()
        }
        self._shown_time = np.where(worlds, time, self._shown_time)

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Starts new episodes in some worlds; the next measurement is their first one."""
        self._polled = None
        self._noise.reset(worlds)
        self._last, self._shown_time = self._last.copy(), self._shown_time.copy()
        self._last[worlds] = self._shown_time[worlds] = np.nan
        self._index[worlds] = -1
        for waiting, _, _ in self._coming:
            waiting[worlds] = False

    def get_state(self) -> Any:
        """Returns the state of measurements, including delayed ones, and of the noise."""
        coming = [(waiting.copy(), time, reading) for waiting, time, reading in self._coming]
        times = self._shown_time.copy(), self._last.copy(), self._index.copy()
        return self._shown, times, coming, self._noise.get_state()

    def set_state(self, state: Any) -> None:
        """Restores the result of `get_state`."""
        shown, times, coming, noise = state
        self._shown, self._polled = shown, None
        self._shown_time, self._last, self._index = (each.copy() for each in times)
        self._coming = [(waiting.copy(), time, reading) for waiting, time, reading in coming]
        self._noise.set_state(noise)

    def _watch(self) -> None:
        self._infos = self._port.infos
        self._port.watch(self.name)
        self.info = self._infos[self.name]
        self._has_rate = self.info.update_rate > 0.0 and self.info.kind != "contact"


def port_of(world: World) -> Sensors:
    """Returns the sensors of a world's simulator; raises UnsupportedError if it has none."""
    port = world.simulator.sensors
    if port is None:
        raise UnsupportedError(f"{type(world.simulator).__name__} has no sensors")
    return port

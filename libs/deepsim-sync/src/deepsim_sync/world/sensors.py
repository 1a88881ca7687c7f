# SPDX-License-Identifier: Apache-2.0
"""The sensors of a world by name, and several that are read together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.current import PerWorld
from deepsim_sync.errors import UnknownEntityError
from deepsim_sync.port.sensors import QUANTITIES, Reading, SensorsTogether

from .sensor import Sensor, port_of

if TYPE_CHECKING:
    from .world import World


class SensorRows:
    """Sensors of one kind with quantities (W, n, ...); made by `world.sensors.select(names)`.

    Reading several contact sensors together takes about as long as reading one.

    Example::

        feet = world.sensors.select([f"dog::{end}_foot::touch" for end in ("left", "right")])
        world.tick()
        feet.force  # (W, 2, 3)

    Attributes:
        names: Names of the n sensors, ``model::link::sensor``.
    """

    def __init__(self, world: World, sensors: Sequence[Sensor]) -> None:
        kinds = {each.info.kind for each in sensors}
        if len(kinds) != 1:
            found = ", ".join(f"{each.name!r} ({each.info.kind})" for each in sensors)
            raise ValueError(f"sensors that are read together are of one kind, got {found or None}")
        self.names = tuple(each.name for each in sensors)
        self._sensors = tuple(sensors)
        self._simulator, self._flush = world.simulator, world.cache.flush
        self._kind = sensors[0].info.kind
        port, timed = port_of(world), any(each.is_timed for each in sensors)
        self._together: SensorsTogether | None = None
        if isinstance(port, SensorsTogether) and self._kind == "contact" and not timed:
            self._together = port
        self._read_at: NDArray[np.float64] | None = None
        self._shown: Reading = {}

    def __len__(self) -> int:
        return len(self.names)

    def __getattr__(self, quantity: str) -> NDArray[Any]:
        if quantity.startswith("_") or quantity not in QUANTITIES[self._kind]:
            raise AttributeError(
                f"sensors of kind {self._kind!r} measure "
                f"{', '.join(QUANTITIES[self._kind])}, and not {quantity!r}"
            )
        return self.read()[quantity]

    def __repr__(self) -> str:
        return f"<SensorRows of {len(self)} of kind {self._kind}>"

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated instants of the measurements that `read` returns, (W, n) [s]."""
        return np.stack([each.time for each in self._sensors], axis=1)

    def read(self) -> Reading:
        """Returns the latest measurements that have arrived; see `Sensor.read`."""
        if self._together is None:
            readings = [each.read() for each in self._sensors]
            return {
                quantity: np.stack([each[quantity] for each in readings], axis=1)
                for quantity in QUANTITIES[self._kind]
            }
        self._flush()
        now = self._simulator.time
        if now is not self._read_at:
            self._shown, self._read_at = self._together.read_together(self.names), now
        return self._shown


class WorldSensors(PerWorld, Mapping[str, Sensor]):
    """The sensors of a world by name, ``model::link::sensor``; see `World.sensors`.

    A sensor starts measuring when it is looked up for the first time, and costs nothing before.

    Example::

        world.sensors["robot::base::imu"].angular_velocity  # (W, 3)
        feet = world.sensors.select(["dog::left::touch", "dog::right::touch"])
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._sensors: dict[str, Sensor] = {}
        self._timed: tuple[Sensor, ...] = ()

    def __getitem__(self, name: str) -> Sensor:
        """Returns a sensor, which measures from now on.

        Raises:
            UnknownEntityError: No sensor has the name.
            UnsupportedError: The simulator does not offer sensors.
        """
        found = self._sensors.get(name)
        infos = port_of(self.world).infos
        if name not in infos:
            raise UnknownEntityError("sensor", name, infos)
        if found is None:
            found = self._sensors[name] = Sensor(self.world, name)
            self._timed = tuple(each for each in self._sensors.values() if each.is_timed)
        return found

    def select(self, names: Iterable[str]) -> SensorRows:
        """Returns several sensors of one kind, which measure from now on.

        Raises:
            UnknownEntityError: No sensor has the name.
            ValueError: The kinds differ, or no name is given.
            TypeError: `names` is a single str.
        """
        if isinstance(names, str):
            raise TypeError(f"select takes a list of sensors, got the str {names!r}")
        return SensorRows(self.world, [self[name] for name in names])

    def __iter__(self) -> Iterator[str]:
        port = self.world.simulator.sensors
        return iter(() if port is None else port.infos)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)

    def poll(self) -> None:
        """Polls the sensors with a rate or delay; called in each tick."""
        for sensor in self._timed:
            if sensor.name in sensor._port.infos:
                sensor.poll()

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Starts new episodes in some worlds."""
        for sensor in self._sensors.values():
            sensor.reset(worlds)

    def get_state(self) -> Any:
        """Returns the state of the sensors in use, by name, or None."""
        return {name: each.get_state() for name, each in self._sensors.items()} or None

    def set_state(self, state: Any) -> None:
        """Restores the result of `get_state`."""
        for name, each in self._sensors.items():
            if name not in state:
                each.reset(np.arange(len(self.world)))
        for name, kept in state.items():
            self[name].set_state(kept)

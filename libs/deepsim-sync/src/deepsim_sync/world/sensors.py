# SPDX-License-Identifier: Apache-2.0
"""The sensors of a world by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.current import PerWorld
from deepsim_sync.errors import UnknownEntityError

from .sensor import Passed, Sensor, port_of
from .sensor_rows import SensorRows

if TYPE_CHECKING:
    from .world import World


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
        self._passed = Passed()

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
            found = self._sensors[name] = Sensor(self.world, name, self._passed)
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

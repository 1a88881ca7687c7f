# SPDX-License-Identifier: Apache-2.0
"""Sensors of one kind that are read together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from numpy.typing import NDArray

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

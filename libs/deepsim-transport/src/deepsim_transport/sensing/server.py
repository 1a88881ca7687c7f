# SPDX-License-Identifier: Apache-2.0
"""Measures in a separate process, so that rendering does not delay the physics."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Any

import numpy as np

from deepsim_sync import SensorInfo, SensorKind
from deepsim_transport.rows import pack
from deepsim_transport.session import Transport

from .readings import sensor_topic
from .world_copy import OpenSimulator, WorldCopy

SEEING: frozenset[SensorKind] = frozenset(
    ("camera", "rgbd", "stereo", "segmentation", "lidar", "joint_state")
)
"""Kinds of sensors that depend only on poses and joint positions; others need the physics."""

_LOOK = 0.005  # time between two checks for changes of the world [s]


class SensorServer:
    """Measures with the cameras and lidars in the world of a `PhysicsServer`.

    Each sensor measures at its own rate of simulated time. The physics does not wait: the world
    continues while a picture is rendered, and the next picture shows a later instant.

    Args:
        transport: The session; its namespace is the name of the world.
        open_simulator: Opens the simulator that measures, such as `MujocoSimulator`.
        sensors: Names of sensors, ``model::link::sensor``; by default all cameras and lidars.

    Raises:
        NoAnswerError: No server answers for this world.
        SpawnError: The measuring simulator cannot build a model.

    >>> import threading
    >>> from deepsim_mujoco import MujocoSimulator
    >>> from deepsim_transport import PhysicsServer
    >>> transport = Transport(namespace="seen")  # needs a master
    >>> physics = PhysicsServer(MujocoSimulator(), transport)
    >>> threading.Thread(target=physics.run, daemon=True).start()  # in another process, elsewhere
    >>> with SensorServer(transport, MujocoSimulator) as server:
    ...     server.run_once()  # the names of the sensors that measured; or run(), without end
    ()
    >>> physics.stop()
    >>> transport.close()
    """

    def __init__(
        self,
        transport: Transport,
        open_simulator: OpenSimulator,
        sensors: Iterable[str] | None = None,
    ) -> None:
        self._transport = transport
        self._chosen = None if sensors is None else tuple(sensors)
        self._copy = WorldCopy(transport, open_simulator)
        self._publishers: dict[str, Any] = {}
        self._measured: dict[str, float] = {}
        self._stopped = threading.Event()

    def run_once(self, force: bool = True) -> tuple[str, ...]:
        """Measures and publishes once; returns the names of the sensors that measured.

        Args:
            force: Whether all sensors measure; otherwise only those that are due.
        """
        self._copy.follow()
        due = [name for name, info in self._infos().items() if force or self._is_due(name, info)]
        sensors = self._copy.simulator.sensors
        assert sensors is not None
        time = np.asarray(self._copy.time)
        for name in due:
            sensors.watch(name)
            reading = sensors.read(name)
            self._measured[name] = float(time[0])
            self._publisher(name).put(pack({"sensor": name}, {**reading, "time": time}))
        return tuple(due)

    def run(self) -> None:
        """Measures with the sensors that are due, until any thread calls `stop`."""
        while not self._stopped.is_set():
            if not self.run_once(force=False):
                self._stopped.wait(_LOOK)
        self._stopped.clear()

    def stop(self) -> None:
        """Ends `run` after its current round; if it is not running, ends the next `run` at once."""
        self._stopped.set()

    def close(self) -> None:
        """Stops measuring, and closes the measuring simulator."""
        self._copy.close()

    def __enter__(self) -> SensorServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _infos(self) -> dict[str, SensorInfo]:
        sensors = self._copy.simulator.sensors
        infos = {} if sensors is None else sensors.infos
        chosen = infos if self._chosen is None else self._chosen
        return {
            name: infos[name] for name in chosen if name in infos and infos[name].kind in SEEING
        }

    def _is_due(self, name: str, info: SensorInfo) -> bool:
        """Whether a sensor is due; after a reset of the world, all sensors are."""
        now, last = float(np.asarray(self._copy.time)[0]), self._measured.get(name)
        if last is None or now < last:
            return True
        if info.update_rate == 0.0:
            return now > last
        return now - last >= 1.0 / info.update_rate - 1e-9

    def _publisher(self, name: str) -> Any:
        if name not in self._publishers:
            self._publishers[name] = self._transport.declare("publisher", sensor_topic(name))
        return self._publishers[name].declared

# SPDX-License-Identifier: Apache-2.0
"""Runs cameras and lidars in a separate process, which gets the world's state from topics."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Protocol

import numpy as np

from deepsim_spawn import WorldDescription
from deepsim_sync import (
    Cells,
    Changes,
    Entities,
    Key,
    Reading,
    SensorInfo,
    Sensors,
    Simulator,
    SpawnRequest,
    UnknownEntityError,
)

from .physics import FollowedSimulator
from .readings import VISUAL_KINDS, SensorTopics
from .session import Transport

_PLACES: tuple[Key, ...] = (("models", "pose"), ("joints", "position"))


class OpenSimulator(Protocol):
    """A function or class that opens a simulator, such as ``MujocoSimulator``."""

    def __call__(self, world: WorldDescription, /, *, worlds: int) -> Simulator:
        """Returns a new simulator of W worlds with the same description."""
        ...


class LocalSensors:
    """The sensors of a local simulator with the models of another process at their current poses.

    Args:
        open_simulator: Opens the local simulator, which makes no steps.
    """

    def __init__(self, open_simulator: OpenSimulator) -> None:
        self._open = open_simulator
        self._entities: Entities | None = None
        self._simulator: Simulator | None = None

    @property
    def infos(self) -> Mapping[str, SensorInfo]:
        """The sensors by name."""
        return self._sensors.infos

    def watch(self, name: str) -> None:
        """Prepares a sensor for `read`."""
        self._sensors.watch(name)

    def read(self, name: str) -> Reading:
        """Measures with a sensor, without noise."""
        self._sensors.watch(name)  # the simulator may be new
        return self._sensors.read(name)

    @property
    def _sensors(self) -> Sensors:
        assert self._simulator is not None
        assert self._simulator.sensors is not None
        return self._simulator.sensors

    def follow(self, other: FollowedSimulator) -> None:
        """Moves all models to where they are in the other process."""
        if other.entities is not self._entities:
            self.close()
            self._simulator = self._built(other)
            self._entities = other.entities
        assert self._simulator is not None
        there, here = other.entities, self._simulator.entities
        cells = {}
        for kind, column in _PLACES:
            known = [name for name in there.names(kind) if name in here.names(kind)]
            if kind == "models":
                known = [name for name in known if "::" not in name]  # nested models move along
            if known:
                values = other.published[kind, column].take(there.names(kind).rows(known), axis=1)
                worlds, count = values.shape[:2]
                cells[kind, column] = Cells(
                    np.repeat(np.arange(worlds), count),
                    np.tile(here.names(kind).rows(known), worlds),
                    values.reshape(-1, *values.shape[2:]),
                )
        self._simulator.write(Changes(here.generation, cells))

    def close(self) -> None:
        """Closes the local simulator."""
        if self._simulator is not None:
            self._simulator.close()

    def _built(self, other: FollowedSimulator) -> Simulator:
        """Opens a simulator with the models and lights of the other process."""
        described, names = other.descriptions, other.entities.models
        world = WorldDescription(lights=tuple(described.lights.values()))
        simulator = self._open(world, worlds=other.worlds)
        poses = other.published["models", "pose"]
        simulator.spawn(
            [
                SpawnRequest(model, name, poses[:, names.row(name)])
                for name, model in described.models.items()
                if name in names
            ]
        )
        return simulator


class SensingSimulator(FollowedSimulator):
    """Follows the world of a `PhysicsServer`, and measures in a local engine.

    Args:
        transport: The session; its namespace is the name of the world.
        open_simulator: Opens the local simulator.

    Raises:
        NoAnswerError: No server answers for this world.
        SpawnError: The local simulator cannot build a model.
    """

    def __init__(self, transport: Transport, open_simulator: OpenSimulator) -> None:
        self._local = LocalSensors(open_simulator)
        super().__init__(transport, patience=0.02)

    def close(self) -> None:
        """Stops following, and closes the local simulator."""
        super().close()
        self._local.close()

    def _connect(self) -> None:
        super()._connect()
        self.sensors = self._local

    def _adopt(self) -> None:
        super()._adopt()
        self._local.follow(self)


class SensorServer:
    """Measures with the cameras and lidars in the world of a `PhysicsServer`.

    Each sensor measures at its own rate of simulated time. The physics does not wait: the world
    continues while a picture is rendered, and the next picture shows a later instant.

    Args:
        transport: The session; its namespace is the name of the world.
        open_simulator: Opens the simulator that measures, such as `MujocoSimulator`.
        sensors: Names of sensors, ``model::link::sensor``; by default all cameras and lidars.
        seed: Seed of the noise; world w has ``seed + w``.

    Raises:
        NoAnswerError: No server answers for this world.
        UnknownEntityError: No camera or lidar has one of the names.
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
        *,
        seed: int = 0,
    ) -> None:
        self._followed = SensingSimulator(transport, open_simulator)
        self._topics = SensorTopics(
            transport, self._followed, VISUAL_KINDS, sensors, always=True, seed=seed
        )
        self._stopped = threading.Event()
        known = [*self._topics.infos()]
        for name in () if sensors is None else self._topics.missing():
            self.close()
            raise UnknownEntityError("camera or lidar", name, known)

    def run_once(self, force: bool = True) -> tuple[str, ...]:
        """Follows the world, measures and publishes once.

        Args:
            force: Whether all sensors measure; otherwise only those that are due.

        Returns:
            The names of the sensors with a new measurement.
        """
        rates = [each.update_rate for each in self._topics.infos().values()]
        self._followed.follow_at(max(rates, default=0.0))
        self._followed.step()
        return self._topics.publish(force=force)

    def run(self) -> None:
        """Measures with the sensors that are due, until any thread calls `stop`."""
        while not self._stopped.is_set():
            self.run_once(force=False)
        self._stopped.clear()

    def stop(self) -> None:
        """Ends `run` after its current round; if it is not running, ends the next `run` at once."""
        self._stopped.set()

    def close(self) -> None:
        """Stops measuring, and closes the measuring simulator."""
        self._topics.close()
        self._followed.close()

    def __enter__(self) -> SensorServer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

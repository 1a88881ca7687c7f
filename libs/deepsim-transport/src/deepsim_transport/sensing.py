# SPDX-License-Identifier: Apache-2.0
"""Runs sensors in a separate process, which gets the world's state from topics."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deepsim_spawn import WorldDescription
from deepsim_sync import (
    Cells,
    Changes,
    Entities,
    Key,
    Reading,
    SensorInfo,
    SensorKind,
    Simulator,
    SpawnRequest,
)

from .errors import MessageError
from .physics import RemoteSimulator, WorldMirror
from .rows import pack, unpack
from .session import Transport

SEEING: frozenset[SensorKind] = frozenset(
    ("camera", "rgbd", "stereo", "segmentation", "lidar", "joint_state")
)
"""Kinds of sensors that depend only on poses and joint positions; others need the physics."""

_LOOK = 0.005  # time between two checks for changes of the world [s]
_PLACES: tuple[Key, ...] = (("models", "pose"), ("joints", "position"))


def sensor_topic(sensor: str) -> str:
    """Returns the topic of a sensor with the name ``model::link::sensor``."""
    return f"sensors/{sensor.replace('::', '/')}"


class Readings:
    """Receives the measurements of one sensor from a `SensorServer`; only the latest is kept.

    Args:
        transport: The session; its namespace is the name of the world.
        sensor: The sensor's name, ``model::link::sensor``.

    Attributes:
        malformed: The number of measurements that could not be read and were dropped.

    >>> with Transport(namespace="lab") as transport:  # needs a master
    ...     with Readings(transport, "car::chassis::lidar") as readings:
    ...         readings.latest() is None  # nobody has measured yet
    True
    """

    def __init__(self, transport: Transport, sensor: str) -> None:
        self.malformed = 0
        self._waiting: deque[bytes] = deque(maxlen=1)
        self._subscriber = transport.declare(
            "subscriber",
            sensor_topic(sensor),
            lambda sample: self._waiting.append(sample.payload.to_bytes()),
        )

    def latest(self) -> tuple[NDArray[np.float64], Reading] | None:
        """Returns simulated times (W,) [s] and quantities of a new measurement, or None."""
        try:
            frame = unpack(self._waiting.popleft())
            arrays = {name: each.copy() for name, each in frame.arrays.items()}
            return arrays.pop("time"), arrays
        except IndexError:
            return None
        except (MessageError, KeyError):
            self.malformed += 1
            return None

    def close(self) -> None:
        """Stops listening."""
        self._subscriber.undeclare()

    def __enter__(self) -> Readings:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class OpenSimulator(Protocol):
    """A function or class that opens a simulator, such as ``MujocoSimulator``."""

    def __call__(self, world: WorldDescription, /, *, worlds: int) -> Simulator:
        """Returns a new simulator of W worlds with the same description."""
        ...


class WorldCopy:
    """A local simulator with the models of another process's world, at their current poses.

    The local simulator makes no steps.

    Args:
        transport: The session; its namespace is the name of the world.
        open_simulator: Opens the local simulator.

    Attributes:
        simulator: The local simulator; replaced when models are added or removed.

    Raises:
        NoAnswerError: No server answers for this world.
        SpawnError: The local simulator cannot build a model.
    """

    def __init__(self, transport: Transport, open_simulator: OpenSimulator) -> None:
        self._transport, self._open = transport, open_simulator
        self._mirror = WorldMirror(transport)
        self._entities: Entities | None = None
        self.simulator: Simulator
        self._build()

    @property
    def time(self) -> np.ndarray:
        """Simulated time of the copied state, (W,) [s]."""
        return self._mirror.time

    def follow(self) -> bool:
        """Moves all models to their current poses; returns whether anything changed."""
        if not self._mirror.update():
            return False
        if self._mirror.tables.entities is not self._entities:
            self.simulator.close()
            self._build()
        self._put()
        return True

    def close(self) -> None:
        """Closes the local simulator, and stops listening."""
        self._mirror.close()
        self.simulator.close()

    def _build(self) -> None:
        """Opens a local simulator with the models and lights of the other world."""
        described = RemoteSimulator(self._transport).descriptions
        tables = self._mirror.tables
        world = WorldDescription(lights=tuple(described.lights.values()))
        self.simulator = self._open(world, worlds=tables.worlds)
        names = tables.entities.models
        poses = tables.models.pose
        requests = [
            SpawnRequest(model, name, poses[:, names.row(name)])
            for name, model in described.models.items()
            if name in names
        ]
        self.simulator.spawn(requests)
        self._entities = tables.entities
        self._put()

    def _put(self) -> None:
        there, here = self._mirror.tables, self.simulator.entities
        cells = {}
        for kind, column in _PLACES:
            known = [name for name in there.entities.names(kind) if name in here.names(kind)]
            if kind == "models":
                known = [name for name in known if "::" not in name]  # nested models move along
            if known:
                rows = there.entities.names(kind).rows(known)
                values = there.columns[kind, column].take(rows, axis=1)
                count = len(known)
                cells[kind, column] = Cells(
                    np.repeat(np.arange(there.worlds), count),
                    np.tile(here.names(kind).rows(known), there.worlds),
                    values.reshape(-1, *values.shape[2:]),
                )
        self.simulator.write(Changes(here.generation, cells))


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

    def __exit__(self, *error: object) -> None:
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

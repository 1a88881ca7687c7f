# SPDX-License-Identifier: Apache-2.0
"""Topics of sensors: a process publishes measurements, and others receive them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import SENSOR_KINDS, Reading, SensorInfo, SensorKind, Simulator, World

from .errors import MessageError
from .rows import pack, unpack
from .session import Participant, Transport

VISUAL_KINDS: frozenset[SensorKind] = frozenset(
    ("camera", "rgbd", "stereo", "segmentation", "lidar")
)
"""Kinds of sensors that depend only on poses."""
PHYSICS_KINDS: frozenset[SensorKind] = frozenset(SENSOR_KINDS) - VISUAL_KINDS
"""Kinds of sensors that need the physics."""


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


class SensorTopics:
    """Publishes the measurements of a simulator's sensors, each on its own topic.

    They have the rates, delays and noise of the sensors of a `World`.

    Args:
        transport: The session; its namespace is the name of the world.
        simulator: The simulator, which somebody else steps.
        kinds: The kinds of sensors to publish.
        chosen: Names of sensors, ``model::link::sensor``; by default all of these kinds.
        always: Whether sensors measure even while nobody listens to their topics.
        seed: Seed of the noise; world w has ``seed + w``.
    """

    def __init__(
        self,
        transport: Transport,
        simulator: Simulator,
        kinds: frozenset[SensorKind],
        chosen: Iterable[str] | None = None,
        *,
        always: bool,
        seed: int = 0,
    ) -> None:
        self._transport, self._always = transport, always
        self._kinds, self._chosen = kinds, None if chosen is None else tuple(chosen)
        self._world = World(simulator, seed=seed)  # never ticked: for its sensors
        self._time = simulator.time
        self._infos: object = None
        self._participants: dict[str, Participant] = {}
        self._heard: tuple[str, ...] = ()
        self._sent: dict[str, NDArray[np.float64]] = {}

    def infos(self) -> dict[str, SensorInfo]:
        """Returns the published sensors of the present models."""
        sensors = self._world.simulator.sensors
        infos = {} if sensors is None else sensors.infos
        chosen = infos if self._chosen is None else self._chosen
        return {
            name: infos[name]
            for name in chosen
            if name in infos and infos[name].kind in self._kinds
        }

    def missing(self) -> tuple[str, ...]:
        """Returns the chosen names that no sensor of these kinds has at present."""
        return tuple(name for name in self._chosen or () if name not in self.infos())

    def listen(self) -> None:
        """Finds out which sensors somebody listens to."""
        self._declare()
        self._heard = tuple(
            name
            for name, each in self._participants.items()
            if self._always or each.declared.matching_status.matching
        )

    def publish(self, *, force: bool = False) -> tuple[str, ...]:
        """Publishes the measurements that have arrived since the last call.

        Args:
            force: Whether all sensors measure now, even those that are not due.

        Returns:
            The names of the sensors with a new measurement.
        """
        sensors = self._world.simulator.sensors
        if sensors is not None and sensors.infos is not self._infos:
            self.listen()
        now = self._world.simulator.time
        restarted, self._time = np.flatnonzero(now < self._time), now
        if not self._heard:
            return ()
        self._world.claim()
        if len(restarted):
            self._world.sensors.reset(restarted)
        return tuple(name for name in self._heard if self._publish(name, force))

    def close(self) -> None:
        """Ends the topics."""
        for participant in self._participants.values():
            participant.undeclare()
        self._participants, self._heard = {}, ()

    def _declare(self) -> None:
        """Declares topics for sensors that came, and ends those of sensors that are gone."""
        sensors, infos = self._world.simulator.sensors, self.infos()
        self._infos = None if sensors is None else sensors.infos
        for name in set(self._participants) - set(infos):
            self._participants.pop(name).undeclare()
            self._sent.pop(name, None)
        for name in infos:
            if name not in self._participants:
                participant = self._transport.declare("publisher", sensor_topic(name))
                self._participants[name] = participant

    def _publish(self, name: str, force: bool) -> bool:
        sensor = self._world.sensors[name]
        reading = sensor.measure() if force else sensor.read()
        instants = self._world.time if force else sensor.time
        if not force and np.array_equal(instants, self._sent.get(name, ())):
            return False
        self._sent[name] = instants
        self._participants[name].declared.put(pack({"sensor": name}, {**reading, "time": instants}))
        return True

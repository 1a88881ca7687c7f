# SPDX-License-Identifier: Apache-2.0
"""Serves a simulator: answers calls of other processes, runs it, and publishes changes."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_spawn import GazeboXMLLoader
from deepsim_sync import Kind, SimulationError, Simulator, Tables, World
from deepsim_transport.errors import MessageError
from deepsim_transport.messages import (
    EntityState,
    Point,
    Pose,
    Quaternion,
    Time,
    Twist,
    WorldControl,
    WorldState,
    WorldStatistics,
    Wrench,
)
from deepsim_transport.readings import PHYSICS_KINDS, SensorTopics
from deepsim_transport.rows import unpack
from deepsim_transport.session import Transport

from .calls import Calls, checked_steps
from .commands import Commands, answered
from .driver import Driver, WorldDriver
from .followed import CONTROL
from .remote import ASK, CALL
from .updates import COLUMNS, STATE, Updates


class WorldTopic:
    """Publishes a `WorldState` of the first world whenever a subscriber comes.

    Args:
        transport: The session; its namespace is the name of the world.
        driver: Drives the simulator, and holds wrenches.
        gravity: Gravity of a simulator that does not tell its own [m/s^2], (3,).
    """

    def __init__(self, transport: Transport, driver: Driver, gravity: Sequence[float]) -> None:
        own = driver.simulator.descriptions.gravity
        self._driver, self._gravity = driver, Point(*map(float, own or gravity))
        self._publisher = transport.advertise(STATE, WorldState)
        self._came = threading.Event()
        self._watch = transport.watch_subscribers(STATE, self._came.set)

    @property
    def is_asked(self) -> bool:
        """Whether a subscriber has come since the last `publish`."""
        return self._came.is_set()

    def publish(self, statistics: WorldStatistics) -> None:
        """Publishes the present state."""
        self._came.clear()
        simulator = self._driver.simulator
        states = (*self._states("models"), *self._states("links"))
        self._publisher.publish(
            WorldState(states, statistics, self._gravity, float(simulator.timestep))
        )

    def close(self) -> None:
        """Ends the topic."""
        self._watch.undeclare()

    def _states(self, kind: Kind) -> Iterator[EntityState]:
        simulator = self._driver.simulator
        tables = Tables(simulator.entities, simulator.worlds)
        simulator.read(tables, [key for key in COLUMNS if key[0] == kind])
        poses, twists = tables.columns[kind, "pose"][0], tables.columns[kind, "twist"][0]
        for name, pose, twist in zip(simulator.entities.names(kind), poses, twists, strict=True):
            held = self._driver.held(name) if kind == "links" else np.zeros(6)
            yield EntityState(
                name,
                Pose(_point(pose[:3]), Quaternion(*pose[3:].tolist())),
                Twist(_point(twist[:3]), _point(twist[3:])),
                Wrench(_point(held[:3]), _point(held[3:])),
            )


def _point(values: NDArray[np.float64]) -> Point:
    return Point(*values.tolist())


STATISTICS = "world_stats"
STATISTICS_RATE = 5.0
"""Rate at which the statistics are published, as in Gazebo [Hz]."""
_IDLE = 0.05  # longest wait for a request while the physics is paused [s]
_BACKLOG = 256  # waiting requests; further ones are refused, so clients cannot fill the memory
_LOG = logging.getLogger(__name__)


class PhysicsServer:
    """Lets other processes use a simulator, and publishes its changes.

    The topics are below ``/gazebo/NAMESPACE/``: ``call`` executes calls of a `RemoteSimulator`,
    ``ask`` only those that change nothing, and ``state`` returns the whole state. The server
    publishes changed rows on ``entity_state_update``, clocks on ``world_stats``, and a `WorldState`
    on ``state`` whenever somebody subscribes to it. ``control``
    takes a `WorldControl`; ``set_entity_state``, ``set_entity_prop``, ``set_joint_state``,
    ``set_joint_property`` and ``insert_entity`` take commands from `Transport.command`. Sensors
    that need the physics, such as IMUs and contacts, are measured while somebody listens to their
    topics; a `SensorServer` measures with all others.

    Only the thread that calls `run` or `run_once` uses the simulator. If the physics diverges in
    `run`, it is paused and an error is logged; after a reset, a `WorldControl` resumes it.

    Args:
        served: A simulator of any engine and with any number of worlds; or a world, whose
            behaviours and trackers run as it is stepped; or a driver, such as one of an
            environment. Closing the server closes none of them.
        transport: The session; its namespace is the name of the world.
        steps: The number of physics steps in `run_once`; by default 1, or those of the world.
        speed: The speed of `run`, in simulated seconds per second; None for as fast as possible.
        rate: Highest rate at which changed rows are published [Hz].
        paused: Whether the physics is paused at first.
        loader: Reads the models that other processes spawn; by default with the search path of
            this process.
        gravity: Gravity in a `WorldState` of a simulator that does not tell its own [m/s^2].

    Attributes:
        simulator: The served simulator, or that of the served world.
        malformed: The number of requests that could not be read and were refused.

    >>> from deepsim_mujoco import MujocoSimulator
    >>> with Transport(namespace="lab") as transport:  # needs a master
    ...     with PhysicsServer(MujocoSimulator(), transport, steps=10) as server:
    ...         server.run_once()  # or run(), without end
    ...         round(server.simulator.time[0] / server.simulator.timestep)
    10
    """

    def __init__(
        self,
        served: Simulator | World | Driver,
        transport: Transport,
        *,
        steps: int | None = None,
        speed: float | None = None,
        rate: float = 30.0,
        paused: bool = False,
        loader: GazeboXMLLoader | None = None,
        gravity: Sequence[float] = (0.0, 0.0, -9.8),
    ) -> None:
        self._driver = driver = _driver(served)
        steps = driver.steps if steps is None else steps
        if steps < 1 or rate <= 0.0 or (speed is not None and speed <= 0.0):
            raise ValueError(f"steps, rate and speed are > 0, got {steps}, {rate}, {speed}")
        self.simulator = simulator = driver.simulator
        self.malformed = 0
        self._steps, self._speed, self._pause = steps, speed, 1.0 / rate
        loader = loader or GazeboXMLLoader()
        self._calls = Calls(driver, loader)
        self._updates = Updates(simulator, transport)
        self._sensors = SensorTopics(transport, simulator, PHYSICS_KINDS, always=False)
        self._world = WorldTopic(transport, driver, gravity)
        self._rate, self._beat = 0.0, -1  # of a mirror that wants states at a rate [Hz]
        self.paused = paused
        self._statistics = transport.advertise(STATISTICS, WorldStatistics)
        self._waiting: SimpleQueue[Any] = SimpleQueue()
        answers: dict[str, Callable[[bytes], bytes]] = {
            CALL: self._answer_call,
            ASK: self._answer_ask,
            STATE: self._answer_state,
            CONTROL: self._control,
            **Commands(driver, loader).topics,
        }
        self._topics = {transport.key(name): answer for name, answer in answers.items()}
        self._queryables = [transport.declare("queryable", name, self._hear) for name in answers]
        self._iterations = 0
        self._stopped = threading.Event()
        self._start = self._published = self._counted = time.monotonic()
        self._rested = 0.0

    @property
    def paused(self) -> bool:
        """Whether the physics is paused; this is published to all followers."""
        return self._updates.paused

    @paused.setter
    def paused(self, paused: bool) -> None:
        self._updates.paused = paused

    def run_once(self) -> None:
        """Answers all waiting requests, makes steps unless paused, and publishes the changes."""
        self._answer_all()
        if not self.paused:
            try:
                self._advance(self._steps)
            except SimulationError as error:
                _LOG.error("the physics rests: %s", error)
                self.paused = True
        self._publish()

    def run(self) -> None:
        """Runs until any thread calls `stop`; a served world then belongs to this thread."""
        self._driver.claim()
        due = time.monotonic()
        while not self._stopped.is_set():
            if self.paused:
                before = time.monotonic()
                self._rest(_IDLE)
                due = time.monotonic()
                self._rested += due - before
            elif self._speed is not None:
                due = max(due, time.monotonic() - _IDLE)  # long delays are not caught up
                self._rest(due - time.monotonic())
                due += self._steps * self.simulator.timestep / self._speed
            self.run_once()
        self._stopped.clear()

    def stop(self) -> None:
        """Ends `run` after its current round; if it is not running, ends the next `run` at once."""
        self._stopped.set()
        self._waiting.put(None)

    def close(self) -> None:
        """Stops answering requests."""
        for queryable in self._queryables:
            queryable.undeclare()
        self._queryables.clear()
        self._sensors.close()
        self._world.close()

    def __enter__(self) -> PhysicsServer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _hear(self, query: Any) -> None:
        if self._waiting.qsize() < _BACKLOG:
            self._waiting.put(query)
            return
        with query:  # zenoh's own thread
            query.reply_err(f"busy: {_BACKLOG} requests wait".encode())

    def _advance(self, steps: int) -> None:
        self._driver.step(steps)
        self._iterations += steps

    def _rest(self, seconds: float) -> None:
        """Waits for some time; if a request arrives meanwhile, answers it and returns."""
        if seconds <= 0.0:
            return
        try:
            query = self._waiting.get(timeout=seconds)
        except Empty:
            return
        self._answer(query)

    def _answer_all(self) -> None:
        while True:
            try:
                query = self._waiting.get_nowait()
            except Empty:
                return
            self._answer(query)

    def _answer(self, query: Any) -> None:
        if query is None:  # from `stop`
            return
        with query:
            payload = b"" if query.payload is None else query.payload.to_bytes()
            try:
                answer = self._act(str(query.key_expr))(payload)
            except MessageError as error:
                self.malformed += 1
                query.reply_err(str(error).encode())
            except Exception as error:  # Sent to the process that asks; the server continues.
                query.reply_err(f"{type(error).__name__}: {error}".encode())
            else:
                self._sensors.publish()  # those that are due now: the next request may step again
                query.reply(query.key_expr, answer)

    def _act(self, key: str) -> Callable[[bytes], bytes]:
        if key not in self._topics:  # a pattern that matches several topics
            raise MessageError(f"one topic is asked at a time, got {key!r}")
        return self._topics[key]

    def _answer_call(self, payload: bytes) -> bytes:
        return self._calls.answer(unpack(payload))

    def _answer_ask(self, payload: bytes) -> bytes:
        return self._calls.answer(unpack(payload), looking=True)

    def _answer_state(self, payload: bytes) -> bytes:
        rate = unpack(payload).header.get("rate", 0.0) if payload else 0.0
        if not isinstance(rate, (int, float)) or not math.isfinite(rate) or rate < 0.0:
            raise MessageError(f"a rate is a finite number >= 0, got {rate!r}")
        self._rate = max(self._rate, rate)
        return self._updates.whole()

    def _control(self, payload: bytes) -> bytes:
        return answered(WorldControl, self._obey, payload)

    def _obey(self, asked: WorldControl) -> None:
        steps = checked_steps(asked.steps) if asked.steps else 0
        self.paused = asked.pause
        if steps:
            self._advance(steps)

    def _publish(self) -> None:
        self._sensors.publish()
        now, seconds = time.monotonic(), float(self.simulator.time[0])
        beat = math.floor(seconds * self._rate + 1e-9)
        if beat != self._beat or now - self._published >= self._pause:
            self._published, self._beat = now, beat
            if not self._updates.publish():
                self._rate = 0.0
        if now - self._counted >= 1.0 / STATISTICS_RATE:
            self._counted = now
            self._sensors.listen()
            self._statistics.publish(self._now(now))
        if self._world.is_asked:
            self._world.publish(self._now(now))

    def _now(self, now: float) -> WorldStatistics:
        return WorldStatistics(
            sim_time=Time.of(float(self.simulator.time[0])),
            pause_time=Time.of(self._rested),
            real_time=Time.of(now - self._start),
            iterations=self._iterations,
            model_count=len(self.simulator.entities.models),
        )


def _driver(served: Simulator | World | Driver) -> Driver:
    if isinstance(served, Driver):
        return served
    return WorldDriver(served) if isinstance(served, World) else Driver(served)

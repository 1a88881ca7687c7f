# SPDX-License-Identifier: Apache-2.0
"""The port on a world that is heard on topics."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from deepsim_ros2.errors import Ros2Error
from deepsim_sync import (
    ALL_COLUMNS,
    Cells,
    Changes,
    Descriptions,
    Entities,
    Key,
    Reading,
    Refusal,
    Seeds,
    SensorInfo,
    Sensors,
    Simulator,
    SpawnRequest,
    Tables,
    UnsupportedError,
    WorldNumbers,
)

State = Mapping[Key, Mapping[str, Any]]
"""Values by column and row, such as poses of models by name."""

STATE = ("pose", "twist", "position", "velocity")
"""The columns that are heard."""
_UNMOVED = "on topics it moves by cmd_vel and joint_command alone"


class Link(Protocol):
    """What a `FollowedSimulator` follows."""

    @property
    def time(self) -> float:
        """The latest instant that is heard completely, since the episode began [s]."""
        ...

    @property
    def sensors(self) -> Collection[str]:
        """The names of the sensors that are heard."""
        ...

    def advance(self, duration: float) -> None:
        """Sends the commands of the engine, then waits until time has advanced [s]."""
        ...

    def restart(self) -> None:
        """Begins an episode."""
        ...

    def state(self) -> State:
        """Returns what is heard of models and joints."""
        ...

    def measurement(self, sensor: str) -> Reading:
        """Returns the latest measurement of a sensor, (1, ...)."""
        ...

    def close(self) -> None:
        """Stops the robots, and ends the node."""
        ...


class FollowedSimulator:
    """A task's world that shows what is heard of a simulation elsewhere, and sends commands to it.

    The embedded engine has the entities of the task, and kinematics; it makes no steps. Once the
    world follows a `Link`, every `read` first puts models and joints where they are heard, `step`
    waits until the other simulation has advanced, and targets of joints go to the robots. What is
    not heard stays where the task put it.

    Args:
        engine: The embedded engine with one world.

    Attributes:
        engine: The embedded engine.
    """

    worlds = 1
    snapshots = None

    def __init__(self, engine: Simulator) -> None:
        if engine.worlds != 1:
            raise UnsupportedError(f"topics are those of one world, got {engine.worlds}")
        self.engine = engine
        self._link: Link | None = None
        self._state: State = {}
        self._is_old = False
        self._time = engine.time
        self.timestep = engine.timestep
        self.sensors = None if engine.sensors is None else HeardSensors(engine.sensors)
        self.cameras, self.depth_cameras = engine.cameras, engine.depth_cameras
        self.camera_mounts, self.contacts = engine.camera_mounts, engine.contacts
        self.dynamics, self.physics = engine.dynamics, engine.physics

    def follow(self, link: Link, *, lockstep: bool) -> None:
        """Follows another simulation from now on; pictures and contacts are not available then.

        Args:
            link: The link.
            lockstep: Whether all of each instant is heard, so that sensors have their own rates.
        """
        self._link, self._is_old = link, True
        self.cameras = self.depth_cameras = self.camera_mounts = self.contacts = None
        if self.sensors is not None:
            self.sensors.follow(link, lockstep=lockstep)

    @property
    def entities(self) -> Entities:
        """Names of all entities of the task."""
        return self.engine.entities

    @property
    def descriptions(self) -> Descriptions:
        """The descriptions of the models of the task."""
        return self.engine.descriptions

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time of the latest instant that was heard, since the reset, (1,) [s]."""
        return self._time

    # Time

    def step(
        self, n: int = 1, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Sends commands, then waits until the other simulation has advanced by n steps.

        Raises:
            UnreachableError: It does not advance, or a topic falls silent.
        """
        if self._link is None:
            refusals = self.engine.step(n, worlds, changes)
            self._time = self.engine.time
            return refusals
        refusals = () if changes is None else self._refused(changes) or self.write(changes)
        if not refusals and (worlds is None or len(worlds)):
            self._link.advance(n * self.timestep)
            self._time, self._is_old = np.array([self._link.time]), True
        return refusals

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Begins an episode: the first one as the other simulation is, others by its reset."""
        if worlds is not None and not len(worlds):
            return
        self.engine.reset(worlds, seeds)
        if self._link is None:
            self._time = self.engine.time
            return
        self._link.restart()
        self._time, self._is_old = np.zeros(1), True

    # Rows

    def read(self, tables: Tables, columns: Collection[Key] = ALL_COLUMNS) -> None:
        """Fills columns of the tables: those of the engine, where it puts what is heard."""
        if self._link is not None and self._is_old:
            self._state = self._link.state()
            self._put(self._state)
            self._is_old = False
        self.engine.read(tables, columns)
        efforts = self._state.get(("joints", "effort"), {})
        if efforts and ("joints", "effort") in columns:
            rows = tables.entities.joints.rows([*efforts])
            tables.joints.effort[0, rows] = [*efforts.values()]

    def _refused(self, changes: Changes) -> Sequence[Refusal]:
        """Returns the changes that move in a step what only commands can move."""
        heard = {("models", name) for name in self._state.get(("models", "pose"), ())}
        heard |= {("joints", name) for name in self._state.get(("joints", "position"), ())}
        found = []
        for (kind, column), cells in changes.cells.items():
            if kind not in ("links", "actuators") and column not in STATE:
                continue
            for row in cells.rows:
                name = self.entities.names(kind)[int(row)]
                if kind in ("links", "actuators") or (kind, name) in heard:
                    found.append(Refusal(kind, column, name, _UNMOVED))
        return found

    def _put(self, state: State) -> None:
        """Puts models and joints of the engine where they are heard."""
        cells = {}
        for (kind, column), values in state.items():
            if values and column != "effort":
                rows = self.entities.names(kind).rows([*values])
                cells[kind, column] = Cells(
                    np.zeros(len(rows), np.intp), rows, np.array([*values.values()])
                )
        if cells:
            refused = self.engine.write(Changes(self.entities.generation, cells))
            if refused:
                raise Ros2Error(f"what is heard is impossible for the task's model: {refused[0]}")

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies changes to the engine; models and joints that are heard stay where they are."""
        self._is_old = self._link is not None
        return self.engine.write(changes)

    # Entities

    def spawn(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds models to the task's world, before it follows."""
        self._require_alone()
        self.engine.spawn(requests)

    def delete(self, name: str) -> None:
        """Removes a model of the task's world, before it follows."""
        self._require_alone()
        self.engine.delete(name)

    def _require_alone(self) -> None:
        if self._link is not None:
            raise UnsupportedError("models of a world that is heard on topics are fixed")

    def close(self) -> None:
        """Stops the robots, and ends node and engine."""
        if self._link is not None:
            self._link.close()
        self.engine.close()


class HeardSensors:
    """Sensors that are heard on topics, once their world follows.

    Noise is that of the measurements that are heard; rate and delay as well, except in lock-step,
    where measurements of every step are heard.
    """

    def __init__(self, engine: Sensors) -> None:
        self._engine = engine
        self._link: Link | None = None
        self._infos: Mapping[str, SensorInfo] = {}
        self.watched: dict[str, None] = {}

    def follow(self, link: Link, *, lockstep: bool) -> None:
        """Reads the sensors of a link from now on; see `FollowedSimulator.follow`."""
        self._link = link
        self._infos = {
            name: replace(info, noise={})
            if lockstep
            else replace(info, update_rate=0.0, delay=0.0, noise={})
            for name, info in self._engine.infos.items()
        }

    @property
    def infos(self) -> Mapping[str, SensorInfo]:
        """All sensors by name."""
        return self._engine.infos if self._link is None else self._infos

    def watch(self, name: str) -> None:
        """Starts a sensor, which must be before the world follows."""
        self._engine.watch(name)
        if self._link is not None and name not in self._link.sensors:
            raise UnsupportedError(
                f"the task must use the sensor {name!r} before it acts on topics"
            )
        self.watched[name] = None

    def read(self, name: str) -> Reading:
        """Returns the latest measurement, (1, ...)."""
        if self._link is None:
            return self._engine.read(name)
        return self._link.measurement(name)

# SPDX-License-Identifier: Apache-2.0
"""Implements the port `Simulator` on a physics process that does not wait for its callers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import (
    ALL_COLUMNS,
    Changes,
    Descriptions,
    Entities,
    Key,
    Refusal,
    Seeds,
    Sensors,
    SpawnRequest,
    Tables,
    WorldNumbers,
)
from deepsim_transport.errors import NoAnswerError, TransportError
from deepsim_transport.messages import WorldControl
from deepsim_transport.rows import names_of
from deepsim_transport.session import Transport
from deepsim_transport.session.transport import TIMEOUT

from .remote import RemoteSimulator
from .updates import COLUMNS, WorldMirror

CONTROL = "control"
"""The topic that takes a `WorldControl`: pause, resume and steps."""


class FollowedSimulator:
    """A simulator that follows the world of a `PhysicsServer`, which does not wait for it.

    `step` makes no physics steps: it waits for the next state that the server publishes. A `World`
    with this simulator thus ticks at each new state, and so do its managers, a viewer or a
    recorder. Poses, twists and joints come from one published instant; other columns are
    requested when they are read. Changes, spawning and resets are sent to the server, which never
    waits for a follower.

    If the server ends, time stands still until a server of the same name starts; the entities of
    the new server then replace the former ones.

    Args:
        transport: The session; its namespace is the name of the server's world.
        patience: Longest time that `step` waits for a new state [s]; a world ticks at least this
            often, even while the physics is paused.
        timeout: Longest time to wait for an answer [s].

    Attributes:
        worlds: The number of worlds, W.
        entities: The names of all entities.
        cameras: Pictures. This and the other capabilities are those of a `RemoteSimulator`: they
            measure at the present time of the server, not at `time`.
        snapshots: None, because snapshots cannot be sent to other processes.

    Raises:
        NoAnswerError: No server answers for this world.

    >>> import threading
    >>> from deepsim_mujoco import MujocoSimulator
    >>> from deepsim_sync import World
    >>> from deepsim_transport import PhysicsServer
    >>> transport = Transport(namespace="followed")  # needs a master
    >>> server = PhysicsServer(MujocoSimulator(), transport)
    >>> threading.Thread(target=server.run, daemon=True).start()  # in another process, elsewhere
    >>> world = World(FollowedSimulator(transport))
    >>> world.tick()  # waits for the next state, and shows it
    >>> len(world)
    1
    >>> world.close()
    >>> server.stop()
    >>> transport.close()
    """

    snapshots = None

    def __init__(
        self, transport: Transport, *, patience: float = 0.1, timeout: float = TIMEOUT
    ) -> None:
        if not patience >= 0.0:
            raise ValueError(f"patience must be >= 0 s, got {patience}")
        self._transport, self._patience, self._timeout = transport, patience, timeout
        self._mirror = WorldMirror(transport)
        self._connect()
        self._run = self._mirror.run
        self.worlds = self._remote.worlds
        self.entities = self._seen = Entities(-1)
        self._others: dict[Key, NDArray[np.generic]] = {}
        self._old: set[Key] = set()
        self._adopt()

    # Time

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time of the latest published state, (W,) [s]."""
        return self._time.copy()

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        return self._remote.timestep

    @property
    def paused(self) -> bool:
        """Whether any process has paused the physics."""
        return self._mirror.paused

    def pause(self) -> None:
        """Pauses the physics for all followers; any thread may call it."""
        self._transport.command(CONTROL, WorldControl(pause=True), self._timeout)

    def resume(self) -> None:
        """Resumes the physics; any thread may call it."""
        self._transport.command(CONTROL, WorldControl(pause=False), self._timeout)

    def advance(self, steps: int) -> None:
        """Makes this number of physics steps, then pauses the physics; any thread may call it."""
        self._transport.command(CONTROL, WorldControl(pause=True, steps=steps), self._timeout)

    def step(
        self, n: int = 1, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Sends a batch of changes, then waits for the next state; ignores `n` and `worlds`."""
        if changes is not None and (refused := self.write(changes)):
            return refused
        if self._mirror.update(self._patience):
            self._adopt()
        return ()

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Resets some worlds of the server to time 0."""
        self._remote.reset(worlds, seeds)
        self._fetch()

    def follow_at(self, rate: float) -> None:
        """Follows states at a rate in simulated time [Hz], or faster; 0 for that of the server."""
        self._mirror.follow_at(rate)
        self._adopt()

    # Rows

    @property
    def published(self) -> Mapping[Key, NDArray[np.generic]]:
        """The columns of the latest published state, with the rows of `entities`."""
        return self._tables.columns

    def read(self, tables: Tables, columns: Collection[Key] = ALL_COLUMNS) -> None:
        """Fills columns of the tables; requests those that are not published."""
        others = [key for key in columns if key not in COLUMNS]
        self._ask([key for key in others if key in self._old or key not in self._others])
        for key in columns:
            found = self._others.get(key) if key in others else self._tables.columns[key]
            if found is not None:
                tables.columns[key][...] = found

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Sends a batch of changes to the server."""
        if changes.generation != self.entities.generation:
            raise ValueError("the changes are for entities of another generation")
        refused = self._remote.write(changes._replace(generation=self._seen.generation))
        self._fetch()
        return refused

    def spawn(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds models to every world of the server."""
        self._remote.spawn(requests)
        self._fetch()

    def delete(self, name: str) -> None:
        """Removes a model from every world of the server."""
        self._remote.delete(name)
        self._fetch()

    @property
    def descriptions(self) -> Descriptions:
        """The descriptions of models and lights."""
        return self._remote.descriptions

    def close(self) -> None:
        """Stops following; the server keeps running."""
        self._mirror.close()

    def _connect(self) -> None:
        """Reaches the server's simulator, and adopts its capabilities."""
        self._remote = remote = RemoteSimulator(self._transport, self._timeout)
        self.cameras, self.depth_cameras = remote.cameras, remote.depth_cameras
        self.camera_mounts, self.contacts = remote.camera_mounts, remote.contacts
        self.dynamics, self.physics = remote.dynamics, remote.physics
        self.sensors: Sensors | None = remote.sensors

    def _fetch(self) -> None:
        self._mirror.fetch()
        self._adopt()

    def _adopt(self) -> None:
        """Adopts the state of the mirror.

        Raises:
            TransportError: A new server has a different number of worlds.
        """
        mirror = self._mirror
        if mirror.run != self._run:
            if mirror.tables.worlds != self.worlds:
                raise TransportError(
                    f"the physics came back with {mirror.tables.worlds} worlds, had {self.worlds}"
                )
            try:
                self._connect()
            except NoAnswerError:  # this server ended, too; wait for the next one
                return
            self._run = mirror.run
        if mirror.tables.entities is not self._seen:
            self._seen = mirror.tables.entities
            # Two servers may use the same generation numbers.
            self.entities = Entities(self.entities.generation + 1, **names_of(self._seen))
            self._others.clear()
        self._tables, self._time = mirror.tables, mirror.time
        self._old = set(self._others)

    def _ask(self, columns: list[Key]) -> None:
        """Requests columns that are not published; without an answer, they keep their values."""
        if not columns:
            return
        tables = Tables(self.entities, self.worlds)
        try:
            self._remote.read(tables, columns)
        except (NoAnswerError, ValueError):  # the server ended, or has other entities by now
            self._old -= set(columns)
            return
        self._old -= set(columns)
        if self._remote.entities.generation == self._seen.generation:
            self._others |= {key: tables.columns[key] for key in columns}

# SPDX-License-Identifier: Apache-2.0
"""The published state of a world: a server sends changed rows, and mirrors apply them."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Entities, Key, Simulator, Tables
from deepsim_transport.errors import MessageError, NoAnswerError
from deepsim_transport.rows import Frame, entities_of, key_of, names_of, pack, unpack
from deepsim_transport.session import Transport

STATE = "state"
UPDATE = "entity_state_update"
COLUMNS: tuple[Key, ...] = (
    ("models", "pose"),
    ("models", "twist"),
    ("links", "pose"),
    ("links", "twist"),
    ("joints", "position"),
    ("joints", "velocity"),
)
"""The columns that are published."""
_BACKLOG = 64  # updates to keep; after missing some, the whole state is requested
_BEHIND = 8  # updates that wait for a mirror that applies them one by one, before it hurries
_STILL = 1e-9  # largest change of a number of a body at rest [m, rad or per s], which is not sent


class Updates:
    """Publishes the rows of a simulator that have changed since the latest update.

    Updates are numbered consecutively. Each has the generation of the entities, an identifier of
    the server's run, and whether the physics is paused. Only the whole state has the names of
    entities. Rows that have changed by less than 1e-9 in all numbers since they were last sent are
    not sent again, so that bodies at rest are silent.

    Attributes:
        paused: Whether the physics is paused; set by the server.
    """

    def __init__(self, simulator: Simulator, transport: Transport) -> None:
        self._simulator = simulator
        self._participant = transport.declare("publisher", UPDATE)
        self._publisher = self._participant.declared
        self.paused = False
        self._run, self._number = uuid4().hex, 0
        self._told_paused = False
        self._shown: Tables | None = None
        self._time = simulator.time

    def publish(self) -> bool:
        """Publishes the changes if there is a subscriber; returns whether there is one."""
        if not self._publisher.matching_status.matching:
            self._shown = None
            return False
        now = self._read()
        before = self._shown
        generation = now.entities.generation
        if before is None or before.entities.generation != generation:
            self._shown = now
            self._number += 2  # a gap in the numbers makes subscribers request the whole state
            self._send(generation, {})
            return True
        arrays: dict[str, NDArray[Any]] = {}
        for key in COLUMNS:
            old, new = before.columns[key], now.columns[key]
            differs = ~(np.abs(new - old) <= _STILL)  # NaN differs, too
            if differs.ndim > 2:
                differs = differs.any(axis=2)
            if differs.any():
                name = ".".join(key)
                arrays[f"{name}/worlds"], arrays[f"{name}/rows"] = differs.nonzero()
                arrays[name] = old[differs] = new[differs]
        passed = (self._simulator.time != self._time).any()  # time passes even if all bodies rest
        if arrays or passed or self.paused != self._told_paused:
            self._number += 1
            self._send(generation, arrays)
        return True

    def whole(self) -> bytes:
        """Returns the whole current state, with the number of the latest update.

        The state includes the effects of all commands that came before the request.
        """
        self.publish()
        now = self._read()
        arrays = {".".join(key): now.columns[key] for key in COLUMNS}
        header = {
            **self._header(now.entities.generation),
            "names": names_of(now.entities),
            "worlds": self._simulator.worlds,
        }
        return pack(header, {**arrays, "time": self._simulator.time})

    def _read(self) -> Tables:
        tables = Tables(self._simulator.entities, self._simulator.worlds)
        self._simulator.read(tables, COLUMNS)
        return tables

    def _send(self, generation: int, arrays: dict[str, NDArray[Any]]) -> None:
        self._time, self._told_paused = self._simulator.time, self.paused
        self._publisher.put(pack(self._header(generation), {**arrays, "time": self._time}))

    def _header(self, generation: int) -> dict[str, Any]:
        return {
            "run": self._run,
            "number": self._number,
            "generation": generation,
            "paused": self.paused,
        }


class WorldMirror:
    """A copy of the poses, twists and joints in the world of a `PhysicsServer`.

    A mirror sends no commands. It starts with the whole state, and then applies published changes.
    If the server ends, it waits for a server of the same name and mirrors that one.

    Args:
        transport: The session; its namespace names the world.

    Attributes:
        tables: The tables at the latest `update`: only the columns in
            `deepsim_transport.physics.updates.COLUMNS` are filled, all others have defaults.
        time: Simulated time of the tables, (W,) [s].
        paused: Whether the physics is paused.
        run: Identifier of the server; a server that replaces it has a different one.
        malformed: The number of updates that could not be read and were dropped.

    Raises:
        NoAnswerError: No server answers for this world.

    >>> import threading
    >>> from deepsim_mujoco import MujocoSimulator
    >>> from deepsim_transport import PhysicsServer
    >>> transport = Transport(namespace="mirrored")  # needs a master
    >>> server = PhysicsServer(MujocoSimulator(), transport)
    >>> threading.Thread(target=server.run, daemon=True).start()  # in another process, elsewhere
    >>> with WorldMirror(transport) as mirror:
    ...     mirror.time.shape
    (1,)
    >>> server.stop()
    >>> transport.close()
    """

    def __init__(self, transport: Transport) -> None:
        self.malformed = self._number = 0
        self._transport, self._rate = transport, 0.0
        self.run = ""
        self._entities: Entities | None = None
        self._heard = threading.Event()
        self._waiting: deque[bytes] = deque(maxlen=_BACKLOG)
        self._subscriber = transport.declare("subscriber", UPDATE, self._hear)
        self.fetch()

    def update(self, timeout: float = 0.0) -> bool:
        """Brings the tables up to date, or to the next state if there is a rate.

        Returns:
            Whether anything changed.

        Args:
            timeout: Longest time to wait for a change if none has arrived yet [s].
        """
        end = time.monotonic() + timeout
        while True:
            self._heard.clear()  # before `_take`, so that updates that arrive meanwhile count
            if self._take():
                return True
            left = end - time.monotonic()
            if left <= 0.0 or not self._heard.wait(left):
                return False

    def follow_at(self, rate: float) -> None:
        """Asks the server to publish at a rate in simulated time [Hz], or faster; 0 for its own.

        The states are then mirrored one by one, unless too many wait.
        """
        if rate != self._rate:
            self._rate = rate
            self.fetch()

    def fetch(self) -> None:
        """Requests the whole state, which includes the effects of all earlier commands.

        Raises:
            NoAnswerError: No server answers.
            MessageError: The answer cannot be read.
        """
        frame = unpack(self._transport.request(STATE, pack({"rate": self._rate})))
        header: Any = frame.header
        try:
            number, run, generation = header["number"], header["run"], header["generation"]
            entities = self._entities
            if entities is None or run != self.run or generation != entities.generation:
                entities = entities_of(generation, header["names"])
            tables = Tables(entities, header["worlds"])
            for kind, column in COLUMNS:
                tables.columns[kind, column][...] = frame.arrays[f"{kind}.{column}"]
            self.time = frame.arrays["time"]
        except (KeyError, TypeError, ValueError) as error:
            raise MessageError(f"a state that cannot be read: {error!r}") from None
        self.tables, self._entities = tables, entities
        self.run, self._number, self.paused = run, number, header.get("paused") is True

    def close(self) -> None:
        """Stops listening."""
        self._subscriber.undeclare()

    def __enter__(self) -> WorldMirror:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _hear(self, sample: Any) -> None:
        self._waiting.append(sample.payload.to_bytes())
        self._heard.set()

    def _take(self) -> bool:
        """Applies the updates that have arrived; returns whether anything changed."""
        changed = False
        while self._waiting and not (changed and self._rate and len(self._waiting) < _BEHIND):
            try:
                frame = unpack(self._waiting.popleft())
                header = frame.header
                run, number, generation = header["run"], header["number"], header["generation"]
                if run == self.run and number <= self._number:
                    continue  # the fetched state already includes it
                known = (self.run, self._number + 1, self.tables.entities.generation)
                if (run, number, generation) != known:
                    self.fetch()
                else:
                    self._apply(frame)
                    self._number, self.paused = number, header.get("paused") is True
                changed = True
            except NoAnswerError:  # the server just ended; its successor sends the next update
                continue
            except (MessageError, KeyError, TypeError, ValueError, IndexError):
                self.malformed += 1
        return changed

    def _apply(self, frame: Frame) -> None:
        parts = []
        for name, values in frame.arrays.items():
            if name != "time" and "/" not in name:
                kind, column = key_of(name)
                memory = self.tables.columns[kind, column]
                at = (frame.arrays[f"{name}/worlds"], frame.arrays[f"{name}/rows"])
                parts.append((memory, at, np.broadcast_to(values, memory[at].shape)))
        for memory, at, values in parts:  # an update is applied as a whole or not at all
            memory[at] = values
        self.time = frame.arrays["time"]

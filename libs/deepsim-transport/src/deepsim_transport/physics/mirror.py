# SPDX-License-Identifier: Apache-2.0
"""A world as others see it: from the whole state once, and what changes since."""

from __future__ import annotations

from collections import deque
from types import TracebackType
from typing import Any

import numpy as np

from deepsim_sync import Tables
from deepsim_transport.errors import MessageError
from deepsim_transport.rows import Frame, unpack
from deepsim_transport.rows.batches import entities_of, key_of
from deepsim_transport.session import Transport

from .updates import COLUMNS, STATE, UPDATE

_BACKLOG = 64  # updates; whoever is slower asks for the whole state again


class WorldMirror:
    """Poses, twists and joints of the world of a `PhysicsServer`, for viewers and sensors.

    It listens to two topics and commands nothing. Whoever comes late has all of the state at the
    first `update`.

    Args:
        transport: The session; its namespace names the world.

    Attributes:
        tables: The columns of `deepsim_transport.physics.updates.COLUMNS`, as of the last
            `update`; all others have their defaults.
        time: (W,) simulated time of the tables [s].
        malformed: How many updates could not be read; they were dropped.

    Raises:
        NoAnswerError: No server answers there.
    """

    def __init__(self, transport: Transport) -> None:
        self.malformed = self._number = 0
        self._transport = transport
        self._waiting: deque[bytes] = deque(maxlen=_BACKLOG)
        self._subscriber = transport.session.declare_subscriber(
            transport.key(UPDATE), lambda sample: self._waiting.append(sample.payload.to_bytes())
        )
        self._fetch()

    def update(self) -> bool:
        """Brings the tables up to date; returns whether anything changed."""
        changed = False
        while self._waiting:
            try:
                frame = unpack(self._waiting.popleft())
                number, generation = frame.header["number"], frame.header["generation"]
                if number <= self._number:
                    continue  # the whole state had it
                changed = True
                if number != self._number + 1 or generation != self.tables.entities.generation:
                    self._fetch()
                else:
                    self._apply(frame)
                    self._number = number
            except (MessageError, KeyError, TypeError, ValueError, IndexError):
                self.malformed += 1
        return changed

    def close(self) -> None:
        """Listens no more."""
        self._subscriber.undeclare()

    def __enter__(self) -> WorldMirror:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _fetch(self) -> None:
        frame = unpack(self._transport.request(STATE, b""))
        header: Any = frame.header
        entities = entities_of(header["generation"], header["names"])
        self.tables = Tables(entities, header["worlds"])
        for kind, column in COLUMNS:
            self.tables.column(kind, column)[...] = frame.arrays[f"{kind}.{column}"]
        self.time, self._number = frame.arrays["time"], header["number"]

    def _apply(self, frame: Frame) -> None:
        parts = []
        for name, values in frame.arrays.items():
            if name != "time" and "/" not in name:
                kind, column = key_of(name)
                memory = self.tables.column(kind, column)
                at = (frame.arrays[f"{name}/worlds"], frame.arrays[f"{name}/rows"])
                parts.append((memory, at, np.broadcast_to(values, memory[at].shape)))
        for memory, at, values in parts:  # all or none of an update
            memory[at] = values
        self.time = frame.arrays["time"]

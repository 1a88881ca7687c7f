# SPDX-License-Identifier: Apache-2.0
"""The call made once per tick: applies changed rows, runs steps and returns tables."""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from deepsim_gazebo.errors import MalformedReplyError
from deepsim_gazebo.ros.serialization import Reader, pack_array
from deepsim_sync import Cells, Key, Kind

from .layout import COLUMN_NUMBERS, LAYOUTS, TABLE_NUMBERS, TABLES, Rows

_REQUEST_HEAD = struct.Struct("<QI")
_REQUEST_TAIL = struct.Struct("<I?B")
_CELLS_HEAD = struct.Struct("<BB")
_STATUS = struct.Struct("<B")
_INSTANT = struct.Struct("<QQIId")
_REFUSAL = struct.Struct("<II")


class ExchangeStatus(IntEnum):
    """The outcome of an exchange.

    >>> ExchangeStatus(1)
    <ExchangeStatus.STALE: 1>
    """

    OK = 0
    STALE = 1
    """The rows belong to another generation: nothing was done."""
    REFUSED = 2
    """Some rows were refused and the others applied; the world did not step."""
    INVALID = 3
    """The request is malformed: nothing was done."""
    FAILED = 4
    """The world cannot step."""


class Instant(NamedTuple):
    """The instant that an answer belongs to.

    >>> now = Instant(generation=3, iterations=500, time=0.5, timestep=0.001)
    >>> now.iterations * now.timestep == now.time
    True
    """

    generation: int
    """Generation of the entities."""
    iterations: int
    """Physics steps since the last reset."""
    time: float
    """Simulated time [s]."""
    timestep: float
    """Duration of one physics step [s]."""


class RefusedCell(NamedTuple):
    """A row that the server did not accept.

    >>> RefusedCell(change=0, position=2, reason="a static model has no velocity").position
    2
    """

    change: int
    """Index of the entry in the request's cells."""
    position: int
    """Index into the rows of that entry."""
    reason: str


@dataclass(frozen=True)
class ExchangeRequest:
    """The request of an exchange: changes, physics steps and tables of one round trip.

    >>> from deepsim_gazebo import BatchStateClient
    >>> def advance(client: BatchStateClient, steps: int) -> float:
    ...     reply = client.exchange(ExchangeRequest(steps=steps, kinds=["models"]))
    ...     return reply.instant.time

    Attributes:
        generation: Generation of the rows in `cells`.
        cells: New values by (table, column).
        steps: Physics steps to run afterwards.
        more_steps: Whether another request continues these steps, so that forces on links stay.
        kinds: The tables to return.
        sensors: Rows of the sensors to read.
    """

    generation: int = 0
    cells: Mapping[Key, Cells] = field(default_factory=dict)
    steps: int = 0
    more_steps: bool = False
    kinds: Collection[Kind] = ()
    sensors: Sequence[int] = ()

    def pack(self) -> bytes:
        """Serialises the request."""
        parts = [_REQUEST_HEAD.pack(self.generation, len(self.cells))]
        for key, cells in self.cells.items():
            parts += (
                _CELLS_HEAD.pack(*COLUMN_NUMBERS[key]),
                pack_array(cells.rows, "<u4"),
                pack_array(cells.values, "<f8"),
            )
        mask = sum(1 << TABLE_NUMBERS[kind] for kind in self.kinds)
        parts.append(_REQUEST_TAIL.pack(self.steps, self.more_steps, mask))
        parts.append(pack_array(np.array(self.sensors), "<u4"))
        return b"".join(parts)

    def __str__(self) -> str:
        rows = sum(len(cells.rows) for cells in self.cells.values())
        what = [f"set {rows} cells"] if rows else []
        what += [f"{self.steps} steps"] if self.steps else []
        what += [f"read {', '.join(self.kinds)}"] if self.kinds else []
        what += [f"measure with {len(self.sensors)} sensors"] if self.sensors else []
        return "; ".join(what) or "the time"


@dataclass(frozen=True)
class ExchangeReply:
    """The answer to an exchange, all of one instant.

    Attributes:
        status: The outcome.
        message: The reason for a status other than OK.
        instant: The instant that the tables belong to.
        refusals: Rows that were not accepted.
        tables: The requested tables.
        measured: Measurements of the requested sensors, one after another; empty if a sensor is
            unknown.

    >>> from deepsim_gazebo import BatchStateClient
    >>> def model_poses(client: BatchStateClient):
    ...     reply = client.exchange(ExchangeRequest(kinds=["models"]))
    ...     assert reply.status is ExchangeStatus.OK, reply.message
    ...     return reply.tables["models"][:, :7]
    """

    status: ExchangeStatus
    message: str
    instant: Instant
    refusals: Sequence[RefusedCell]
    tables: Mapping[Kind, Rows]
    measured: Rows

    @classmethod
    def unpack(cls, body: bytes, kinds: Collection[Kind]) -> ExchangeReply:
        """Deserialises the reply to a request for the tables `kinds`.

        Raises:
            MalformedReplyError: The bytes are not such a reply.
        """
        reader = Reader(body, "exchange")
        (code,) = reader.fields(_STATUS)
        message = reader.string()
        generation, iterations, seconds, nanoseconds, timestep = reader.fields(_INSTANT)
        refusals = [_refused_cell(reader) for _ in range(reader.length(_REFUSAL.size + 4))]
        tables = {}
        for kind in TABLES:
            numbers = reader.floats()
            if kind in kinds:
                tables[kind] = _rows(kind, numbers)
        measured = reader.floats()
        reader.end()
        try:
            status = ExchangeStatus(code)
        except ValueError as error:
            raise MalformedReplyError(f"the answer of exchange has the status {code}") from error
        # A single division of integers rounds once, so n steps last exactly n timesteps.
        time = (seconds * 1_000_000_000 + nanoseconds) / 1e9
        instant = Instant(generation, iterations, time, timestep)
        return cls(status, message, instant, refusals, tables, measured)


def _refused_cell(reader: Reader) -> RefusedCell:
    change, position = reader.fields(_REFUSAL)
    return RefusedCell(change, position, reader.string())


def _rows(kind: Kind, numbers: Rows) -> Rows:
    width = LAYOUTS[kind].width
    if len(numbers) % width:
        raise MalformedReplyError(
            f"the answer of exchange has {len(numbers)} numbers for {kind}, of {width} per row"
        )
    return numbers.reshape(-1, width)

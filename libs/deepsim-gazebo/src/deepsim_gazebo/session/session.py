# SPDX-License-Identifier: Apache-2.0
"""A session with a server: time control, names, rows, and the instant of the last answer."""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_gazebo.errors import CallRefusedError, GazeboError
from deepsim_gazebo.protocol.client import BatchStateClient
from deepsim_gazebo.protocol.exchange import ExchangeReply, ExchangeRequest, ExchangeStatus, Instant
from deepsim_gazebo.protocol.layout import COLUMN_NUMBERS
from deepsim_gazebo.shared_memory.shared_file import SharedFileError
from deepsim_sync import Changes, Entities, Kind, Refusal, SimulationError, Tables

from .entity_names import EntityNames
from .row_mapping import fill_tables, map_cells

_LOGGER = logging.getLogger("deepsim_gazebo")

_GENERATION = struct.Struct("<Q")
_ATTEMPTS = 8  # while another client keeps adding and removing entities


class Session:
    """A session with a server; after a restart of the server, it is paused or let run again.

    Args:
        client: The client of the server.
        lock_step: Whether the world stands still between steps, or runs freely.
        mailbox: Whether to exchange through shared memory if the server is on this machine.

    Attributes:
        client: As given.
        names: The names of the server's entities.
        instant: The instant of the last answer; time 0 before the first one.
    """

    def __init__(self, client: BatchStateClient, *, lock_step: bool, mailbox: bool) -> None:
        self.client = client
        self.names = EntityNames(client)
        self.instant = Instant(0, 0, 0.0, 0.0)
        self._lock_step = lock_step
        self._mailbox = mailbox
        self._losses: int | None = None  # of the client at the last take_control

    def exchange(
        self,
        *,
        steps: int = 0,
        more_steps: bool = False,
        kinds: Collection[Kind] = (),
        sensors: Sequence[int] = (),
    ) -> ExchangeReply:
        """Runs some physics steps and returns tables; see `ExchangeRequest`."""
        return self.send(
            ExchangeRequest(steps=steps, more_steps=more_steps, kinds=kinds, sensors=sensors)
        )

    def send(self, request: ExchangeRequest) -> ExchangeReply:
        """Makes one round trip; the status of the answer is OK, STALE or REFUSED.

        Raises:
            SimulationError: The world cannot step.
            CallRefusedError: The request is malformed.
        """
        self.take_control()
        reply = self.client.exchange(request)
        self.instant = reply.instant
        self.names.observe(reply.instant.generation)
        if reply.status is ExchangeStatus.INVALID:
            raise CallRefusedError(f"exchange was refused: {reply.message}")
        if reply.status is ExchangeStatus.FAILED:
            raise SimulationError(f"Gazebo cannot step: {reply.message}", worlds=(0,))
        return reply

    def write(
        self,
        changes: Changes | None,
        steps: int = 0,
        *,
        more_steps: bool = False,
        kinds: Collection[Kind] = (),
        sensors: Sequence[int] = (),
    ) -> tuple[ExchangeReply, Sequence[Refusal]]:
        """Writes rows, then runs physics steps unless a row is refused; returns the refusals too.

        Rows of an earlier generation are found by name: by the server if it still knows that
        generation, and otherwise by this client.
        """
        if changes is None or not changes.cells:
            reply = self.exchange(steps=steps, more_steps=more_steps, kinds=kinds, sensors=sensors)
            return reply, ()
        now = self.names.of(changes.generation)
        cells = {key: each for key, each in changes.cells.items() if key in COLUMN_NUMBERS}
        refusals = [
            Refusal(kind, column, now.names(kind)[row], "GazeboSimulator has no such column")
            for (kind, column), each in changes.cells.items()
            if (kind, column) not in COLUMN_NUMBERS
            for row in each.rows.tolist()
        ]
        for _ in range(_ATTEMPTS):
            made = 0 if refusals else steps
            request = ExchangeRequest(now.generation, cells, made, more_steps, kinds, sensors)
            reply = self.send(request)
            if reply.status is not ExchangeStatus.STALE:
                break
            before, now = now, self.names.present.entities
            cells, lost = map_cells(cells, before, now)
            refusals += lost
        else:
            raise _unstable(f"write {', '.join(f'{column} of {kind}' for kind, column in cells)}")
        keys = list(cells)
        for change, position, reason in reply.refusals:
            kind, column = keys[change]
            name = now.names(kind)[int(cells[kind, column].rows[position])]
            refusals.append(Refusal(kind, column, name, reason))
        return reply, tuple(refusals)

    def fill(self, tables: Tables, reply: ExchangeReply, kinds: Collection[Kind]) -> None:
        """Fills tables of any generation from a reply or, if that is outdated, from a newer one."""
        for _ in range(_ATTEMPTS):
            now = tables.entities
            if now.generation != reply.instant.generation:
                now = self.names.present.entities
            if now.generation == reply.instant.generation:
                fill_tables(tables, reply.tables, kinds, now)
                return
            reply = self.exchange(kinds=kinds)
        raise _unstable(f"read {', '.join(kinds)}")

    def numbers(self, service: str) -> tuple[Entities, NDArray[np.float64]]:
        """Calls a service that answers with a generation and the numbers in its rows.

        Returns:
            The names of that generation, and the numbers as received.
        """
        self.take_control()
        for _ in range(_ATTEMPTS):
            reader = self.client.ask(service, b"", "all rows")
            (generation,) = reader.fields(_GENERATION)
            numbers = reader.floats()
            reader.end()
            self.names.observe(generation)
            present = self.names.present.entities
            if present.generation == generation:
                return present, numbers
        raise _unstable(f"call {service}")

    def do(self, service: str, pack: Callable[[Entities], bytes], asked: str) -> None:
        """Calls a service with rows of the present generation.

        Args:
            service: Name of the service.
            pack: Makes the request from the names of all rows.
            asked: Description of the call for error messages.

        Raises:
            CallRefusedError: The server refused the call although the rows are valid.
        """
        self.take_control()
        for _ in range(_ATTEMPTS):
            now = self.names.present.entities
            try:
                self.client.do(service, pack(now), asked)
                return
            except CallRefusedError:
                self.names.invalidate()
                if self.names.present.entities.generation == now.generation:
                    raise
        raise _unstable(asked)

    def take_control(self) -> None:
        """Pauses the server or lets it run, and opens a mailbox, if it may have been restarted."""
        if self._losses != self.client.losses:
            if self._lock_step:
                self.client.pause()
            else:
                self.client.unpause()
            self._losses = self.client.losses
            if self._mailbox:
                self._open_mailbox()

    def _open_mailbox(self) -> None:
        try:
            self.client.open_mailbox()
        except (CallRefusedError, SharedFileError) as error:
            _LOGGER.info("exchanges go through ROS, not through a mailbox: %s", error)


def _unstable(action: str) -> GazeboError:
    return GazeboError(
        f"cannot {action}: entities were added or removed {_ATTEMPTS} times meanwhile; does "
        "another client spawn and delete models?"
    )

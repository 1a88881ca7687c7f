# SPDX-License-Identifier: Apache-2.0
"""A session with a server: time control, names, rows, and the instant of the last answer."""

from __future__ import annotations

import logging
import struct
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import (
    Cells,
    Changes,
    Entities,
    Key,
    Kind,
    Names,
    Refusal,
    SimulationError,
    Tables,
    WorldNumbers,
)

from .errors import CallRefusedError, GazeboError, MalformedReplyError
from .protocol.client import BatchStateClient, Listing
from .protocol.exchange import ExchangeReply, ExchangeRequest, ExchangeStatus, Instant
from .protocol.layout import COLUMN_NUMBERS, Rows, fill
from .shared_memory import SharedFileError

_LOGGER = logging.getLogger("deepsim_gazebo")

_GENERATION = struct.Struct("<Q")
_ATTEMPTS = 8  # while another client keeps adding and removing entities
_KEPT = 16  # generations whose names are kept


def is_chosen(worlds: WorldNumbers | None) -> bool:
    """Returns whether the only world is among the chosen ones.

    Raises:
        ValueError: Another world is chosen.
    """
    numbers = [0] if worlds is None else np.asarray(worlds).tolist()
    if numbers not in ([], [0]):
        raise ValueError(f"Gazebo has one world, number 0, got {numbers}")
    return bool(numbers)


def check_world(world: int) -> None:
    """Checks that a world number is 0, that of the only world.

    Raises:
        ValueError: The number of the world is not 0.
    """
    if world != 0:
        raise ValueError(f"Gazebo has one world, number 0, got {world}")


class EntityNames:
    """Cache of the names of recent generations; requests the names of a new one when needed."""

    def __init__(self, client: BatchStateClient) -> None:
        self._client = client
        self._listings: dict[int, Listing] = {}
        self._latest: int | None = None
        self._losses = client.losses

    @property
    def present(self) -> Listing:
        """The names of the latest generation, requested from the server if unknown."""
        if self._losses != self._client.losses:
            self._losses, self._latest = self._client.losses, None
        if self._latest is None or self._latest not in self._listings:
            listing = self._client.names(self._latest or 0)
            self._latest = listing.entities.generation
            self._listings.setdefault(self._latest, listing)
            while len(self._listings) > _KEPT:
                del self._listings[next(iter(self._listings))]
        return self._listings[self._latest]

    def observe(self, generation: int) -> None:
        """Sets the latest generation, from the server's last answer."""
        self._latest = generation

    def invalidate(self) -> None:
        """Makes the latest generation unknown, after entities were added or removed."""
        self._latest = None

    def of(self, generation: int) -> Entities:
        """Returns the names of a recent generation.

        Raises:
            ValueError: The generation is unknown, or no longer cached.
        """
        listing = self._listings.get(generation) or self.present
        if listing.entities.generation != generation:
            raise ValueError(
                f"changes are for generation {generation} of the entities, which is unknown or too "
                f"old; the present one is {listing.entities.generation}"
            )
        return listing.entities


class Session:
    """A session with a server; after a restart of the server, it is paused or let run again.

    A restarted server is known by its generations. It has none of the models that clients spawned,
    so calls raise SimulationError until `reconnect`.

    Args:
        client: The client of the server.
        lock_step: Whether the world stands still between steps, or runs freely.
        mailbox: Whether to exchange through shared memory if the server is on this machine.

    Attributes:
        client: As given.
        names: The names of the server's entities.
        instant: The instant of the last answer; time 0 before the first one.
        restarted: Whether the server was restarted, and has to be set up again.
    """

    def __init__(self, client: BatchStateClient, *, lock_step: bool, mailbox: bool) -> None:
        self.client = client
        self.names = EntityNames(client)
        self.instant = Instant(0, 0, 0.0, 0.0)
        self.restarted = False
        self._lock_step = lock_step
        self._mailbox = mailbox
        self._losses: int | None = None  # of the client at the last take_control

    def exchange(self, request: ExchangeRequest) -> ExchangeReply:
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
            return self.exchange(ExchangeRequest(0, {}, steps, more_steps, kinds, sensors)), ()
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
            reply = self.exchange(request)
            if reply.status is not ExchangeStatus.STALE:
                break
            before, now = now, self.names.present.entities
            cells, lost = _map_cells(cells, before, now)
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
                _fill_tables(tables, reply.tables, kinds, now)
                return
            reply = self.exchange(ExchangeRequest(kinds=kinds))
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
        """Pauses the server or lets it run, and opens a mailbox, after a call without an answer.

        Raises:
            SimulationError: The server was restarted.
        """
        self._connect()
        if self.restarted:
            raise SimulationError(
                "gzserver was restarted, and its world is as at its start: reset the world",
                worlds=(0,),
            )

    def reconnect(self) -> bool:
        """Takes control also of a restarted server; returns whether it has to be set up again."""
        self._connect()
        restarted, self.restarted = self.restarted, False
        return restarted

    def _connect(self) -> None:
        if self._losses != self.client.losses:
            if self._lock_step:
                self.client.pause()
            else:
                self.client.unpause()
            self._losses = self.client.losses
            if self._mailbox:
                self._open_mailbox()
            known = self.instant.generation  # 0: this is the first server
            if known and self.client.names(known).entities.generation != known:
                self.restarted = True

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


def _map_cells(
    cells: Mapping[Key, Cells], before: Entities, now: Entities
) -> tuple[dict[Key, Cells], list[Refusal]]:
    """Maps changes to the rows of another generation.

    Returns:
        The changes, and a refusal for each row that no longer exists.
    """
    kept: dict[Key, Cells] = {}
    lost = []
    for (kind, column), (worlds, rows, values) in cells.items():
        names = before.names(kind)
        target = _mapping(names, now.names(kind))[rows]
        here = target >= 0
        if here.any():
            kept[kind, column] = Cells(worlds[here], target[here], values[here])
        lost += [Refusal(kind, column, names[int(row)], "it was deleted") for row in rows[~here]]
    return kept, lost


def _fill_tables(
    tables: Tables, rows: Mapping[Kind, Rows], kinds: Collection[Kind], now: Entities
) -> None:
    """Fills tables of any generation; rows that no longer exist keep their values.

    Args:
        tables: The tables to be filled.
        rows: Rows of the present generation, in the flat form.
        kinds: The tables to fill.
        now: The present generation.

    Raises:
        MalformedReplyError: The number of rows differs from the number of names.
    """
    for kind in kinds:
        before, names, table = tables.entities.names(kind), now.names(kind), rows[kind]
        if len(table) != len(names):
            raise MalformedReplyError(
                f"the answer of exchange has {len(table)} rows for {len(names)} {kind}"
            )
        if tables.entities.generation == now.generation:
            fill(tables, kind, table)
        else:
            target = _mapping(names, before)
            fill(tables, kind, table[target >= 0], target[target >= 0])


def _mapping(before: Names, now: Names) -> NDArray[np.intp]:
    """Returns the row in `now` of each name in `before`, (n,); -1 for names that are gone."""
    return np.array([now.row(name) if name in now else -1 for name in before], dtype=np.intp)

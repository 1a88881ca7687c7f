# SPDX-License-Identifier: Apache-2.0
"""A server whose time is under control, and what its last answer said."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from deepsim_sync import Cells, Kind, SimulationError

from .client import BatchStateClient
from .errors import CallRefusedError
from .exchange import ExchangeReply, ExchangeRequest, Instant, Status
from .name_book import NameBook


class Session:
    """Exchanges with whichever server is there; one that was started again is paused first.

    Args:
        client: How it is called.
        lock_step: Whether its world stands still between steps, or runs.

    Attributes:
        client: How it is called.
        book: The names of its rows.
        instant: When its last answer was; before the first one, time 0.
    """

    def __init__(self, client: BatchStateClient, *, lock_step: bool) -> None:
        self.client = client
        self.book = NameBook(client)
        self.instant = Instant(0, 0, 0.0, 0.0)
        self._lock_step = lock_step
        self._losses: int | None = None  # of the client when time was taken under control

    def exchange(
        self,
        cells: Mapping[tuple[Kind, str], Cells] | None = None,
        generation: int = 0,
        steps: int = 0,
        kinds: Collection[Kind] = (),
    ) -> ExchangeReply:
        """One round trip; the status of its answer is OK, STALE or REFUSED.

        Args:
            cells: New values; none by default.
            generation: Of their rows.
            steps: Physics steps.
            kinds: The tables to return.

        Raises:
            SimulationError: The world cannot step.
        """
        self.take_control()
        reply = self.client.exchange(ExchangeRequest(generation, cells or {}, steps, kinds))
        self.instant = reply.instant
        self.book.saw(reply.instant.generation)
        if reply.status is Status.INVALID:
            raise CallRefusedError(f"exchange was refused: {reply.message}")
        if reply.status is Status.FAILED:
            raise SimulationError(f"Gazebo cannot step: {reply.message}")
        return reply

    def take_control(self) -> None:
        """Stops time, or lets it run, where the server may be another one than before."""
        if self._losses != self.client.losses:
            if self._lock_step:
                self.client.pause()
            else:
                self.client.unpause()
            self._losses = self.client.losses

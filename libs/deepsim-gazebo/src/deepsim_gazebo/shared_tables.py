# SPDX-License-Identifier: Apache-2.0
"""Reading through shared memory as long as that works."""

from __future__ import annotations

import logging
from collections.abc import Collection

from deepsim_sync import Kind, Tables

from .client import BatchStateClient
from .errors import CallRefusedError
from .exchange import Instant
from .shared_table import SharedTable, SharedTableError

_LOGGER = logging.getLogger("deepsim_gazebo")


class SharedTables:
    """The server's tables in shared memory; says once in the log if there are none to be had.

    Args:
        client: Whom to ask for the file.

    Attributes:
        usable: Whether it is worth trying; False for good after the first failure.
    """

    def __init__(self, client: BatchStateClient) -> None:
        self._client = client
        self._losses = client.losses
        self._table: SharedTable | None = None
        self.usable = True

    def read(self, tables: Tables, kinds: Collection[Kind]) -> Instant | None:
        """Fills tables, all at one instant.

        Returns:
            When that was; None where the server has to be asked instead, because it has another
            generation of entities, shares no memory, or writes faster than can be read.
        """
        if not self.usable:
            return None
        if self._losses != self._client.losses:
            self.close()  # a file of a server that is gone looks as if time stood still
            self._losses = self._client.losses
        try:
            if self._table is None or self._table.obsolete:
                self.close()
                self._table = SharedTable(self._client.open_shared_memory())
            if self._table.generation != tables.entities.generation:
                return None
            return self._table.read(tables, kinds)
        except (CallRefusedError, SharedTableError) as error:
            self.close()
            self.usable = False
            _LOGGER.warning("tables are read through ROS, not through shared memory: %s", error)
            return None

    def close(self) -> None:
        """Lets go of the file; the next read asks for one again."""
        if self._table is not None:
            self._table.close()
            self._table = None

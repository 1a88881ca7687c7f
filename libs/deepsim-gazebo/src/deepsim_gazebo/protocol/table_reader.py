# SPDX-License-Identifier: Apache-2.0
"""Reading of tables through shared memory, as long as that works."""

from __future__ import annotations

import logging
from collections.abc import Collection

from deepsim_gazebo.errors import CallRefusedError
from deepsim_gazebo.shared_memory.shared_file import SharedFileError
from deepsim_sync import Kind, Tables

from .client import BatchStateClient
from .exchange import Instant
from .table_file import TableFile

_LOGGER = logging.getLogger("deepsim_gazebo")


class TableReader:
    """The server's tables in shared memory; logs one warning if they cannot be read.

    Args:
        client: The client of the server.
        usable: Whether to try shared memory.

    Attributes:
        usable: Whether shared memory is tried; permanently False after the first failure.
    """

    def __init__(self, client: BatchStateClient, *, usable: bool) -> None:
        self._client = client
        self._file: TableFile | None = None
        self.usable = usable

    def read(self, tables: Tables, kinds: Collection[Kind]) -> Instant | None:
        """Fills tables, all at one instant.

        Returns:
            The instant; None if the tables have to be requested from the server instead, because
            they belong to another generation of entities, the server shares no memory, or it
            writes faster than this process reads.
        """
        if not self.usable:
            return None
        try:
            if self._file is None or self._file.obsolete or self._file.abandoned:
                self.close()
                self._file = TableFile(self._client.open_shared_memory())
            if self._file.generation != tables.entities.generation:
                return None
            return self._file.read(tables, kinds)
        except (CallRefusedError, SharedFileError) as error:
            self.close()
            self.usable = False
            _LOGGER.warning("tables are read through ROS, not through shared memory: %s", error)
            return None

    def close(self) -> None:
        """Closes the file; the next read requests it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

# SPDX-License-Identifier: Apache-2.0
"""Files with the tables of one generation of entities, read as long as that works.

The layout is declared in gazebo_batch_state/shared_table.hpp, in the byte order of the machine: a
header, then several buffers, each with a sequence number, which is odd while the buffer is being
written, and the rows of the five tables in the flat form. The server fills the buffers in turn, so
a read has to be repeated only if the server has come round to the same buffer.

Each buffer says until when it counts as the present. Afterwards the server has to be asked, because
others may have changed a world that stands still.

This relies on loads and stores in program order, as on x86-64; Python offers no memory barriers.
"""

from __future__ import annotations

import fcntl
import logging
import mmap
import os
import struct
import time
from collections.abc import Collection
from typing import NamedTuple, NoReturn

import numpy as np

from deepsim_gazebo.errors import CallRefusedError
from deepsim_gazebo.shared_memory import SharedFile, SharedFileError, is_abandoned, opened
from deepsim_sync import Kind, Tables

from .client import BatchStateClient
from .exchange import Instant
from .layout import LAYOUTS, TABLE_NUMBERS, TABLES, Rows, fill

_LOGGER = logging.getLogger("deepsim_gazebo")

MAGIC = int.from_bytes(b"DSBATCH1", "little")
VERSION = 5

_ATTEMPTS = 50

# magic, version, header size, size, stride, buffers, wanted, boot, generation, latest, obsolete,
# rows of each table
_HEADER = struct.Struct("=QIIQQIIQQIIIIIII")
_LATEST_AND_OBSOLETE = struct.Struct("=II")
_LATEST_AT = 56
_WANTED = struct.Struct("=I")
_WANTED_AT = 36
# sequence, generation, iterations, seconds, nanoseconds, timestep, offset of each table, filled,
# end of validity
_BUFFER = struct.Struct("=QQQIIdQQQQQQQ")
_SEQUENCE = struct.Struct("=Q")


class _Buffer(NamedTuple):
    start: int
    tables: dict[Kind, Rows]
    """(n, width) views of the file."""


class TableFile:
    """A table file, mapped into memory; it serves one generation of entities.

    Args:
        file: The file as announced by the server.

    Attributes:
        generation: Generation of the entities.

    Raises:
        SharedFileError: The file cannot be opened, is inconsistent, or has an unknown layout.
    """

    def __init__(self, file: SharedFile) -> None:
        self._path = file.path
        if file.version != VERSION:
            self._refuse(f"has layout version {file.version}, expected {VERSION}")
        self._file = opened(file, os.O_RDWR)
        try:
            fcntl.flock(self._file, fcntl.LOCK_SH)  # shows the server that it is in use
            size = os.fstat(self._file).st_size
            if size != file.size or size < _HEADER.size:
                self._refuse(f"has {size} bytes, announced were {file.size}")
            self._memory = mmap.mmap(self._file, size)
            self._buffers = self._checked_buffers(size)
        except BaseException:
            self.close()
            raise

    @property
    def obsolete(self) -> bool:
        """Whether the server has replaced this file with another one."""
        return bool(_LATEST_AND_OBSOLETE.unpack_from(self._memory, _LATEST_AT)[1])

    @property
    def abandoned(self) -> bool:
        """Whether the server of this file has ended; a server locks its file while it runs."""
        return is_abandoned(self._file)

    def read(self, tables: Tables, kinds: Collection[Kind]) -> Instant | None:
        """Fills tables of this file's generation, all at one instant.

        Returns:
            The instant; None if it may be of the past, if the server has not written these tables
            yet, or wrote during every attempt. The tables may then hold rows of several instants.
        """
        memory = self._memory
        mask = sum(1 << TABLE_NUMBERS[kind] for kind in kinds)
        for _ in range(_ATTEMPTS):
            latest, _ = _LATEST_AND_OBSOLETE.unpack_from(memory, _LATEST_AT)
            if latest >= len(self._buffers):
                self._refuse(f"names its buffer {latest} of {len(self._buffers)}")
            buffer = self._buffers[latest]
            sequence, _, iterations, seconds, nanoseconds, timestep, *_, filled, expires = (
                _BUFFER.unpack_from(memory, buffer.start)
            )
            if sequence % 2 or not sequence:
                continue
            if filled & mask != mask:
                self._want(mask)
                return None
            if time.monotonic_ns() > expires:
                return None
            for kind in kinds:
                fill(tables, kind, buffer.tables[kind])
            if _SEQUENCE.unpack_from(memory, buffer.start) == (sequence,):
                now = (seconds * 1_000_000_000 + nanoseconds) / 1e9
                return Instant(self.generation, iterations, now, timestep)
        return None

    def _want(self, mask: int) -> None:
        """Marks the tables that the server is to write."""
        (wanted,) = _WANTED.unpack_from(self._memory, _WANTED_AT)
        _WANTED.pack_into(self._memory, _WANTED_AT, wanted | mask)

    def close(self) -> None:
        """Unlocks and closes the file; its memory is freed with the last view."""
        self._buffers = ()
        fcntl.flock(self._file, fcntl.LOCK_UN)  # the mapping has its own descriptor
        os.close(self._file)

    def _checked_buffers(self, size: int) -> tuple[_Buffer, ...]:
        magic, version, header_size, said, stride, count, _, _, generation, _, _, *rows = (
            _HEADER.unpack_from(self._memory)
        )
        if magic != MAGIC or version != VERSION:
            self._refuse(f"has magic {magic:#x} and version {version}, not those of a table file")
        fits = header_size >= _HEADER.size and stride >= _BUFFER.size
        if said != size or not count or not fits or header_size + count * stride > size:
            self._refuse(f"says it has {said} bytes, {count} buffers of {stride}")
        self.generation: int = generation
        starts = [header_size + number * stride for number in range(count)]
        return tuple(self._checked_buffer(start, start + stride, rows) for start in starts)

    def _checked_buffer(self, start: int, end: int, counts: list[int]) -> _Buffer:
        offsets = _BUFFER.unpack_from(self._memory, start)[6:-2]
        tables: dict[Kind, Rows] = {}
        for kind, offset, count in zip(TABLES, offsets, counts):
            width = LAYOUTS[kind].width
            if not start + _BUFFER.size <= offset <= end - 8 * width * count:
                self._refuse(f"has {count} {kind} at {offset}, outside of their buffer")
            flat = np.frombuffer(self._memory, dtype="=f8", count=count * width, offset=offset)
            tables[kind] = flat.reshape(count, width)
        return _Buffer(start, tables)

    def _refuse(self, why: str) -> NoReturn:
        raise SharedFileError(f"{self._path} {why}; use the plugin of the same release")


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
            the file may be of the past, they belong to another generation of entities, the server
            shares no memory, or it writes faster than this process reads.
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

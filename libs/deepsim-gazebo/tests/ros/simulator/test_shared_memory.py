# SPDX-License-Identifier: Apache-2.0
"""Tables in shared memory, in files that the tests write."""

from __future__ import annotations

import fcntl
import logging
import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from deepsim_gazebo import GazeboSimulator
from deepsim_gazebo.protocol.layout import TABLES
from deepsim_math import Pose
from deepsim_sync import SpawnRequest, Tables

Connect = Callable[..., GazeboSimulator]
WIDTHS = {"models": 13, "links": 22, "visuals": 18, "lights": 19, "joints": 10}
MAGIC = int.from_bytes(b"DSBATCH1", "little")
VERSION = 5
BOOT = 99
HEADER, BUFFER = 128, 128
LATEST, OBSOLETE = 56, 60
WANTED, FILLED, EXPIRES = 36, 80, 88
LATER = 2**63  # ns, for files that are always of the present


class SharedFile:
    """Writes the file of gazebo_batch_state/shared_table.hpp, for the server's present rows."""

    def __init__(self, path: Path, server: Any, *, buffers: int = 4) -> None:
        self.path = path
        self._server = server
        entities = server.world.entities
        self._counts = [len(entities.names(kind)) for kind in TABLES]
        numbers = sum(n * WIDTHS[kind] for n, kind in zip(self._counts, TABLES))
        self.stride = BUFFER + 8 * numbers
        self.size = HEADER + buffers * self.stride
        self._buffers = buffers
        self._next = 0
        self.sequences = [0] * buffers
        path.write_bytes(bytes(self.size))
        self._file = path.open("r+b", buffering=0)
        lock = struct.pack("hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        fcntl.fcntl(self._file, 37, lock)  # F_OFD_SETLK, as the server does while it lives
        sizes = (HEADER, self.size, self.stride, buffers)
        header = (MAGIC, VERSION, *sizes, 0, BOOT, server.generation)
        self.put(0, struct.pack("<QIIQQIIQQII5I", *header, buffers - 1, 0, *self._counts))
        for number in range(buffers):
            offsets, at = [], HEADER + number * self.stride + BUFFER
            for count, kind in zip(self._counts, TABLES):
                offsets.append(at)
                at += 8 * count * WIDTHS[kind]
            head = struct.pack("<QQQIId7Q", 0, server.generation, 0, 0, 0, 0.0, *offsets, 31, LATER)
            self.put(HEADER + number * self.stride, head)
        server.shared_file = (str(path), VERSION, self.size)

    def put(self, at: int, data: bytes) -> None:
        self._file.seek(at)
        self._file.write(data)

    def begin(self) -> int:
        """Makes the next buffer's sequence odd."""
        start = HEADER + self._next * self.stride
        self.sequences[self._next] += 1
        self.put(start, struct.pack("<Q", self.sequences[self._next]))
        return start

    def publish(self, rows: Any = None) -> None:
        """Writes one instant: the server's rows, or the same number everywhere."""
        world = self._server.world
        start = self.begin()
        nanoseconds = round(world.time[0] * 1e9)
        head = struct.pack("<QIId", 7, nanoseconds // 10**9, nanoseconds % 10**9, world.timestep)
        self.put(start + 16, head)
        tables = [self._server.flat(kind) for kind in TABLES]
        if rows is not None:
            tables = [np.full_like(table, rows) for table in tables]
        self.put(start + BUFFER, b"".join(table.tobytes() for table in tables))
        self.sequences[self._next] += 1
        self.put(start, struct.pack("<Q", self.sequences[self._next]))
        self.put(LATEST, struct.pack("<I", self._next))
        self._next = (self._next + 1) % self._buffers

    def end(self) -> None:
        """Marks the file as obsolete."""
        self.put(OBSOLETE, struct.pack("<I", 1))

    def close(self) -> None:
        self._file.close()


Share = Callable[..., SharedFile]


@pytest.fixture
def share(server: Any, tmp_path: Path) -> Iterator[Share]:
    """Makes a file for the server's present rows and offers it."""
    made: list[SharedFile] = []

    def share(**options: Any) -> SharedFile:
        made.append(SharedFile(tmp_path / f"tables{len(made)}", server, **options))
        return made[-1]

    yield share
    for file in made:
        file.close()


@pytest.fixture
def simulator(connect: Connect, server: Any) -> GazeboSimulator:
    """With a ball, a lamp, and shared memory; the calls so far are forgotten."""
    simulator = connect(shared_memory=True)
    simulator.spawn([SpawnRequest("free", "ball", Pose((1, 2, 3)))])
    simulator.spawn([SpawnRequest("lamp", "lamp", Pose((4, 5, 6)))])
    assert len(simulator.entities.models) == 2
    server.calls.clear()
    return simulator


def test_reads_need_no_calls(simulator: GazeboSimulator, server: Any, share: Share) -> None:
    """After the file was opened; every table and the time are those of the latest buffer."""
    file = share()
    file.publish()
    tables = Tables(simulator.entities)
    simulator.read(tables)
    assert server.calls == ["open_shared_memory"]
    np.testing.assert_array_equal(tables.models.pose[0, :, :3], [[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(tables.lights.attenuation[0], [[1, 0, 0]])
    assert tables.visuals.visible.all()
    for tick in range(1, 7):
        server.world.step(100)
        file.publish(float(tick))
        simulator.read(tables, [("links", "twist"), ("models", "pose")])
        assert (tables.models.pose == tick).all()
        assert (tables.links.twist == tick).all()
        np.testing.assert_allclose(simulator.time, [tick * 0.1])
    assert server.calls == ["open_shared_memory"]


def test_what_may_be_of_the_past_is_requested(
    simulator: GazeboSimulator, server: Any, share: Share
) -> None:
    """Others may have changed the world since the file was written."""
    file = share()
    for number in range(4):
        file.put(HEADER + number * file.stride + EXPIRES, struct.pack("<Q", time.monotonic_ns()))
    file.publish(rows=7.0)
    tables = Tables(simulator.entities)
    simulator.read(tables)
    assert tables.models.pose[0, 0].tolist() == [1, 2, 3, 0, 0, 0, 1]
    assert "exchange" in server.calls


def test_steps_prefetch_no_tables(simulator: GazeboSimulator, server: Any, share: Share) -> None:
    """The file has them when the answer arrives."""
    file = share()
    server.meddle = file.publish
    tables = Tables(simulator.entities)
    simulator.read(tables)
    server.calls.clear()
    simulator.step(3)
    simulator.read(tables)
    assert server.calls == ["exchange"]


def test_the_file_is_locked_while_it_is_read(simulator: GazeboSimulator, share: Share) -> None:
    """Its lock is released when the simulator closes."""
    file = share()
    file.publish()
    simulator.read(Tables(simulator.entities))
    with file.path.open("r+b") as other:
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        simulator.close()
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_an_obsolete_file_is_replaced(
    simulator: GazeboSimulator, server: Any, share: Share
) -> None:
    """When entities are added or removed."""
    first = share()
    first.publish()
    simulator.read(Tables(simulator.entities))
    first.end()
    simulator.spawn([SpawnRequest("free", "late", Pose((7, 8, 9)))])
    share().publish()
    server.calls.clear()
    tables = Tables(simulator.entities)
    simulator.read(tables)
    assert server.calls == ["get_names", "open_shared_memory"]
    np.testing.assert_array_equal(tables.models.pose[0, 2, :3], [7, 8, 9])


def test_the_file_of_a_server_that_died_is_left(
    simulator: GazeboSimulator, server: Any, share: Share
) -> None:
    """The next read asks the server for another one, and so finds out that it is gone."""
    file = share()
    file.publish()
    simulator.read(Tables(simulator.entities))
    file.close()  # without the mark of one that is obsolete
    share().publish(8.0)
    tables = Tables(simulator.entities)
    simulator.read(tables)
    assert (tables.models.pose == 8.0).all()
    assert server.calls == ["open_shared_memory"] * 2


def test_rows_of_another_generation_are_not_mixed_up(
    simulator: GazeboSimulator, server: Any, share: Share
) -> None:
    """Tables of another generation than the file's are requested from the server."""
    share().publish()
    old = Tables(simulator.entities)
    simulator.spawn([SpawnRequest("free", "late", Pose())])
    share().publish()
    simulator.read(old)
    assert "exchange" in server.calls
    np.testing.assert_array_equal(old.models.pose[0, :, 0], [1, 4])


def test_a_table_is_written_for_those_who_read_it(
    simulator: GazeboSimulator, server: Any, share: Share
) -> None:
    """The first read of a table shows the server that it is wanted, and goes through ROS."""
    file = share()
    file.publish()
    for start in range(HEADER, file.size, file.stride):
        file.put(start + FILLED, struct.pack("<Q", 1))  # models alone
    tables = Tables(simulator.entities)
    simulator.read(tables, [("models", "pose")])
    assert server.calls == ["open_shared_memory"]
    simulator.read(tables, [("models", "pose"), ("links", "pose")])
    assert server.calls == ["open_shared_memory", "exchange"]
    np.testing.assert_array_equal(tables.links.pose[0, :, :3], [[1, 2, 3], [4, 5, 6]])
    assert struct.unpack_from("<I", file.path.read_bytes(), WANTED) == (3,)


def test_a_file_that_is_always_being_written_is_not_read(
    simulator: GazeboSimulator, server: Any, share: Share
) -> None:
    """An unfinished write does not block readers, and neither does an unwritten file."""
    file = share(buffers=1)
    tables = Tables(simulator.entities)
    simulator.read(tables)
    assert server.calls == ["open_shared_memory", "exchange"]
    file.publish()
    server.calls.clear()
    simulator.read(tables)
    assert server.calls == []
    file.begin()
    simulator.read(tables)
    assert server.calls == ["exchange"]
    assert tables.models.pose[0, 0, 0] == 1.0


WRITER = """
import mmap, struct, sys

path, header, stride, head, buffers = sys.argv[1], *map(int, sys.argv[2:])
with open(path, "r+b") as file:
    memory = mmap.mmap(file.fileno(), 0)
number = 0
print("writing", flush=True)
while True:
    number += 1
    start = header + number % buffers * stride
    memory[start] |= 1
    memory[start + head : start + stride] = struct.pack("<d", number) * ((stride - head) // 8)
    sequence = struct.unpack_from("<Q", memory, start)[0] + 1
    memory[start : start + 8] = struct.pack("<Q", sequence)
    memory[56] = number % buffers
"""


@pytest.mark.parametrize("buffers", [1, 4])
def test_no_read_is_torn(
    simulator: GazeboSimulator, server: Any, share: Share, buffers: int
) -> None:
    """While another process writes, each read is of one instant, or requested from the server."""
    file = share(buffers=buffers)
    file.publish(0.0)
    arguments = [file.path, HEADER, file.stride, BUFFER, buffers]
    command = [sys.executable, "-c", WRITER, *map(str, arguments)]
    seen = set()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        tables = Tables(simulator.entities)
        try:
            for number in range(200_000):  # as many as a busy machine may need
                if number >= 2000 and (len(seen) > 5 or buffers == 1):
                    break
                server.calls.clear()
                simulator.read(tables, [("models", "pose"), ("links", "twist")])
                if not server.calls:
                    values = {*tables.models.pose.ravel(), *tables.links.twist.ravel()}
                    assert len(values) == 1
                    seen |= values
        finally:
            writer.kill()
    assert len(seen) > 5 or buffers == 1


def damaged(at: int, layout: str, value: int) -> Callable[[SharedFile], None]:
    return lambda file: file.put(at, struct.pack(layout, value))


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (damaged(0, "<Q", 42), "has magic 0x2a"),
        (damaged(8, "<I", 2), "version 2, not those of"),
        (damaged(16, "<Q", 1000), "says it has 1000 bytes"),
        (damaged(24, "<Q", 2**40), "buffers of 1099511627776"),
        (damaged(32, "<I", 0), "0 buffers"),
        (damaged(64, "<I", 1000), "has 1000 models at"),
        (damaged(HEADER + 40, "<Q", 2**60), "outside of their buffer"),
        (damaged(HEADER + 48, "<Q", 2**60), "outside of their buffer"),
        (damaged(LATEST, "<I", 4), "names its buffer 4 of 4"),
        (lambda file: file.path.unlink(), "cannot be opened here"),
        (lambda file: file.path.write_bytes(b""), "has 0 bytes, announced"),
    ],
)
def test_an_unusable_file_is_reported_once(
    simulator: GazeboSimulator,
    server: Any,
    share: Share,
    caplog: pytest.LogCaptureFixture,
    damage: Callable[[SharedFile], None],
    why: str,
) -> None:
    """The log has the reason; tables are read through ROS from then on."""
    file = share()
    file.publish()
    damage(file)
    tables = Tables(simulator.entities)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            simulator.read(tables)
    assert server.calls == ["open_shared_memory", "exchange", "exchange", "exchange"]
    assert tables.models.pose[0, 0, 0] == 1.0
    (record,) = caplog.records
    assert record.name == "deepsim_gazebo"
    assert why in record.getMessage()


@pytest.mark.parametrize("offer", [None, ("/nowhere", VERSION, 100)])
def test_a_server_without_a_file_is_reported_once(
    simulator: GazeboSimulator, server: Any, caplog: pytest.LogCaptureFixture, offer: Any
) -> None:
    """It refuses, or uses the layout of another release."""
    server.shared_file = offer
    with caplog.at_level(logging.WARNING):
        simulator.read(Tables(simulator.entities))
        simulator.read(Tables(simulator.entities))
    assert len(caplog.records) == 1
    assert "through ROS, not through shared memory" in caplog.text


LAYOUT = (
    Path(__file__)
    .parents[5]
    .joinpath(
        "plugins/gazebo-batch-state/gazebo_batch_state/include/gazebo_batch_state/shared_table.hpp"
    )
)


@pytest.mark.skipif(not LAYOUT.is_file(), reason="the plugin's sources are not here")
def test_the_layout_is_that_of_the_plugin() -> None:
    """The numbers that both sides must agree on, in the plugin's header."""
    text = LAYOUT.read_text(encoding="utf-8")
    assert f"kSharedMagic = {MAGIC:#x};" in text
    assert f"kSharedVersion = {VERSION};" in text
    assert f"sizeof(SharedHeader) == {HEADER} && offsetof(SharedHeader, latest) == {LATEST}" in text
    assert f"sizeof(SharedBuffer) == {BUFFER} && offsetof(SharedBuffer, offset) == 40" in text

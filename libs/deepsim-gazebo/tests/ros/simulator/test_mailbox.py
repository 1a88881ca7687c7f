# SPDX-License-Identifier: Apache-2.0
"""Exchanges through a mailbox, which a thread of the test answers as the plugin does."""

from __future__ import annotations

import fcntl
import logging
import mmap
import os
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest

from deepsim_gazebo import (
    CallLostError,
    CallRefusedError,
    CallTimeoutError,
    GazeboSimulator,
)
from deepsim_gazebo.shared_memory import Futex
from deepsim_math import Pose
from deepsim_sync import SpawnRequest, Tables

Connect = Callable[..., GazeboSimulator]
HEADER = 128
VERSION = 2
SIZE, BELL, POSTED, ANSWERED, CLOSED, REQUEST_SIZE, REPLY_SIZE = 16, 32, 36, 40, 44, 48, 56


class Mailbox:
    """The server's end, of gazebo_batch_state/mailbox.hpp.

    Attributes:
        answered: The number of requests that were answered through it.
        failure: The reason with which it answers instead of doing anything.
        silent: Whether it answers nothing.
    """

    def __init__(self, path: Path, server: Any, *, room: int = 1 << 16) -> None:
        self.answered = 0
        self.failure = ""
        self.silent = False
        self._server = server
        self._size, self._reply_at = HEADER + 2 * room, HEADER + room
        path.write_bytes(bytes(self._size))
        self._file = path.open("r+b", buffering=0)
        self._lock(fcntl.F_WRLCK)  # as the server does while it lives
        self.memory = mmap.mmap(self._file.fileno(), self._size)
        magic = int.from_bytes(b"DSMAIL01", "little")
        header = (magic, VERSION, HEADER, self._size, self._reply_at)
        struct.pack_into("=QIIQQ", self.memory, 0, *header)
        server.mailbox = (str(path), VERSION, self._size)
        self._ended = False
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def word(self, at: int) -> int:
        return int(struct.unpack_from("=I", self.memory, at)[0])

    def kill(self) -> None:
        """Ends as a killed server does: without a word."""
        if not self._ended:
            self._ended = True
            Futex(self.memory, BELL).wake(self.word(BELL) + 1)
            self._thread.join()
            self._lock(fcntl.F_UNLCK)
            self._file.close()

    def close(self) -> None:
        """Ends as the plugin does."""
        struct.pack_into("=I", self.memory, CLOSED, 1)
        Futex(self.memory, ANSWERED).wake(self.word(ANSWERED))

    def _lock(self, kind: int) -> None:
        lock = struct.pack("hhqqi0q", kind, os.SEEK_SET, 0, 0, 0)
        fcntl.fcntl(self._file, 37, lock)  # F_OFD_SETLK

    def _run(self) -> None:
        bell, answered = Futex(self.memory, BELL), Futex(self.memory, ANSWERED)
        while not self._ended:
            rung = bell.value
            if self.word(POSTED) == answered.value or self.silent:
                bell.wait(rung, 0.1)
                continue
            (size,) = struct.unpack_from("=Q", self.memory, REQUEST_SIZE)
            reply = self.failure.encode() or self._server.exchange(
                self.memory[HEADER : HEADER + size]
            )
            missing = self._reply_at + len(reply) - len(self.memory)
            if missing > 0:  # what the first mapping of the client has no room for
                self._file.truncate(len(self.memory) + missing)
                self.memory = mmap.mmap(self._file.fileno(), len(self.memory) + missing)
                struct.pack_into("=Q", self.memory, SIZE, len(self.memory))
                bell, answered = Futex(self.memory, BELL), Futex(self.memory, ANSWERED)
            self.memory[self._reply_at : self._reply_at + len(reply)] = reply
            failed = bool(self.failure)
            struct.pack_into("=QI", self.memory, REPLY_SIZE, len(reply), failed)
            self.answered += 1
            answered.wake(self.word(POSTED))


Offer = Callable[..., Mailbox]


@pytest.fixture
def offer(server: Any, tmp_path: Path) -> Iterator[Offer]:
    """Makes a mailbox and offers it."""
    made: list[Mailbox] = []

    def offer(**options: Any) -> Mailbox:
        made.append(Mailbox(tmp_path / f"mailbox{len(made)}", server, **options))
        return made[-1]

    yield offer
    for mailbox in made:
        mailbox.kill()


def test_exchanges_need_no_calls(connect: Connect, server: Any, offer: Offer) -> None:
    """After the mailbox was opened steps, writes and reads go through it."""
    mailbox = offer()
    simulator = connect(shared_memory=True)
    assert "exchange" not in server.calls
    server.calls.clear()
    for number in range(1, 1000):
        simulator.step(number % 3 + 1)
        assert mailbox.answered == number + 1
    assert simulator.time == pytest.approx(sum(n % 3 + 1 for n in range(1, 1000)) / 1000)
    assert server.calls == []


def test_large_requests_go_through_ros(connect: Connect, server: Any, offer: Offer) -> None:
    """Where the mailbox has no room for them."""
    offer(room=16)
    simulator = connect(shared_memory=True)
    server.calls.clear()
    simulator.step(5)
    assert server.calls == ["exchange"]
    assert simulator.time == [0.005]


def test_a_large_reply_makes_the_mailbox_grow(connect: Connect, server: Any, offer: Offer) -> None:
    """The client maps it again, and nothing is lost."""
    offer(room=100)
    simulator = connect(shared_memory=True)
    for number in range(20):
        simulator.spawn([SpawnRequest("free", f"ball{number}", Pose((number, 0, 0)))])
    tables = Tables(simulator.entities)
    for _ in range(2):
        simulator.step()
        simulator.read(tables, [("models", "pose")])
        assert tables.models.pose[0, :, 0].tolist() == list(range(20))


def test_a_failure_has_its_reason(connect: Connect, server: Any, offer: Offer) -> None:
    """The mailbox goes on after it."""
    mailbox = offer()
    simulator = connect(shared_memory=True)
    mailbox.failure = "out of memory"
    with pytest.raises(CallRefusedError, match=r"exchange failed: out of memory; asked: 1 steps"):
        simulator.step()
    mailbox.failure = ""
    simulator.step()
    assert simulator.time == [0.001]


@pytest.mark.parametrize("end", [Mailbox.close, Mailbox.kill])
def test_a_server_that_is_gone_is_noticed(
    connect: Connect, server: Any, offer: Offer, end: Callable[[Mailbox], None]
) -> None:
    """At once if it ended, and soon if it was killed; the next call reconnects."""
    mailbox = offer()
    simulator = connect(shared_memory=True)
    mailbox.silent = True
    end(mailbox)
    with pytest.raises(CallLostError, match="is gone; asked: 1 steps"):
        simulator.step()
    server.calls.clear()
    server.mailbox = None
    simulator.step()
    assert server.calls == ["pause", "open_mailbox", "get_names", "exchange"]


def test_an_answer_that_does_not_come_is_an_error(
    connect: Connect, server: Any, offer: Offer
) -> None:
    """After the timeout; the late answer is not taken for that of the next call."""
    mailbox = offer()
    simulator = connect(shared_memory=True, timeout=0.2)
    mailbox.silent = True
    with pytest.raises(CallTimeoutError, match=r"did not answer within 0\.2 s; asked: 3 steps"):
        simulator.step(3)
    mailbox.silent = False
    other = offer()
    simulator.step()
    assert other.answered == 1


@pytest.mark.parametrize(
    ("at", "value", "why"),
    [(0, 42, "has magic 0x31304c490000002a"), (8, 9, "version 9, not those of")],
)
def test_an_unusable_mailbox_is_reported(
    connect: Connect,
    server: Any,
    offer: Offer,
    caplog: pytest.LogCaptureFixture,
    at: int,
    value: int,
    why: str,
) -> None:
    """Exchanges go through ROS then."""
    struct.pack_into("=I", offer().memory, at, value)
    with caplog.at_level(logging.INFO):
        connect(shared_memory=True).step()
    assert server.calls.count("exchange") == 2
    assert any(why in record.getMessage() for record in caplog.records)


def test_a_second_client_goes_through_ros(connect: Connect, server: Any) -> None:
    """Where the server refuses a mailbox, as it has one for another client."""
    simulator = connect(shared_memory=True)
    simulator.step()
    assert server.calls.count("exchange") == 2

# SPDX-License-Identifier: Apache-2.0
"""The clock of a free-running world, and ticks that follow it."""

from __future__ import annotations

import queue
import struct
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from deepsim_gazebo.errors import CallLostError, CallTimeoutError, UnreachableError
from deepsim_gazebo.ros.clock import CLOCK, Pace, SimulationClock
from deepsim_gazebo.ros.tcpros import Master

MS = 1_000_000


def frame(nanoseconds: int) -> bytes:
    return struct.pack("<III", 8, nanoseconds // 10**9, nanoseconds % 10**9)


class Publisher:
    """Publishes /clock in pieces that the tests choose."""

    def __init__(self, network: Any) -> None:
        self._pieces: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.headers: list[dict[str, str]] = []
        self.listener = network.listen(self._serve)
        network.topics["/clock"] = self.listener.address

    def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            self._pieces.put(piece)

    def end(self) -> None:
        self._pieces.put(None)

    def _serve(self, peer: Any) -> None:
        self.headers.append(peer.header())
        peer.answer_header(callerid="/gazebo", md5sum=CLOCK.md5, type=CLOCK.type, topic="/clock")
        while (piece := self._pieces.get()) is not None:
            peer.send(piece)


@pytest.fixture
def publisher(network: Any) -> Iterator[Publisher]:
    publisher = Publisher(network)
    yield publisher
    publisher.end()


@pytest.fixture
def clock(network: Any) -> Iterator[SimulationClock]:
    clock = SimulationClock(Master(network.uri, "/tests", 5.0), "/tests", 5.0)
    yield clock
    clock.close()


def test_waits_until_it_is_time(publisher: Publisher, clock: SimulationClock) -> None:
    """Earlier times are skipped."""
    publisher.send(*(frame(n * MS) for n in range(1, 8)))
    assert clock.wait_until(0.005) >= 0.005
    assert clock.wait_until(0.007) == 0.007
    assert publisher.headers[0]["topic"] == "/clock"
    assert publisher.headers[0]["md5sum"] == CLOCK.md5


def test_messages_may_come_in_any_pieces(publisher: Publisher, clock: SimulationClock) -> None:
    """TCP does not preserve message boundaries."""
    stream = b"".join(frame(n * MS) for n in range(1, 4))
    publisher.send(*(stream[at : at + 5] for at in range(0, len(stream), 5)))
    assert clock.wait_until(0.003) == 0.003


def test_a_clock_that_goes_back_ends_the_wait(publisher: Publisher, clock: SimulationClock) -> None:
    """After a reset the time that was waited for may never come."""
    publisher.send(frame(5000 * MS))
    assert clock.look() == 5.0
    publisher.send(frame(MS))
    assert clock.wait_until(5.5) == 0.001


def test_a_clock_that_stands_still_is_reported(network: Any, publisher: Publisher) -> None:
    """For example in a paused world."""
    clock = SimulationClock(Master(network.uri, "/tests", 5.0), "/tests", 0.2)
    publisher.send(frame(1500 * MS))
    with pytest.raises(CallTimeoutError, match=r"stood still at 1.5 s for 0.2 s: is the world pau"):
        clock.wait_until(9.0)


def test_a_publisher_that_ends_is_reported(publisher: Publisher, clock: SimulationClock) -> None:
    """By `look` and by `wait_until`; so is a missing publisher."""
    publisher.send(frame(MS))
    assert clock.look() == 0.001
    publisher.end()
    with pytest.raises(CallLostError, match=r"/clock came no more after 0.001 s"):
        clock.wait_until(1.0)
    publisher.listener.stop()
    with pytest.raises(UnreachableError, match="nobody listens there"):
        clock.wait_until(1.0)


def test_nobody_publishes(clock: SimulationClock) -> None:
    """The topic is named."""
    with pytest.raises(UnreachableError, match="nobody publishes /clock: is gzserver running"):
        clock.look()


@pytest.fixture
def run_to(publisher: Publisher, clock: SimulationClock) -> Callable[[int], None]:
    """Advances the clock to a time in milliseconds."""

    def run_to(milliseconds: int) -> None:
        publisher.send(frame(milliseconds * MS))
        clock.wait_until(milliseconds / 1000)

    return run_to


def test_ticks_keep_to_the_clock(
    publisher: Publisher, clock: SimulationClock, run_to: Callable[[int], None]
) -> None:
    """Each tick waits for its time, and none is late."""
    pace = Pace(clock)
    run_to(100)
    pace.wait(0.0, 0.001)
    for milliseconds in (110, 120, 130):
        publisher.send(frame(milliseconds * MS))
        pace.wait(0.01, 0.001)
        assert clock.time == milliseconds / 1000
    assert pace.late_ticks == 0


def test_late_ticks_are_counted_once(
    publisher: Publisher, clock: SimulationClock, run_to: Callable[[int], None]
) -> None:
    """The tick after a late one is due one period later."""
    pace = Pace(clock)
    run_to(100)
    pace.wait(0.0, 0.001)
    run_to(500)
    pace.wait(0.01, 0.001)
    assert pace.late_ticks == 1
    publisher.send(frame(510 * MS))
    pace.wait(0.01, 0.001)
    assert (pace.late_ticks, clock.time) == (1, 0.51)


def test_a_clock_that_went_back_makes_no_tick_late(
    publisher: Publisher, clock: SimulationClock, run_to: Callable[[int], None]
) -> None:
    """After a reset, ticks are due from the new time on."""
    pace = Pace(clock)
    run_to(9000)
    pace.wait(0.0, 0.001)
    publisher.send(frame(0))
    clock.wait_until(9.02)
    pace.wait(0.0, 0.001)
    publisher.send(frame(10 * MS))
    pace.wait(0.01, 0.001)
    assert (pace.late_ticks, clock.time) == (0, 0.01)

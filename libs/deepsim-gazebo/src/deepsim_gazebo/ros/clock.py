# SPDX-License-Identifier: Apache-2.0
"""The simulated time of a free-running world, from ``/clock``, and ticks that follow it."""

from __future__ import annotations

import socket
import struct
from typing import NoReturn

from deepsim_gazebo.errors import CallLostError, CallTimeoutError, UnreachableError

from .tcpros import Master, RosType, opened

CLOCK = RosType("rosgraph_msgs/Clock", "a9c97c1d230cfc112e270351a944ee47")
"""The message type of ``/clock``."""

_TOPIC = "/clock"
_FRAME = struct.Struct("<III")  # length of the rest (8), seconds, nanoseconds


class SimulationClock:
    """Subscriber to ``/clock`` without a thread; it skips all messages but the newest.

    Args:
        master: The ROS master that the publisher is registered with.
        caller: The ROS name of this process.
        timeout: Longest wait for a new time [s].

    Attributes:
        time: The latest simulated time received [s].
    """

    def __init__(self, master: Master, caller: str, timeout: float) -> None:
        self._master = master
        self._header = {
            "callerid": caller,
            "topic": _TOPIC,
            "md5sum": CLOCK.md5,
            "type": CLOCK.type,
            "tcp_nodelay": "1",
        }
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._rest = b""
        self.time = 0.0

    def look(self) -> float:
        """Returns the newest time received [s]; waits only for the very first one.

        Raises:
            GazeboError: No time is published.
        """
        if self._socket is None:
            self._wait(self._connect())
        connection = self._connect()
        connection.setblocking(False)
        try:
            while True:
                self._take(connection.recv(1 << 16))
        except BlockingIOError:
            return self.time
        except OSError as error:
            self._lose(error)

    def wait_until(self, time: float) -> float:
        """Waits until the clock reaches `time` or goes back; returns the time [s].

        Raises:
            CallTimeoutError: The clock stands still.
            CallLostError: The publisher is gone.
        """
        connection = self._connect()
        before = self.time
        while before <= self.time < time:
            before = self.time
            self._wait(connection)
        return self.time

    def close(self) -> None:
        """Closes the connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
            self._rest = b""

    def _connect(self) -> socket.socket:
        if self._socket is None:
            addresses = self._master.publishers(_TOPIC)
            if not addresses:
                raise UnreachableError(f"nobody publishes {_TOPIC}: is gzserver running?")
            place = f"topic {_TOPIC} at {addresses[0][0]}:{addresses[0][1]}"
            self._socket = opened(place, addresses[0], self._header, self._timeout)
        return self._socket

    def _wait(self, connection: socket.socket) -> None:
        """Waits for at least one new message."""
        connection.settimeout(self._timeout)
        try:
            while not self._take(connection.recv(1 << 16)):
                pass
        except socket.timeout as error:
            self.close()
            raise CallTimeoutError(
                f"{_TOPIC} stood still at {self.time:g} s for {self._timeout:g} s: is the world "
                "paused? resume() lets it run"
            ) from error
        except OSError as error:
            self._lose(error)

    def _take(self, received: bytes) -> bool:
        """Reads the newest complete message; returns whether there was one."""
        if not received:
            raise ConnectionResetError("closed by the publisher")
        data = self._rest + received
        whole = len(data) // _FRAME.size * _FRAME.size
        self._rest = data[whole:]
        if not whole:
            return False
        _, seconds, nanoseconds = _FRAME.unpack_from(data, whole - _FRAME.size)
        self.time = (seconds * 1_000_000_000 + nanoseconds) / 1e9
        return True

    def _lose(self, error: OSError) -> NoReturn:
        self.close()
        raise CallLostError(
            f"{_TOPIC} came no more after {self.time:g} s ({error}): did gzserver end?"
        ) from error


class Pace:
    """Timer that delays ticks until their simulated time has come.

    Attributes:
        late_ticks: The number of ticks that were requested after their time had passed.
    """

    def __init__(self, clock: SimulationClock) -> None:
        self._clock = clock
        self._due: float | None = None
        self._seen = 0.0
        self.late_ticks = 0

    def wait(self, duration: float, resolution: float) -> None:
        """Waits until `duration` has passed since the last tick was due.

        A late tick is counted and returns at once; the next one is due `duration` after it. If
        the clock went back, as after a reset, the tick is due `duration` from now.

        Args:
            duration: Simulated time from one tick to the next [s].
            resolution: Twice the time that a tick may be early or late [s].
        """
        now = self._clock.look()
        if self._due is None or now < self._seen:
            self._due = now
        self._due += duration
        if now > self._due + resolution / 2:
            self.late_ticks += 1
            self._due = self._seen = now
        else:
            self._seen = self._clock.wait_until(self._due - resolution / 2)

    def restart(self) -> None:
        """Forgets when the last tick was due: the next call to `wait` takes its whole duration."""
        self._due = None

# SPDX-License-Identifier: Apache-2.0
"""``/clock``, by which a world that runs freely says what time it is, and ticks that follow it."""

from __future__ import annotations

import socket
import struct
from typing import NoReturn

from .errors import CallLostError, CallTimeoutError, UnreachableError
from .master import Master
from .services import CLOCK
from .tcpros import opened

_TOPIC = "/clock"
_FRAME = struct.Struct("<III")  # 8, the length of what follows: seconds, nanoseconds


class SimulationClock:
    """Follows ``/clock`` without a thread: what piled up since the last look is skipped.

    Args:
        master: Who knows the publisher.
        caller: The ROS name of this process.
        timeout: Longest wait for a new time [s].

    Attributes:
        time: The latest simulated time that was seen [s].
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
        """The newest time that has come [s]; waits for one only where none ever came.

        Raises:
            GazeboError: Nobody publishes the time, or not any more.
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
        """Waits until it is at least so late, or the clock goes back; returns the time [s].

        Raises:
            CallTimeoutError: Time stands still.
            CallLostError: The publisher is gone.
        """
        connection = self._connect()
        before = self.time
        while before <= self.time < time:
            before = self.time
            self._wait(connection)
        return self.time

    def close(self) -> None:
        """Stops following."""
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
        """Waits for at least one new time."""
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
        """Reads the last of the messages received; whether there was a whole one."""
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
    """Holds ticks to the clock of a world that runs freely.

    Args:
        clock: What time it is.

    Attributes:
        late_ticks: How many ticks were asked for when their time was over already.
    """

    def __init__(self, clock: SimulationClock) -> None:
        self._clock = clock
        self._due: float | None = None
        self._seen = 0.0
        self.late_ticks = 0

    def wait(self, duration: float, resolution: float) -> None:
        """Waits until so much time has passed since the last tick was due.

        A tick that comes too late is counted and not waited for, and the next one is due from now
        on. After the clock went back, as by a reset, the count of time begins anew.

        Args:
            duration: Simulated time from one tick to the next [s].
            resolution: Half of it is what a tick may be early or late [s].
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
        """Forgets when the last tick was."""
        self._due = None

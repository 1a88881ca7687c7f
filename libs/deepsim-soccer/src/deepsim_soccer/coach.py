# SPDX-License-Identifier: Apache-2.0
"""A coach's commands over UDP, and the state of its team in return."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable
from enum import IntEnum
from types import TracebackType
from typing import NamedTuple, TypeVar

import numpy as np

from .perception import OmniVision
from .referee import Call

_SHORT = struct.Struct("<3b")  # Head, MatchMode, MatchType
# MatchMode, MatchType, TestMode, two points [cm], two angles, two robots, force; padded as by C.
_LONG = struct.Struct("<3bx6h3bx")
_MOST = 256  # datagrams that one call reads
_T = TypeVar("_T")


class Mode(IntEnum):
    """States of the game, as a coach sends them to its own team ("our") about both."""

    STOP = 0
    OUR_KICK_OFF = 1
    OPPONENT_KICK_OFF = 2
    OUR_THROW_IN = 3
    OPPONENT_THROW_IN = 4
    OUR_PENALTY = 5
    OPPONENT_PENALTY = 6
    OUR_GOAL_KICK = 7
    OPPONENT_GOAL_KICK = 8
    OUR_CORNER = 9
    OPPONENT_CORNER = 10
    OUR_FREE_KICK = 11
    OPPONENT_FREE_KICK = 12
    DROP_BALL = 13
    START = 15
    PARKING = 25
    TEST = 27

    @property
    def call(self) -> Call:
        """The restart that it is; `Call.NONE` for a mode that restarts nothing."""
        if self in (Mode.STOP, Mode.START, Mode.PARKING, Mode.TEST):
            return Call.NONE
        return Call(self if self % 2 else self - 1)

    def team(self, coach: int) -> int:
        """Returns whose restart it is, 0 cyan or 1 magenta, where the coach is of team `coach`."""
        return coach if self % 2 else 1 - coach


class CoachMessage(NamedTuple):
    """One command.

    Attributes:
        mode: The state of the game.
        previous: The state before it, MatchType.
        test: Number of a test, in mode `TEST`.
        point_a: A place for the test, x and y [m], to 1 cm.
        point_b: Another one.
        angle_a: For robot A, as sent.
        angle_b: For robot B, as sent.
        robot_a: Number of a robot.
        robot_b: Number of another one.
        force: Of a kick, as sent.
    """

    mode: Mode
    previous: Mode = Mode.STOP
    test: int = 0
    point_a: tuple[float, float] = (0.0, 0.0)
    point_b: tuple[float, float] = (0.0, 0.0)
    angle_a: int = 0
    angle_b: int = 0
    robot_a: int = 0
    robot_b: int = 0
    force: int = 0

    def to_bytes(self, *, short: bool = False) -> bytes:
        """Returns a datagram.

        Args:
            short: Whether as in 2015: 3 bytes, with the modes alone; otherwise 20.

        Raises:
            ValueError: A number does not fit.
        """
        if short:
            return _SHORT.pack(0, self.mode, self.previous)
        places = [round(100.0 * x) for x in (*self.point_a, *self.point_b)]
        rest = self.angle_a, self.angle_b, self.robot_a, self.robot_b, self.force
        try:
            return _LONG.pack(self.mode, self.previous, self.test, *places, *rest)
        except struct.error as error:
            raise ValueError(f"{self} does not fit into a datagram: {error}") from None

    @classmethod
    def from_bytes(cls, data: bytes) -> CoachMessage:
        """Returns the message of a datagram of either layout.

        Raises:
            ValueError: It has another length, or an unknown mode.
        """
        if len(data) == _SHORT.size:
            _, mode, previous = _SHORT.unpack(data)
            return cls(Mode(mode), Mode(previous))
        if len(data) != _LONG.size:
            raise ValueError(f"a datagram has 3 or 20 bytes, got {len(data)}")
        mode, previous, test, *places, angle_a, angle_b, a, b, force = _LONG.unpack(data)
        ax, ay, bx, by = (each / 100.0 for each in places)
        return cls(
            Mode(mode), Mode(previous), test, (ax, ay), (bx, by), angle_a, angle_b, a, b, force
        )


class CoachBridge:
    """Receives a coach's commands for all robots of a team, and sends their state back.

    Nothing waits: call `receive` once per tick. Whoever sent the last good datagram is the coach.

    Args:
        host: Address to listen on; others than loopback let anybody in the network command.
        port: To listen on; 0 for any that is free.

    Attributes:
        address: Host and port.
        dropped: Datagrams that were no commands.

    Raises:
        OSError: The address is taken.

    Example::

        with CoachBridge() as bridge:
            message = bridge.receive()
            if message and message.mode.call:
                referee.restart([0], message.mode.call, message.mode.team(coach=0))
            bridge.send(Perception(pitch).look(), robots=[0, 1, 2])
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.setblocking(False)
            self._socket.bind((host, port))
        except BaseException:
            self._socket.close()
            raise
        self.address: tuple[str, int] = self._socket.getsockname()
        self.dropped = 0
        self._coach: tuple[str, int] | None = None

    def receive(self) -> CoachMessage | None:
        """Returns the last command since the last call, or None."""
        found = None
        for _ in range(_MOST):
            got = _unless_blocked(lambda: self._socket.recvfrom(_LONG.size + 1))
            if got is None:
                break
            data, sender = got
            try:
                found = CoachMessage.from_bytes(data)
            except ValueError:
                self.dropped += 1
            else:
                self._coach = sender
        return found

    def send(self, seen: OmniVision, robots: list[int], world: int = 0) -> bool:
        """Sends the coach what some robots report, as JSON: lengths in m, angles in rad.

        Args:
            seen: Of all robots.
            robots: Numbers of those of the coach's team.
            world: Number of the world.

        Returns:
            Whether there is a coach to send it to, and the network took it.
        """
        if self._coach is None:
            return False
        report = {
            str(number): {
                "place": seen.place[world, number].tolist(),
                "yaw": float(seen.yaw[world, number]),
                "velocity": seen.velocity[world, number].tolist(),
                "ball": seen.ball[world, number].tolist(),
                "obstacles": np.round(seen.obstacles[world, number], 3).tolist(),
                "valid": bool(seen.valid[world, number]),
                "stuck": bool(seen.stuck[world, number]),
            }
            for number in robots
        }
        data, coach = json.dumps(report).encode(), self._coach
        return _unless_blocked(lambda: self._socket.sendto(data, coach)) is not None

    def close(self) -> None:
        """Closes the socket."""
        self._socket.close()

    def __enter__(self) -> CoachBridge:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _unless_blocked(call: Callable[[], _T]) -> _T | None:
    """Returns the result of a call of a socket, or None where it would wait or nobody listens."""
    try:
        return call()
    except (BlockingIOError, ConnectionError):
        return None

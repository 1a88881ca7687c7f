# SPDX-License-Identifier: Apache-2.0
"""Communicates with a coach over UDP: receives commands, and sends the state of the team."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import IntEnum
from typing import NamedTuple, TypeVar

import numpy as np

from .perception import OmniVision
from .pitch.ball import Numbers
from .referee import Referee
from .restart_places import Call

_SHORT = struct.Struct("<3b")  # Head, MatchMode, MatchType
# MatchMode, MatchType, TestMode, two points [cm], two angles, two robots, force; padded as in C.
_LONG = struct.Struct("<3bx6h3bx")
_MOST = 256  # the greatest number of datagrams that one call reads
_T = TypeVar("_T")


class Mode(IntEnum):
    """The states of the game that a coach sends; "our" is the coach's own team.

    Example:
        >>> Mode.OPPONENT_CORNER.call.name, Mode.OPPONENT_CORNER.team(coach=0)
        ('CORNER', 1)
    """

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
        """The restart that this mode calls for, or `Call.NONE`."""
        if self in (Mode.STOP, Mode.START, Mode.PARKING, Mode.TEST):
            return Call.NONE
        return Call(self if self % 2 else self - 1)

    def team(self, coach: int) -> int:
        """Returns the team that restarts play, given the coach's own team; 0 cyan, 1 magenta."""
        return coach if self % 2 else 1 - coach


class CoachMessage(NamedTuple):
    """A coach's command.

    Attributes:
        mode: State of the game; the datagram's field MatchMode.
        previous: Previous state of the game; the datagram's field MatchType.
        test: Number of the test, in mode `TEST`.
        point_a: First place of the test, x and y [m]; the datagram has whole centimetres.
        point_b: Second place of the test, likewise.
        angle_a: Angle for robot A, in the sender's unit.
        angle_b: Angle for robot B, in the sender's unit.
        robot_a: Number of robot A.
        robot_b: Number of robot B.
        force: Strength of a kick, in the sender's unit.

    Example:
        >>> data = CoachMessage(Mode.START).to_bytes()
        >>> len(data), CoachMessage.from_bytes(data).mode.name
        (20, 'START')
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
        """Returns the message as a datagram of 20 bytes.

        Args:
            short: Whether to use the 3-byte layout of 2015, which only has the modes.

        Raises:
            ValueError: A number does not fit into its field.
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
        """Decodes a datagram in either layout.

        Raises:
            ValueError: The datagram has neither 3 nor 20 bytes, or its mode is unknown.
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

    def apply(self, referee: Referee, worlds: Numbers, coach: int) -> None:
        """Lets the referee of some worlds, (w,), do what a team's coach commands.

        STOP and PARKING stop the robots, START lets them play, and a restart is called for its
        team; TEST is left to the robots.

        Args:
            referee: The referee.
            worlds: Numbers of the worlds, (w,).
            coach: The coach's own team: 0 cyan, 1 magenta.
        """
        if self.mode in (Mode.STOP, Mode.PARKING):
            referee.stop(worlds, park=self.mode == Mode.PARKING)
        elif self.mode == Mode.START:
            referee.start(worlds)
        elif self.mode.call != Call.NONE:
            referee.restart(worlds, self.mode.call, self.mode.team(coach))


class CoachBridge(AbstractContextManager["CoachBridge"]):
    """Receives a coach's commands to a team and sends the team's state back, without blocking.

    The sender of the last valid datagram is the coach. Call `receive` once per tick.

    Args:
        host: Address to listen on. On any address but loopback, anyone in the network can send
            commands.
        port: Port to listen on; 0 for any free port.

    Attributes:
        address: Host and port of the socket.
        dropped: Number of invalid datagrams.

    Raises:
        OSError: The address is in use.

    Example:
        >>> with CoachBridge() as bridge:
        ...     message = bridge.receive()  # None: no coach has sent anything
        ...     if message:
        ...         message.apply(Referee(pitch), np.array([0]), coach=0)
        ...     bridge.send(Perception(pitch).look(), robots=[0])
        False
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
        """Returns the latest command received since the last call, or None."""
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
        """Sends the reports of some robots to the coach as JSON, in metres and radians.

        Args:
            seen: Reports of all robots.
            robots: Numbers of the robots of the coach's team.
            world: Number of the world.

        Returns:
            Whether a coach is known and the network accepted the datagram.
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

    def __exit__(self, *_: object) -> None:
        self.close()


def _unless_blocked(call: Callable[[], _T]) -> _T | None:
    """Returns the result of a socket call, or None if it would block or nobody listens."""
    try:
        return call()
    except (BlockingIOError, ConnectionError):
        return None

# SPDX-License-Identifier: Apache-2.0
"""The present instant of a remote world, and the messages that belong to it."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from rclpy.qos import QoSProfile
from simulation_interfaces import srv

from .services import CallRefusedError, Connection, UnreachableError

_PATIENCE = 0.3  # wait for a message until the server is asked for it again [s]


class Topic:
    """The latest message of a topic.

    Args:
        connection: The connection.
        kind: The class of its messages, which have a header.
        name: The topic.
        quality: Quality of service.
    """

    def __init__(
        self, connection: Connection, kind: Any, name: str, quality: QoSProfile | int = 10
    ) -> None:
        self.name = name
        self.message: Any = None
        self.published = 0
        self.close = connection.listen(kind, name, self._hear, quality)

    def _hear(self, message: Any, info: Any) -> None:
        self.message, self.published = message, info["source_timestamp"]

    @property
    def time(self) -> float:
        """The time in the header of the message [s]."""
        stamp = self.message.header.stamp
        return float(stamp.sec + stamp.nanosec * 1e-9)


class Present:
    """The instant at which the paused simulation stands.

    A message belongs to it if its stamp is this instant, and if it was published after the latest
    request that changed the world. After a request that changes the world at the same instant, the
    server is asked to publish by a request of 0 steps, because messages may cross an answer.
    Times of publication are compared with the clock of this machine, in nanoseconds.

    Args:
        connection: The connection.
        timestep: Duration of a step [s]; 0 until it is known.

    Attributes:
        time: Simulated time [s].
        timestep: Duration of a step [s].
    """

    def __init__(self, connection: Connection, timestep: float) -> None:
        self._connection = connection
        self.timestep = timestep
        self.time = 0.0
        self._steps = 0
        self._since = 0
        self._is_asked = False

    def step(self, steps: int) -> None:
        """Makes steps.

        Raises:
            CallRefusedError: The server makes none, or failed in one of them.
        """
        self._is_asked = False
        since = time.time_ns()
        self._connection.call("step_simulation", srv.StepSimulation, steps=steps)
        self._steps += steps
        self.time = self._steps * self.timestep
        self._since, self._is_asked = since, self.timestep > 0.0

    def change(self) -> None:
        """Forgets all messages, because the world was changed without a step."""
        self._is_asked = False

    def reset(self) -> None:
        """Returns to time 0."""
        self.time, self._steps, self._is_asked = 0.0, 0, False

    def correct(self, stamp: float) -> None:
        """Takes the time of the server [s] if others stepped or reset it."""
        if self.timestep == 0.0:
            self.time = stamp
        elif abs(stamp - self.time) >= 0.5 * self.timestep:
            self._steps = round(stamp / self.timestep)
            self.time = self._steps * self.timestep
            self._is_asked = False

    def message(self, topic: Topic) -> Any:
        """Returns the message of a topic at the present instant, which is waited for.

        Raises:
            UnreachableError: None comes.
        """

        def is_here() -> bool:
            return (
                topic.published >= self._since
                and topic.message is not None
                and abs(topic.time - self.time) < 0.5 * self.timestep
            )

        end = time.monotonic() + self._connection.timeout
        while not (self._is_asked and is_here()):
            if not self._is_asked:
                self._ask()
            try:
                self._connection.wait(is_here, f"no message on {topic.name!r}", _PATIENCE)
            except UnreachableError:
                if time.monotonic() > end:
                    latest = "nothing" if topic.message is None else f"one of {topic.time:g} s"
                    raise UnreachableError(
                        f"no message of time {self.time:g} s came on {topic.name!r} in "
                        f"{self._connection.timeout} s, but {latest}"
                    ) from None
                self._is_asked = False
        return topic.message

    def _ask(self) -> None:
        self._since, self._is_asked = time.time_ns(), True
        with suppress(CallRefusedError):  # by a server that publishes on its own
            self._connection.call("step_simulation", srv.StepSimulation, steps=0)

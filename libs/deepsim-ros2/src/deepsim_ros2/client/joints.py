# SPDX-License-Identifier: Apache-2.0
"""Joints of a remote robot: their states and commands are topics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState

from deepsim_sync import SCOPE, Tables

from .services import Connection

COMMANDS: Mapping[str, str] = {
    "target_position": "position",
    "target_velocity": "velocity",
    "feedforward": "effort",
}
"""The fields of a ``JointState`` as a command, by column of the joints table."""


class RobotJoints:
    """The joints of one model.

    Args:
        connection: The connection.
        model: Name of the model.
        topic: Topic of its states; commands go to ``joint_command`` beside it.
        timestep: Duration of a step, within half of which a message belongs to an instant [s].

    Attributes:
        names: The joints of the first message.
    """

    def __init__(self, connection: Connection, model: str, topic: str, timestep: float) -> None:
        self._connection, self._timestep = connection, timestep
        self._latest: JointState | None = None
        self._topic = topic
        self._stop = connection.listen(JointState, topic, self._hear)
        connection.wait(lambda: self._latest is not None, f"no joint state came on {topic!r}")
        self.names = tuple(self._message().name)
        self.rows = tuple(f"{model}{SCOPE}{name}" for name in self.names)
        self._given: dict[str, NDArray[np.float64]] = {}
        self._commands: Any = None

    def _hear(self, message: JointState) -> None:
        self._latest = message

    def _message(self) -> JointState:
        assert self._latest is not None  # of __init__ or read
        return self._latest

    def forget(self) -> None:
        """Forgets the latest state, because the world changed."""
        self._connection.drain()
        self._latest = None

    def read(self, tables: Tables, time: float) -> None:
        """Fills the rows of the joints with the state at a time [s], which is waited for.

        Raises:
            UnreachableError: No state of that instant comes.
        """

        def is_present() -> bool:
            if self._latest is None:
                return False
            stamp = self._latest.header.stamp
            off = abs(float(stamp.sec + stamp.nanosec * 1e-9) - time)
            return off < 0.5 * self._timestep

        what = f"no joint state of time {time:g} s came on {self._topic!r}"
        self._connection.wait(is_present, what)
        message, rows = self._message(), tables.entities.joints.rows(self.rows)
        places = [list(message.name).index(name) for name in self.names]
        for column in ("position", "velocity", "effort"):
            values = np.asarray(getattr(message, column), dtype=np.float64)
            if len(values):
                tables.columns["joints", column][0, rows] = values[places]
        for column, values in self._given.items():
            tables.columns["joints", column][0, rows] = np.nan_to_num(values)

    def command(self, targets: Mapping[str, Mapping[str, float]]) -> None:
        """Sends new targets by column and row; those of other joints stay.

        Joints with the same kinds of targets share a message.

        Raises:
            UnreachableError: Nobody takes the command.
        """
        for column, values in targets.items():
            given = self._given.setdefault(column, np.full(len(self.names), np.nan))
            for row, value in values.items():
                given[self.rows.index(row)] = value
        changed = {self.rows.index(row) for values in targets.values() for row in values}
        groups: dict[tuple[str, ...], list[int]] = {}
        for place in sorted(changed):
            kinds = tuple(each for each in self._given if not np.isnan(self._given[each][place]))
            groups.setdefault(kinds, []).append(place)
        if self._commands is None:
            stem = self._topic.rpartition("/")[0]
            self._commands = self._connection.publisher(JointState, f"{stem}/joint_command")
        for kinds, places in groups.items():
            message = JointState(name=[self.names[place] for place in places])
            for column in kinds:
                setattr(message, COMMANDS[column], self._given[column][places].tolist())
            self._commands.publish(message)

    def reset(self) -> None:
        """Forgets all targets, as a reset does."""
        self._given.clear()

    def close(self) -> None:
        """Stops listening."""
        self._stop()

# SPDX-License-Identifier: Apache-2.0
"""Joints of remote robots: states and commands are topics, gains are parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import GetParameters, SetParametersAtomically
from sensor_msgs.msg import JointState

from deepsim_ros2.topics.commands import GAINS, NODE, parameter_of
from deepsim_ros2.topics.layout import namespace_of
from deepsim_sync import SCOPE, Refusal, Tables

from .present import Present, Topic
from .services import Connection

TARGETS: Mapping[str, str] = {
    "target_position": "position",
    "target_velocity": "velocity",
    "feedforward": "effort",
}
"""The fields of a ``JointState`` as a command, by column of the joints table."""
STATE = ("position", "velocity", "effort")
_JOINT_STATES = "sensor_msgs/msg/JointState"
Values = Mapping[str, Mapping[int, float]]
"""New values by column and number of the joint."""


class RobotJoints:
    """The joints of one model.

    Args:
        connection: The connection.
        present: The present instant.
        model: Name of the model.
        topic: Topic of its states; commands go to ``joint_command`` beside it.

    Attributes:
        names: The joints of the first message.
        rows: Their rows, ``model::joint``.
    """

    def __init__(self, connection: Connection, present: Present, model: str, topic: str) -> None:
        self._connection, self._present, self._model = connection, present, model
        self._topic = Topic(connection, JointState, topic)
        connection.wait(
            lambda: self._topic.message is not None, f"no joint state came on {topic!r}"
        )
        self.names = tuple(self._topic.message.name)
        self.rows = tuple(f"{model}{SCOPE}{name.replace('/', SCOPE)}" for name in self.names)
        self._commands: Any = None
        self._start = self._gains_of_server()
        self._gains = {column: values.copy() for column, values in self._start.items()}
        self._targets: dict[str, NDArray[np.float64]] = {}

    def _gains_of_server(self) -> dict[str, NDArray[np.float64]]:
        """Returns gains and limits by column, (n,); nothing from a server without them."""
        if not self._connection.offers(f"{NODE}/get_parameters"):
            return {}
        names = [parameter_of(self._model, each, column) for column in GAINS for each in self.names]
        found = self._connection.call(f"{NODE}/get_parameters", GetParameters, names=names).values
        if any(each.type != ParameterType.PARAMETER_DOUBLE for each in found):
            return {}
        values = np.array([each.double_value for each in found]).reshape(len(GAINS), -1)
        return dict(zip(GAINS, values, strict=True))

    def read(self, tables: Tables) -> None:
        """Fills the rows of the joints with the present state, which is waited for.

        Raises:
            UnreachableError: No state of this instant comes.
        """
        rows, columns = tables.entities.joints.rows(self.rows), tables.columns
        for column, values in self._state().items():
            columns["joints", column][0, rows] = values
        for column, values in (*self._targets.items(), *self._gains.items()):
            columns["joints", column][0, rows] = np.nan_to_num(values, posinf=np.inf)

    def _state(self) -> dict[str, NDArray[np.float64]]:
        message = self._present.message(self._topic)
        places = [list(message.name).index(name) for name in self.names]
        given = {each: np.asarray(getattr(message, each), dtype=np.float64) for each in STATE}
        return {column: values[places] for column, values in given.items() if len(values)}

    def write(self, values: Values) -> list[Refusal]:
        """Sends targets and gains; states can only be set to what they are.

        Returns:
            The refused rows.
        """
        refusals = self._compared({each: values[each] for each in STATE if each in values})
        gains = {each: values[each] for each in GAINS if each in values}
        why = self._set_gains(gains) if gains else ""
        refusals += [
            Refusal("joints", column, self.rows[place], why)
            for column, given in gains.items()
            for place in given
            if why
        ]
        targets = {each: values[each] for each in TARGETS if each in values}
        for column, given in targets.items():
            known = self._targets.setdefault(column, np.full(len(self.names), np.nan))
            known[[*given]] = [*given.values()]
        self._command({place for given in (*targets.values(), *gains.values()) for place in given})
        return refusals

    def _compared(self, values: Values) -> list[Refusal]:
        """Returns the refusals of states that are not the present ones."""
        if not values:
            return []
        state = self._state()
        reason = "simulation_interfaces does not set the states of joints"
        return [
            Refusal("joints", column, self.rows[place], reason)
            for column, given in values.items()
            for place, value in given.items()
            if column not in state or state[column][place] != value
        ]

    def _set_gains(self, values: Values) -> str:
        """Sends changed gains; returns why they are refused, if they are."""
        if not self._gains:
            return "the server has no parameters for it"
        changed = {
            (column, place): value
            for column, given in values.items()
            for place, value in given.items()
            if self._gains[column][place] != value
        }
        if changed:
            parameters = [
                Parameter(
                    name=parameter_of(self._model, self.names[place], column),
                    value=ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value),
                )
                for (column, place), value in changed.items()
            ]
            service = f"{NODE}/set_parameters_atomically"
            answer = self._connection.call(service, SetParametersAtomically, parameters=parameters)
            if not answer.result.successful:
                return str(answer.result.reason)
        for (column, place), value in changed.items():
            self._gains[column][place] = value
        return ""

    def _command(self, places: set[int]) -> None:
        """Sends the targets of some joints; joints with the same kinds of targets share a message.

        Without gains, a joint has the kinds that were given. With them, position and velocity
        belong to a servo with stiffness, velocity to one with damping, and effort to every joint.
        """
        groups: dict[tuple[str, ...], list[int]] = {}
        for place in sorted(places):
            if self._gains:
                stiff, damped = (self._gains[each][place] > 0.0 for each in GAINS[:2])
                fits = {"target_position": stiff, "target_velocity": stiff or damped}
                kinds = tuple(each for each in TARGETS if fits.get(each, True))
            else:
                kinds = tuple(each for each in self._targets if self._is_given(each, place))
            if kinds:
                groups.setdefault(kinds, []).append(place)
        if groups and self._commands is None:
            stem = self._topic.name.rpartition("/")[0]
            self._commands = self._connection.publisher(JointState, f"{stem}/joint_command")
        none = np.zeros(len(self.names))
        for kinds, chosen in groups.items():
            message = JointState(name=[self.names[place] for place in chosen])
            for column in kinds:
                targets = np.nan_to_num(self._targets.get(column, none))[chosen]
                setattr(message, TARGETS[column], targets.tolist())
            self._commands.publish(message)

    def _is_given(self, column: str, place: int) -> bool:
        return bool(np.isfinite(self._targets[column][place]))

    def reset(self) -> None:
        """Forgets all targets, and takes the gains of the start, as the server does."""
        self._targets.clear()
        self._gains = {column: values.copy() for column, values in self._start.items()}

    def close(self) -> None:
        """Stops listening."""
        self._topic.close()


class RemoteJoints:
    """The joints of all models of a server, found by the topics of their states.

    Args:
        connection: The connection.
        present: The present instant.
        topics: Topics of joint states by model. By default, a model's own is that in its namespace
            or else, for the only robot, at the root.
    """

    def __init__(self, connection: Connection, present: Present, topics: Mapping[str, str]) -> None:
        self._connection, self._present, self._topics = connection, present, topics
        self._robots: dict[str, RobotJoints] = {}

    def follow(self, models: Sequence[str], described: Mapping[str, Any]) -> list[str]:
        """Finds the joints of new models, and drops those of models that are gone.

        Returns:
            The rows of all joints, in the order of the models.
        """
        for model in [*self._robots]:
            if model not in models:
                self._robots.pop(model).close()
        for model, topic in self._topics_of(models, described).items():
            if model not in self._robots:
                self._robots[model] = RobotJoints(self._connection, self._present, model, topic)
        return [
            row for model in models if model in self._robots for row in self._robots[model].rows
        ]

    def are_published(self, described: Mapping[str, Any]) -> bool:
        """Returns whether there is a topic for each described model with joints."""
        wanted = {name for name, each in described.items() if _has_joints(each)}
        return wanted <= self._topics_of([*described], described).keys()

    def _topics_of(self, models: Sequence[str], described: Mapping[str, Any]) -> dict[str, str]:
        """Returns the topics of joint states by model."""
        found = {model: topic for model, topic in self._topics.items() if model in models}
        free = [
            topic
            for topic, kind in self._connection.topics().items()
            if kind == _JOINT_STATES and topic.endswith("/joint_states")
        ]
        root = self._connection.root
        robots = []
        for model in models:
            own = f"{root}{namespace_of(model)}/joint_states"
            if model not in found and own in free:
                found[model] = own
            elif model not in found and _has_joints(described.get(model)):
                robots.append(model)
        rooted = f"{root}joint_states"
        if len(robots) == 1 and rooted in free and rooted not in found.values():
            found[robots[0]] = rooted
        return found

    def read(self, tables: Tables) -> None:
        """Fills the rows of all joints; see `RobotJoints.read`."""
        for robot in self._robots.values():
            robot.read(tables)

    def write(self, values: Mapping[str, Mapping[str, float]]) -> list[Refusal]:
        """Sends values by column and row; returns the refused rows."""
        refusals = []
        for robot in self._robots.values():
            own = {
                column: {place: given[row] for place, row in enumerate(robot.rows) if row in given}
                for column, given in values.items()
            }
            if any(own.values()):
                refusals += robot.write(own)
        return refusals

    def reset(self) -> None:
        """Forgets all targets, as the server does at its reset."""
        for robot in self._robots.values():
            robot.reset()

    def close(self) -> None:
        """Stops listening; the models are gone."""
        for robot in self._robots.values():
            robot.close()
        self._robots = {}


def _has_joints(description: Any) -> bool:
    joints = getattr(description, "all_joints", None)
    return joints is not None and any(each.type != "fixed" for each in joints())

# SPDX-License-Identifier: Apache-2.0
"""The ways of reading and writing all models once that the figure compares.

Each is what a user of it would write: rospy for the message forms, as in the paper's code;
`GazeboSimulator` for the flat form and shared memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import rospy
from deepsim_msgs import srv as deepsim
from gazebo_batch_state_msgs.srv import GetModelStates, SetModelStates
from gazebo_msgs.msg import ModelState
from gazebo_msgs.srv import GetModelState, SetModelState

from deepsim_gazebo import GazeboSimulator
from deepsim_sync import Cells, Changes, Key, Tables

from .scene import GAZEBO_ROS, ORIGINAL, installed

_SINGLE = "gazebo_ros" if installed(GAZEBO_ROS) else "as gazebo_ros does"
_BATCH = "plugin of DeepSim 0.1" if installed(ORIGINAL) else "deepsim_services"
MODELS: tuple[Key, ...] = (("models", "pose"), ("models", "twist"))


class Series(ABC):
    """One way; it is made for one scene and read before it is written.

    Attributes:
        label: Its name in the figure.
        peer: Whether it is the paper's peer rather than ours.
    """

    label: ClassVar[str]
    peer: ClassVar[bool] = False

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    @abstractmethod
    def get(self) -> None:
        """Reads all models."""

    @abstractmethod
    def set(self) -> None:
        """Writes all models with what was read last."""

    @abstractmethod
    def positions(self) -> np.ndarray:
        """What was read last, (n, 3) [m]: the proof that all series read the same."""

    @abstractmethod
    def close(self) -> None:
        """Ends the connection."""


class Services(Series):
    """Two services of ROS, one that reads and one that writes."""

    reader: ClassVar[tuple[str, Any]]
    writer: ClassVar[tuple[str, Any]]
    persistent: ClassVar[bool] = True

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self._get = rospy.ServiceProxy(*self.reader, persistent=self.persistent)
        self._set = rospy.ServiceProxy(*self.writer, persistent=self.persistent)
        self._states: list[Any] = []

    def positions(self) -> np.ndarray:
        return _positions(self._states)

    def close(self) -> None:
        self._get.close()
        self._set.close()


class Singles(Services):
    """The services of gazebo_ros, or those of a plugin that stands for it: one call per model."""

    reader = ("/gazebo/get_model_state", GetModelState)
    writer = ("/gazebo/set_model_state", SetModelState)
    peer = True

    def get(self) -> None:
        self._states = [self._get(name, "") for name in self.names]

    def set(self) -> None:
        for name, state in zip(self.names, self._states, strict=True):
            self._set(_model_state(name, state.pose, state.twist))


class NewConnections(Singles):
    """As the paper measures it."""

    label = f"one model per call, a connection per call ({_SINGLE})"
    persistent = False


class KeptConnections(Singles):
    """The same without the cost of connecting."""

    label = f"one model per call, persistent ({_SINGLE})"


class Original(Services):
    """DeepSim 0.1's messages: the states of all models in one call."""

    reader = ("/gazebo/get_all_model_states", deepsim.GetAllModelStates)
    writer = ("/gazebo/set_model_states", deepsim.SetModelStates)
    peer = True

    def get(self) -> None:
        self._states = self._get().model_states

    def set(self) -> None:
        self._set(self._states)

    def positions(self) -> np.ndarray:
        chosen = {state.model_name: state for state in self._states}
        return _positions([chosen[name] for name in self.names])


class OriginalNewConnections(Original):
    """As the client of DeepSim 0.1 calls them."""

    label = f"all models per call, a connection per call ({_BATCH})"
    persistent = False


class OriginalKeptConnections(Original):
    """The same without the cost of connecting."""

    label = f"all models per call, persistent ({_BATCH})"


class Friendly(Services):
    """Our batch of gazebo_msgs/ModelState."""

    label = "batch of ModelState messages"
    reader = ("/gazebo_batch_state/get_model_states", GetModelStates)
    writer = ("/gazebo_batch_state/set_model_states", SetModelStates)

    def get(self) -> None:
        self._states = self._get(self.names, []).states

    def set(self) -> None:
        self._set(self._states)


class Flat(Series):
    """Our batch of numbers, as `GazeboSimulator` reads and writes it over ROS."""

    label = "batch of numbers"
    shared_memory: ClassVar[bool] = False

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.simulator = GazeboSimulator(shared_memory=self.shared_memory)
        self.tables = Tables(self.simulator.entities)
        self.rows = self.simulator.entities.models.rows(names)
        self._worlds = np.zeros(len(names), dtype=np.intp)

    def get(self) -> None:
        self.simulator.read(self.tables, MODELS)

    def set(self) -> None:
        self.simulator.write(self.changes())

    def changes(self) -> Changes:
        """A batch that sets all models to what was read last."""
        models = self.tables.models
        return Changes(
            self.simulator.entities.generation,
            {
                ("models", "pose"): Cells(self._worlds, self.rows, models.pose[0, self.rows]),
                ("models", "twist"): Cells(self._worlds, self.rows, models.twist[0, self.rows]),
            },
        )

    def positions(self) -> np.ndarray:
        return self.tables.models.pose[0, self.rows, :3]

    def close(self) -> None:
        self.simulator.close()


class SharedMemory(Flat):
    """Reads the same numbers from shared memory, and writes through the mailbox in it."""

    label = "shared memory"
    shared_memory = True


SERIES: tuple[type[Series], ...] = (
    NewConnections,
    KeptConnections,
    OriginalNewConnections,
    OriginalKeptConnections,
    Friendly,
    Flat,
    SharedMemory,
)


def _model_state(name: str, pose: Any, twist: Any) -> Any:
    return ModelState(name, pose, twist, "")


def _positions(states: Sequence[Any]) -> np.ndarray:
    points = [state.pose.position for state in states]
    return np.array([(point.x, point.y, point.z) for point in points])

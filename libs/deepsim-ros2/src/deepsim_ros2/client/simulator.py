# SPDX-License-Identifier: Apache-2.0
"""The simulator port on any server of simulation_interfaces."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped
from numpy.typing import NDArray
from simulation_interfaces import srv
from simulation_interfaces.msg import EntityState, Resource, Result, SimulationState
from simulation_interfaces.msg import SimulatorFeatures as Features

from deepsim_ros2.errors import Ros2Error
from deepsim_ros2.geometry import pose_of, twist_of, write_pose, write_twist
from deepsim_ros2.topics.commands import GAINS
from deepsim_spawn import MjcfModel, ModelDescription, WorldDescription
from deepsim_sync import (
    ALL_COLUMNS,
    SCOPE,
    Changes,
    Descriptions,
    DuplicateEntityError,
    Entities,
    Key,
    Kind,
    Refusal,
    Seeds,
    SpawnError,
    SpawnRequest,
    Tables,
    UnknownEntityError,
    UnsupportedError,
    WorldNumbers,
    checked_requests,
)

from .joints import STATE, TARGETS, RemoteJoints
from .present import Present
from .sensors import RemoteSensors
from .services import CallRefusedError, Connection, UnreachableError

_NAME_NOT_UNIQUE = 101


class Ros2Simulator:
    """The world of a running simulator that offers ROS 2's simulation_interfaces.

    The simulation is paused, and advances in `step` alone, by ``StepSimulation``. Rows of models
    are the server's entities. The standard has no links, joints and sensors: rows of joints come
    from ``JointState`` topics, targets go to the topic ``joint_command`` beside them, and sensors
    are topics with messages of the present instant. Gains and limits of joints are parameters of
    DeepSim's server; others refuse them. There are no rows of links, visuals and lights. What the
    server lacks by its features raises `UnsupportedError`, and other capabilities are None.

    One call takes about a millisecond: this backend is for evaluation and comparison. It was tested
    with DeepSim's own server.

    Args:
        namespace: Namespace of the services, such as ``gzserver``.
        timestep: Duration of a step of the server [s]. By default it is measured: by one step,
            after which state and time are reset.
        topics: Topics of joint states by model, and of sensors by ``model::link::sensor`` (of
            cameras, the namespace of ``image_raw``). By default, a model's own are those in the
            namespace MODEL or else at the root, with the names of DeepSim's server.
        timeout: Longest wait for an answer [s]; a call of `step` may take as long.

    Raises:
        UnreachableError: No server is there.
        UnsupportedError: The server cannot pause, make single steps, or return states.

    Example::

        with World(Ros2Simulator()) as world:  # beside a running deepsim ros2 serve
            world.tick()
    """

    worlds = 1
    cameras = depth_cameras = camera_mounts = contacts = None
    dynamics = physics = snapshots = None

    def __init__(
        self,
        namespace: str = "",
        *,
        timestep: float | None = None,
        topics: Mapping[str, str] | None = None,
        timeout: float = 10.0,
    ) -> None:
        self._connection = Connection(namespace, timeout)
        topics = dict(topics or {})
        self._described: dict[str, Any] = {}
        self._present = Present(self._connection, 0.0 if timestep is None else timestep)
        self._joints = RemoteJoints(self._connection, self._present, topics)
        own = {name: topic for name, topic in topics.items() if SCOPE in name}
        self.sensors = RemoteSensors(self._connection, self._present, own)
        self.entities = Entities(0)
        self._time = np.zeros(1)
        try:
            for feature, what in (
                (Features.SIMULATION_STATE_PAUSE, "pause"),
                (Features.STEP_SIMULATION_SINGLE, "make single steps"),
                (Features.ENTITY_STATE_GETTING, "return the states of entities"),
            ):
                self._require(feature, what)
            self._pause()
            self._refresh(changed=True)
            if timestep is None:
                self._present.timestep = self._measured()
        except BaseException:
            self.close()
            raise

    @property
    def features(self) -> frozenset[int]:
        """The features of the server, as ``simulation_interfaces/msg/SimulatorFeatures``."""
        return self._connection.features

    @property
    def descriptions(self) -> Descriptions:
        """The descriptions of the models that this object spawned."""
        here = self.entities.models
        return Descriptions({name: d for name, d in self._described.items() if name in here}, {})

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time, (1,) [s]."""
        return self._time

    @property
    def timestep(self) -> float:
        """Duration of one step [s]."""
        return self._present.timestep

    # Time

    def step(
        self, n: int = 1, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Applies changes, then advances by exactly n >= 1 steps; see `Simulator.step`."""
        if n < 1:
            raise ValueError(f"a world advances by n >= 1 steps, got {n}")
        refusals = () if changes is None else self.write(changes)
        if refusals or not _is_chosen(worlds):
            return refusals
        if n > 1 and Features.STEP_SIMULATION_MULTIPLE not in self.features:
            for _ in range(n):
                self._present.step(1)
        else:
            self._present.step(n)
        self._time = np.array([self._present.time])
        return ()

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Resets the world to time 0; models stay. The seeds are not part of the standard."""
        if not _is_chosen(worlds):
            return
        self._require(Features.SIMULATION_RESET_TIME, "reset time")
        self._require(Features.SIMULATION_RESET_STATE, "reset the states of entities")
        scopes = srv.ResetSimulation.Request
        scope = scopes.SCOPE_TIME | scopes.SCOPE_STATE
        self._connection.call("reset_simulation", srv.ResetSimulation, scope=scope)
        self._joints.reset()
        self._present.reset()
        self._time = np.zeros(1)
        self._pause()

    # Rows

    def read(self, tables: Tables, columns: Collection[Key] = ALL_COLUMNS) -> None:
        """Fills the tables of models and joints, as far as the columns belong to them."""
        kinds = {kind for kind, _ in columns}
        if "models" in kinds and len(tables.entities.models):
            names, states = self._states()
            rows = dict(zip(names, states, strict=True))
            for row, name in enumerate(tables.entities.models):
                if name not in rows:
                    raise Ros2Error(f"the entity {name!r} vanished from the server")
                tables.models.pose[0, row] = pose_of(rows[name].pose)
                tables.models.twist[0, row] = twist_of(rows[name].twist)
        if "joints" in kinds:
            self._joints.read(tables)

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies changes of poses, twists and joint targets; returns the refused rows."""
        if changes.generation != self.entities.generation:
            raise ValueError(
                f"the rows are of generation {changes.generation} of the entities, but the present "
                f"one is {self.entities.generation}: look the rows up again"
            )
        refusals: list[Refusal] = []
        states: dict[str, dict[str, NDArray[np.float64]]] = {}
        joints: dict[str, dict[str, float]] = {}
        for (kind, column), cells in changes.cells.items():
            for row, value in zip(cells.rows, cells.values, strict=True):
                name = self.entities.names(kind)[int(row)]
                if kind == "models":
                    states.setdefault(name, {})[column] = value
                elif kind == "joints" and column in (*STATE, *GAINS, *TARGETS):
                    joints.setdefault(column, {})[name] = float(value)
                else:
                    reason = "simulation_interfaces and joint commands do not have it"
                    refusals.append(Refusal(kind, column, name, reason))
        for name, values in states.items():
            refusals += self._set_state(name, values)
        return refusals + self._joints.write(joints)

    def _set_state(self, name: str, values: Mapping[str, NDArray[np.float64]]) -> list[Refusal]:
        """Sets pose, twist or both of a model; returns the refusals."""
        if Features.ENTITY_STATE_SETTING not in self.features:
            reason = "the server sets no states"
            return [Refusal("models", column, name, reason) for column in values]
        state = EntityState()
        state.header.frame_id = "world"
        if "pose" in values:
            write_pose(state.pose, values["pose"])
        if "twist" in values:
            write_twist(state.twist, values["twist"])
        try:
            self._connection.call(
                "set_entity_state",
                srv.SetEntityState,
                entity=name,
                state=state,
                set_pose="pose" in values,
                set_twist="twist" in values,
            )
        except CallRefusedError as refused:
            return [Refusal("models", column, name, refused.text) for column in values]
        self._present.change()
        return []

    # Entities

    def spawn(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds models, all or none.

        Args:
            requests: Their descriptions are SDF, URDF or MJCF as text, objects with ``to_sdf()``,
                or `MjcfModel`.
        """
        checked = checked_requests(requests, 1, self.entities.models)
        self._require(Features.SPAWNING, "spawn")
        self._require(Features.SPAWNING_RESOURCE_STRING, "spawn from text")
        texts = [(each, _text(each, self._connection.spawn_formats)) for each in checked]
        done: list[str] = []
        try:
            for request, text in texts:
                self._spawn_one(request, text)
                done.append(request.name)
        except BaseException:
            for name in done:
                self._connection.call("delete_entity", srv.DeleteEntity, entity=name)
            raise
        finally:
            self._refresh(changed=bool(done))
        self._described.update((one.name, one.description) for one in checked)
        self._find_topics()

    def _spawn_one(self, request: SpawnRequest, text: str) -> None:
        pose = PoseStamped()
        pose.header.frame_id = "world"
        write_pose(pose.pose, np.asarray(request.pose)[0])
        try:
            answer = self._connection.call(
                "spawn_entity",
                srv.SpawnEntity,
                name=request.name,
                allow_renaming=False,
                entity_resource=Resource(resource_string=text),
                initial_pose=pose,
            )
        except CallRefusedError as refused:
            if refused.code == _NAME_NOT_UNIQUE:
                raise DuplicateEntityError("model", request.name) from refused
            raise SpawnError(request.name, refused.text) from refused
        if answer.entity_name != request.name:
            self._connection.call("delete_entity", srv.DeleteEntity, entity=answer.entity_name)
            raise SpawnError(request.name, f"the server would name it {answer.entity_name!r}")

    def delete(self, name: str) -> None:
        """Removes a model."""
        self._require(Features.DELETING, "delete")
        try:
            self._connection.call("delete_entity", srv.DeleteEntity, entity=name)
        except CallRefusedError as refused:
            if refused.code == Result.RESULT_NOT_FOUND:
                raise UnknownEntityError("model", name, self.entities.models) from refused
            raise
        self._described.pop(name, None)
        self._refresh(changed=True)

    def load(self, world: WorldDescription) -> None:
        """Replaces the world of the server with a described one, at time 0.

        Raises:
            UnsupportedError: The server loads no worlds from text.
        """
        self._require(Features.WORLD_LOADING, "load worlds")
        self._require(Features.WORLD_RESOURCE_STRING, "load worlds from text")
        resource = Resource(resource_string=world.to_sdf())
        self._connection.call("load_world", srv.LoadWorld, world_resource=resource)
        self._pause()
        self._described = {each.name: each for each in world.models}
        self._joints.close()
        self._present.timestep, self._time = world.physics.max_step_size, np.zeros(1)
        self._present.reset()
        self._refresh(changed=True)
        self._find_topics()

    def close(self) -> None:
        """Closes the connection; the server's world stays as it is."""
        self._connection.close()

    def _require(self, feature: int, what: str) -> None:
        if feature not in self.features:
            raise UnsupportedError(f"this server of simulation_interfaces does not {what}")

    def _pause(self) -> None:
        """Pauses the simulation, if it is not paused."""
        state = SimulationState(state=SimulationState.STATE_PAUSED)
        codes = srv.SetSimulationState.Response
        try:
            self._connection.call("set_simulation_state", srv.SetSimulationState, state=state)
        except CallRefusedError as refused:
            if refused.code != codes.ALREADY_IN_TARGET_STATE:
                raise

    def _states(self) -> tuple[list[str], list[Any]]:
        """Returns names and states of all entities, and takes the time of the states."""
        answer = self._connection.call("get_entities_states", srv.GetEntitiesStates)
        for state in answer.states[:1]:
            stamp = state.header.stamp
            before = self._present.time
            self._present.correct(stamp.sec + stamp.nanosec * 1e-9)
            if self._present.time != before:
                self._time = np.array([self._present.time])
        return list(answer.entities), list(answer.states)

    def _measured(self) -> float:
        """Returns the duration of a step, after which state and time are reset [s]."""
        before = self._stamp()
        self._present.step(1)
        found = self._stamp() - before
        self.reset()
        return found

    def _stamp(self) -> float:
        if not len(self.entities.models):
            raise Ros2Error("a world without entities does not tell its step: give timestep")
        self._states()
        return self._present.time

    def _refresh(self, *, changed: bool) -> None:
        """Reads the entities, and finds the joints and sensors of those that are new."""
        answer = self._connection.call("get_entities", srv.GetEntities)
        models = list(answer.entities)
        self._present.change()
        joints = self._joints.follow(models, self._described)
        number = self.entities.generation
        kinds: tuple[tuple[Kind, list[str]], ...] = (("models", models), ("joints", joints))
        if changed or any(list(self.entities.names(kind)) != names for kind, names in kinds):
            self.entities = Entities(number + 1, models=models, joints=joints)
        self.sensors.follow(self._robots(), self.entities.joints)

    def _robots(self) -> dict[str, ModelDescription]:
        """Returns the described models that are present."""
        return {
            name: each
            for name, each in self._described.items()
            if name in self.entities.models and isinstance(each, ModelDescription)
        }

    def _find_topics(self) -> None:
        """Waits until the joints and sensors of described models are published, if ever."""
        robots = self._robots()

        def are_here() -> bool:
            joints = self.entities.joints
            return self._joints.are_published(robots) and self.sensors.are_published(robots, joints)

        with suppress(UnreachableError):  # of servers that publish none: no rows, and not listed
            self._connection.wait(are_here, "no joint states and sensors came")
        self._refresh(changed=False)


def _is_chosen(worlds: WorldNumbers | None) -> bool:
    """Returns whether the only world is among some; raises ValueError for any other."""
    if worlds is None:
        return True
    numbers = np.asarray(worlds).tolist()
    if any(number != 0 for number in numbers):
        raise ValueError(f"there is one world, number 0, got {numbers}")
    return bool(numbers)


def _text(request: SpawnRequest, formats: Sequence[str]) -> str:
    """Returns a description as text in a format that the server takes.

    Raises:
        SpawnError: There is none.
    """
    given = request.description
    if isinstance(given, str):
        return given
    if isinstance(given, MjcfModel):
        text, kind = given.text, "mjcf"
    elif hasattr(given, "to_sdf"):
        text, kind = given.to_sdf(), "sdf"
    else:
        raise SpawnError(request.name, f"expected SDF, URDF or MJCF, got {given!r}")
    if kind not in formats:
        raise SpawnError(request.name, f"the server takes {', '.join(formats)}, and not {kind}")
    return text

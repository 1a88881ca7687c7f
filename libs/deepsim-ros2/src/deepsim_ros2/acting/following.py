# SPDX-License-Identifier: Apache-2.0
"""Environments of tasks on topics: what a task observes is heard, and its actions are sent."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np
from simulation_interfaces import srv
from simulation_interfaces.msg import SimulationState

from deepsim_envs import Environment
from deepsim_math import poses
from deepsim_robots import Robot, RobotManager
from deepsim_ros2.client.services import CallRefusedError, Connection, UnreachableError
from deepsim_ros2.errors import Ros2Error
from deepsim_ros2.geometry import WORLD, Floats
from deepsim_ros2.topics.layout import Layout
from deepsim_ros2.topics.sensors import sensor_topics
from deepsim_spawn import Backend, ModelDescription, WorldDescription
from deepsim_spawn.backends import DEFAULT
from deepsim_sync import SCOPE, Key, Reading, Simulator, Tables, UnsupportedError

from .commands import BaseCommand, JointCommand, base_of
from .simulator import FollowedSimulator, State
from .topics import ClockTopic, FramesTopic, Heard, JointsOf, Measured, OdometryOf

_LOG = logging.getLogger(__name__)
_STILL = "the clock of the simulation stands still"


class _Followed(Backend):
    """Opens worlds on the embedded engine, which can follow topics."""

    def __init__(self) -> None:
        super().__init__(DEFAULT)

    def open(self, world: WorldDescription | None = None, worlds: int = 1) -> Simulator:
        return FollowedSimulator(super().open(world, worlds))


@contextmanager
def follow(
    make: Callable[[], Environment],
    *,
    namespace: str = "",
    lockstep: bool = False,
    arguments: Sequence[str] = (),
    timeout: float = 10.0,
) -> Iterator[Environment]:
    """Opens the environment of a task on the topics of a simulation elsewhere.

    Its observations are those of the task's own `observe`, with the robots, models and sensors as
    they are heard; its actions go to ``cmd_vel`` and ``joint_command``. Each step lasts as long as
    in training, in simulated time. Reward, ends and info are the task's as well.

    The first reset begins an episode with the other simulation as it is; later ones call its
    service ``reset_simulation``. What the task puts somewhere at a reset has no effect, except for
    models that are not heard: they stay there, and a warning names them.

    Args:
        make: Makes the environment, which has one world and opens it by `open_simulator`.
        namespace: Namespace of all topics and services.
        lockstep: Whether the simulation is paused, and waits for each action: exactly one step of
            the environment is made by ``step_simulation``. Otherwise, it runs at its own speed.
        arguments: ROS arguments, such as ``["--ros-args", "-r", "scan:=laser"]``.
        timeout: Longest wait for a topic or an answer [s].

    Raises:
        UnreachableError: A topic that the task needs is missing; the message names all of them.
        Ros2Error: The task opens its world in another way, or has several.

    Example::

        with follow(make) as environment:  # beside a running deepsim ros2 serve navigate
            seen, _ = environment.reset()
            while environment.live_agents:
                seen = environment.step(policy(seen)).observation
    """
    with _Followed():
        environment = make()
    with environment:
        simulator = environment.world.simulator
        if not isinstance(simulator, FollowedSimulator):
            raise Ros2Error(
                "a task acts on topics if it opens its world by deepsim_spawn.open_simulator, "
                f"got {type(simulator).__name__}"
            )
        connection = Connection(namespace, timeout, needed=lockstep, arguments=arguments)
        try:
            link = TopicLink(connection, environment, simulator, lockstep=lockstep)
        except BaseException:
            connection.close()
            raise
        simulator.follow(link, lockstep=lockstep)
        yield environment


class TopicLink:
    """Hears a world on topics, and sends commands to its robots.

    Args:
        connection: The connection.
        environment: The environment of the task.
        simulator: The simulator of its world.
        lockstep: Whether the other simulation is stepped.

    Raises:
        UnreachableError: A topic is missing.
    """

    def __init__(
        self,
        connection: Connection,
        environment: Environment,
        simulator: FollowedSimulator,
        *,
        lockstep: bool,
    ) -> None:
        self._connection, self._engine, self._lockstep = connection, simulator.engine, lockstep
        world, entities = environment.world, simulator.entities
        self._period, self._almost = world.delta_time, 0.5 * world.timestep
        sensors = simulator.sensors
        self._layout = Layout()
        self._layout.update(entities, [*sensors.infos] if sensors is not None else [])
        self._clock, self._frames = ClockTopic(connection), FramesTopic(connection)
        robots = [*world.get(RobotManager)]
        for robot in robots:
            if robot.name not in self._layout.robots:
                raise UnsupportedError(f"{robot.name!r} has no topics: no joints, and no sensors")
        self._odometry = {
            robot.name: OdometryOf(connection, self._layout.topic(robot.name, "odom"), robot.name)
            for robot in robots
            if not _is_fixed(simulator, robot.name)
        }
        self.sensors = {name: self._measured(name) for name in (sensors.watched if sensors else ())}
        self._joints = {
            robot.name: JointsOf(
                connection, self._layout.topic(robot.name, "joint_states"), robot.name
            )
            for robot in robots
            if entities.joints.within(robot.name)
        }
        self._heard: list[Heard] = [*self._odometry.values(), *self._joints.values()]
        for sensor in self.sensors.values():
            self._heard += sensor.topics.values()
        self._require([self._clock, *self._heard])
        self._mounts = self._bases()
        self._commands: list[JointCommand] = []
        self._drives: list[BaseCommand] = []
        for robot in robots:
            self._connect(robot)
        self._now = self._start = self._target = 0.0
        self._episodes = 0
        if lockstep:
            self._pause()

    def _measured(self, name: str) -> Measured:
        """Listens to a sensor; raises UnsupportedError if no message carries its measurements."""
        robot, sensors = name.partition(SCOPE)[0], self._engine.sensors
        model = self._engine.descriptions.models.get(robot)
        assert sensors is not None  # which has the sensor
        found = [
            (sensor, channel, self._layout.topic(robot, topic))
            for sensor, channel, topic in sensor_topics(sensors.infos, model, robot, self._layout)
            if sensor.name == name
        ]
        if not found:
            raise UnsupportedError(f"no message of ROS 2 carries the sensor {name!r}")
        return Measured(self._connection, found[0][0], [each[1:] for each in found])

    def _require(self, topics: Sequence[Heard]) -> None:
        """Waits until all topics are heard; raises UnreachableError that names those missing."""
        silent: list[Heard] = [*topics]

        def heard() -> bool:
            silent[:] = [each for each in silent if each.message is None]
            return not silent

        try:
            self._connection.wait(heard, "")
        except UnreachableError:
            raise UnreachableError(
                f"nothing was heard on {', '.join(map(str, silent))}: start the simulation, with "
                "the same ROS_DOMAIN_ID, or give the names of its topics by --remap"
            ) from None

    def _bases(self) -> dict[str, tuple[str, Floats]]:
        """Returns the frame of each heard model's first link, and the model's pose in it."""
        entities = self._engine.entities
        tables = Tables(entities, 1)
        self._engine.read(tables, [("models", "pose"), ("links", "pose")])
        found = {}
        for row, model in enumerate(entities.models):
            links = entities.links.within(model)
            if SCOPE not in model and links:
                link = tables.links.pose[0, entities.links.row(links[0])]
                placed = poses.relative(link, tables.models.pose[0, row])
                found[model] = self._layout.link_frame(links[0]), placed
        others = {model for model in found if model not in self._odometry}

        def are_heard() -> bool:
            return all(self._frames.has(found[model][0]) for model in others)

        with suppress(UnreachableError):
            self._connection.wait(are_heard, "")
        unheard = sorted(model for model in others if not self._frames.has(found[model][0]))
        if unheard:
            _LOG.warning("no frames of %s: they stay where the task puts them", ", ".join(unheard))
        return {model: each for model, each in found.items() if model not in unheard}

    def _connect(self, robot: Robot) -> None:
        """Prepares the commands of a robot."""
        part, driven = base_of(robot)
        rows = [row for row in self._engine.entities.joints.within(robot.name) if row not in driven]
        topic = self._layout.topic(robot.name, "joint_command")
        self._commands.append(JointCommand(self._connection, topic, rows))
        if part is not None:
            topic = self._layout.topic(robot.name, "cmd_vel")
            self._drives.append(BaseCommand(self._connection, robot, part, topic))

    def _pause(self) -> None:
        state = SimulationState(state=SimulationState.STATE_PAUSED)
        try:
            self._connection.call("set_simulation_state", srv.SetSimulationState, state=state)
        except CallRefusedError as refused:
            if refused.code != srv.SetSimulationState.Response.ALREADY_IN_TARGET_STATE:
                raise

    # Time

    @property
    def time(self) -> float:
        """The latest instant that is heard completely, since the episode began [s]."""
        return self._now - self._start

    def restart(self) -> None:
        """Begins an episode: the first one as the simulation is, others by its reset."""
        self._episodes += 1
        if self._episodes > 1:
            scopes = srv.ResetSimulation.Request
            scope = scopes.SCOPE_TIME | scopes.SCOPE_STATE
            before = self._clock.time
            self._connection.call("reset_simulation", srv.ResetSimulation, scope=scope)
            self._connection.wait(lambda: self._clock.time < before, "the clock was not reset")
            for each in (self._frames, *self._heard):
                each.forget()
        for command in self._commands:
            command.reset()
        self._arrive()
        self._start = self._target = self._now

    def advance(self, duration: float) -> None:
        """Sends the commands of the engine, then waits until time has advanced [s]."""
        for drive in self._drives:
            drive.send(self._now)
        for command in self._commands:
            command.send(self._engine)
        self._target += duration
        before = self._clock.time
        if self._lockstep:
            self._step()
        else:
            self._connection.wait(lambda: not before <= self._clock.time < self._due, _STILL)
        if self._clock.time < before:
            raise Ros2Error("another client has reset the simulation")
        if self._clock.time > self._target + self._period:
            late = self._clock.time - self._target
            _LOG.warning("the policy is late by %.3f s of simulated time", late)
            self._target = self._clock.time
        self._arrive()

    @property
    def _due(self) -> float:
        return self._target - self._almost

    def _step(self) -> None:
        """Steps the paused simulation until time has advanced."""
        while self._clock.time < self._due:
            before = self._clock.time
            self._connection.call("step_simulation", srv.StepSimulation, steps=1)
            self._connection.wait(partial(self._is_changed, before), _STILL)

    def _is_changed(self, time: float) -> bool:
        return self._clock.time != time

    def _arrive(self) -> None:
        """Waits until everything is heard of the present instant."""
        self._now = self._clock.time
        waiting = [*self._heard]
        if len(self._mounts) > len(self._odometry):
            waiting.append(self._frames)

        def heard() -> bool:
            # Later ones are from before a reset.
            latest = self._clock.time + (self._almost if self._lockstep else self._period)
            waiting[:] = [
                each for each in waiting if not self._earliest(each.rate) <= each.time <= latest
            ]
            return not waiting

        try:
            self._connection.wait(heard, "")
        except UnreachableError:
            names = ", ".join(map(str, waiting))
            raise UnreachableError(f"nothing of {self._now:g} s came on {names}") from None

    def _earliest(self, rate: float) -> float:
        """Returns the earliest time of a message of the present instant [s]."""
        if not self._lockstep:
            return self._now - self._almost - max(self._period, 1.0 / rate if rate else 0.0)
        return (math.floor(self._now * rate + 1e-6) / rate if rate else self._now) - self._almost

    # What is heard

    def state(self) -> State:
        """Returns what is heard of models and joints."""
        pose, twist = {}, {}
        for model, (frame, placed) in self._mounts.items():
            odometry = self._odometry.get(model)
            base, speed = (
                self._frames.state(frame) if odometry is None else odometry.state(self._frames)
            )
            pose[model] = poses.compose(base, placed)
            if not _is_static(self._engine, model):
                arm = pose[model][:3] - base[:3]
                twist[model] = np.concatenate([speed[:3] + np.cross(speed[3:], arm), speed[3:]])
        heard: dict[Key, dict[str, Any]] = {("models", "pose"): pose, ("models", "twist"): twist}
        for robot, joints in self._joints.items():
            for column, values in joints.state(self._engine.entities.joints.within(robot)).items():
                heard.setdefault(("joints", column), {}).update(values)
        return heard

    def measurement(self, sensor: str) -> Reading:
        """Returns the latest measurement of a sensor, (1, ...)."""
        return self.sensors[sensor].read()

    def close(self) -> None:
        """Stops the bases, and ends the node."""
        for drive in self._drives:
            drive.send(self._now, stop=True)
        self._connection.close()


def _is_static(simulator: Simulator, model: str) -> bool:
    description = simulator.descriptions.models.get(model)
    return isinstance(description, ModelDescription) and description.static


def _is_fixed(simulator: Simulator, model: str) -> bool:
    """Returns whether a robot stands where it was spawned."""
    description = simulator.descriptions.models.get(model)
    return isinstance(description, ModelDescription) and (
        description.static or any(each.parent == WORLD for each in description.all_joints())
    )

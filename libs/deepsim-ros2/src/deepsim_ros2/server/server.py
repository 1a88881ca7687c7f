# SPDX-License-Identifier: Apache-2.0
"""The server: nodes with the services and topics of all worlds, and the loop that runs them."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from rclpy.context import Context
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile

from deepsim_ros2.services.states import PAUSED, PLAYING, QUITTING, StepAction
from deepsim_ros2.services.table import SERVICES, answer
from deepsim_ros2.simulation import Opener, Served, ServedWorld, Simulation
from deepsim_ros2.topics.commands import NODE
from deepsim_ros2.topics.topics import Topics
from deepsim_spawn import SearchPath
from deepsim_sync import DeepSimError

try:  # ten times as fast; in rclpy since Kilted
    from rclpy.experimental import EventsExecutor
except ImportError:
    EventsExecutor = SingleThreadedExecutor

_REQUESTS = QoSProfile(depth=1000)  # more that wait would be lost without an answer
_LOG = logging.getLogger(__name__)
_IDLE = 0.1  # longest wait for a request [s]; the period of topics while the simulation rests


class Ros2Server:
    """Serves worlds as a simulator of ROS 2's simulation_interfaces 2.1, with topics.

    A single world has its services and topics at the root, or in a namespace. Several worlds are in
    the namespaces ``world_0``, ``world_1``, ...; each plays, pauses, steps and resets on its own.
    Entities are the same in all worlds, so that one which a client spawns or deletes appears
    or vanishes in all of them.

    A step is a tick of the world, with its behaviours, controllers and the task's own updates.
    Everything runs in the thread that calls `run` or `run_once`.

    Unless the environment says otherwise, only processes of this machine find the server: it sets
    ``ROS_AUTOMATIC_DISCOVERY_RANGE`` to LOCALHOST, because DDS does not ask who calls.

    Args:
        served: A world with one or several worlds, or an environment, whose episode begins.
        namespace: Namespace of the services and topics.
        speed: Speed while playing, as a multiple of real time; None for as fast as possible.
        rate: Rate at which joint states and transforms are published, in simulated time [Hz]; 0
            for every step.
        playing: Whether the simulation plays at first; otherwise it is stopped.
        search_path: Folders with the models and worlds that clients may load.
        opener: Function that opens the worlds which clients load; None if they cannot.
        arguments: ROS arguments, such as ``["--ros-args", "-r", "scan:=laser"]``.

    Attributes:
        worlds: The worlds as clients see them.

    Example::

        with Ros2Server(world) as server:
            server.run()  # until a client sets the state to quitting
    """

    def __init__(
        self,
        served: Served,
        *,
        namespace: str = "",
        speed: float | None = 1.0,
        rate: float = 50.0,
        playing: bool = False,
        search_path: SearchPath | str | Path | Iterable[str | Path] | None = None,
        opener: Opener | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        if speed is not None and not speed > 0.0:
            raise ValueError(f"speed must be > 0 or None, got {speed}")
        if not 0.0 <= rate < float("inf"):
            raise ValueError(f"rate must be finite and >= 0, got {rate}")
        self._speed = speed
        self._simulation = Simulation(served, opener, SearchPath.of(search_path))
        self.worlds: Sequence[ServedWorld] = self._simulation.worlds
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        self._context = Context()
        self._context.init(args=[*arguments])
        self._executor: Executor = EventsExecutor(context=self._context)
        self._actions, self._topics, self._nodes = [], [], []
        for each in self.worlds:
            below = namespace if len(self.worlds) == 1 else f"{namespace}/world_{each.number}"
            node = Node(NODE, context=self._context, namespace=below)
            for name, service in SERVICES.items():
                respond = partial(answer, name, each)
                node.create_service(service.type, name, respond, qos_profile=_REQUESTS)
            self._nodes.append(node)
            self._actions.append(StepAction(node, each))
            each.topics = topics = Topics(node, each, rate)
            self._topics.append(topics)
            self._executor.add_node(node)
            if playing:
                each.state = PLAYING
        self._due = time.monotonic()

    def run(self) -> None:
        """Runs until a client sets the state of a world to quitting."""
        while not any(each.state == QUITTING for each in self.worlds):
            self.run_once()
        self._executor.spin_once(timeout_sec=0.0)

    def run_once(self) -> None:
        """Answers requests, then makes one step of the worlds that play, at their speed.

        If none of them plays, it waits for requests for a moment, and makes one step for each goal
        of the action.
        """
        playing = [each for each in self.worlds if each.state == PLAYING]
        busy = [each for each in self._actions if each.is_busy]
        self._executor.spin_once(timeout_sec=self._wait(bool(playing), bool(busy)))
        for action in busy:
            action.advance()
        playing = [each for each in playing if each.state == PLAYING]
        if playing and time.monotonic() >= self._due:
            self._play(playing)
        for topics in self._topics:
            topics.rest()

    def _wait(self, is_playing: bool, is_busy: bool) -> float:
        """Returns how long requests may be waited for [s]."""
        now = time.monotonic()
        if is_busy or (is_playing and self._speed is None):
            self._due = now
            return 0.0
        if not is_playing:
            self._due = now
            return _IDLE
        self._due = max(self._due, now - _IDLE)  # long delays are not caught up
        return max(self._due - now, 0.0)

    def _play(self, playing: Sequence[ServedWorld]) -> None:
        if self._speed is not None:
            self._due += self._simulation.world.delta_time / self._speed
        try:
            self._simulation.tick(np.array([each.number for each in playing]))
        except DeepSimError as error:
            _LOG.error("the simulation pauses: %s", error)
            for each in playing:
                each.state = PAUSED

    def close(self) -> None:
        """Ends the nodes; the worlds stay open, except those that a client loaded."""
        for action in self._actions:
            action.close()
        for node in self._nodes:
            self._executor.remove_node(node)
            node.destroy_node()
        self._executor.shutdown()
        self._context.try_shutdown()
        if self._simulation.opened > 1 and self._simulation.is_open:
            self._simulation.close()

    def __enter__(self) -> Ros2Server:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

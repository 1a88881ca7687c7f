# SPDX-License-Identifier: Apache-2.0
"""The Gazebo that runs: opens described worlds there, the backend ``gazebo``, and looks for it."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import Iterator, Literal, NamedTuple

from deepsim_gazebo.description import DescribedWorld
from deepsim_gazebo.errors import GazeboError, UnreachableError
from deepsim_gazebo.protocol.client import BatchStateClient
from deepsim_gazebo.simulator import GazeboSimulator

from .simulator import GazeboServers

_MASTERS = "DEEPSIM_ROS_MASTER_URIS"


def open_world(world: DescribedWorld, worlds: int = 1) -> GazeboSimulator | GazeboServers:
    """Replaces the worlds of running gzservers, which need the plugin ``gazebo_batch_state``.

    One world is opened at the ROS master of ``ROS_MASTER_URI``. Several worlds need one server
    each; ``DEEPSIM_ROS_MASTER_URIS`` lists their masters, separated by spaces.

    Args:
        world: The description, such as a `deepsim_spawn.WorldDescription`.
        worlds: The number of worlds, W.

    Raises:
        UnreachableError: A server does not answer, or fewer than `worlds` are named.
        SpawnError: Gazebo cannot build a model of the world.
    """
    masters = os.environ.get(_MASTERS, "").split()
    if worlds > max(1, len(masters)):
        raise UnreachableError(
            f"{worlds} worlds need as many servers of Gazebo, and {_MASTERS} names "
            f"{len(masters)}: python tools/gazebo run --worlds {worlds} -- COMMAND"
        )
    try:
        simulator = GazeboSimulator() if worlds == 1 else GazeboServers(masters[:worlds])
    except UnreachableError as error:
        raise UnreachableError(
            f"{error} To start Gazebo for one command: python tools/gazebo run -- COMMAND"
        ) from error
    try:
        simulator.load(world)
    except BaseException:
        simulator.close()
        raise
    return simulator


_START = "gzserver -s libgazebo_batch_state.so WORLD"


class Examined(NamedTuple):
    """The result of one examination."""

    name: str
    """The examined object."""
    outcome: Literal["ok", "missing"]
    """Whether it is there."""
    found: str
    """Its state."""
    remedy: str = ""
    """A command that installs or starts it, or an empty string."""


def examine(timeout: float) -> Iterator[Examined]:
    """Yields what is there of rospy, the ROS master and the plugin.

    Args:
        timeout: Longest wait for an answer [s].
    """
    if find_spec("rospy") is not None:
        yield Examined("rospy", "ok", "is installed")
    else:
        remedy = "apt install python3-rospy" if sys.platform == "linux" else ""
        state = "is not installed, and only nodes of your own need it"
        yield Examined("rospy", "missing", state, remedy)
    client = BatchStateClient(timeout=timeout)
    try:
        client.master.publishers("/deepsim_doctor")  # has no publishers, so only the master answers
    except GazeboError as error:
        remedy = "roscore, or export ROS_MASTER_URI=http://HOST:11311"
        yield Examined("ROS master", "missing", str(error), remedy)
        state = "cannot be asked for without a ROS master"
        yield Examined("Gazebo plugin", "missing", state, _START)
        return
    yield Examined("ROS master", "ok", f"answers at {client.master.uri}")
    try:
        models = len(client.names().entities.models)
    except GazeboError as error:
        yield Examined("Gazebo plugin", "missing", str(error), _START)
    else:
        yield Examined("Gazebo plugin", "ok", f"answers, in a world of {models} models")
    finally:
        client.close()

# SPDX-License-Identifier: Apache-2.0
"""Opens described worlds on running servers: the backend ``gazebo`` of ``deepsim_spawn``."""

from __future__ import annotations

import os

from deepsim_gazebo.description import DescribedWorld
from deepsim_gazebo.errors import UnreachableError
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

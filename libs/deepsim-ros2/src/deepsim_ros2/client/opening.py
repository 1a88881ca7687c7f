# SPDX-License-Identifier: Apache-2.0
"""Opens described worlds on a running server: the backend ``ros2`` of ``deepsim_spawn``."""

from __future__ import annotations

import os

from deepsim_spawn import WorldDescription

from .services import UnreachableError
from .simulator import Ros2Simulator

_NAMESPACE = "DEEPSIM_ROS_NAMESPACE"


def open_world(world: WorldDescription, worlds: int = 1) -> Ros2Simulator:
    """Replaces the world of a running server of simulation_interfaces.

    ``DEEPSIM_ROS_NAMESPACE`` names the namespace of its services, if they have one.

    Args:
        world: The description.
        worlds: The number of worlds, 1.

    Raises:
        UnreachableError: No server answers, or more than one world is requested.
        UnsupportedError: The server loads no worlds.
    """
    if worlds != 1:
        raise UnreachableError(f"a server of simulation_interfaces has one world, got {worlds}")
    step = world.physics.max_step_size
    simulator = Ros2Simulator(os.environ.get(_NAMESPACE, ""), timestep=step)
    try:
        simulator.load(world)
    except BaseException:
        simulator.close()
        raise
    return simulator

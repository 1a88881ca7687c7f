# SPDX-License-Identifier: Apache-2.0
"""Selects the backend (MuJoCo or Gazebo) of the simulators that tasks open."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import Final

from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import WorldDescription
from deepsim_sync import DeepSimError, Simulator

DEFAULT: Final = "mujoco"
"""The backend that is used if none is chosen."""


_MASTERS: Final = "DEEPSIM_ROS_MASTER_URIS"


class BackendError(DeepSimError):
    """A backend does not exist, cannot be reached, or has fewer worlds than requested."""


class Backend:
    """Chooses the kind of simulator that `open_simulator` opens inside a ``with`` statement.

    The choice holds only in the thread or asyncio task that enters the statement.

    Args:
        name: ``"mujoco"``, the embedded engine, or ``"gazebo"``, a running gzserver with the
            plugin ``gazebo_batch_state``, at the ROS master of ``ROS_MASTER_URI``. Several worlds
            need one gzserver each; ``DEEPSIM_ROS_MASTER_URIS`` lists their masters, separated by
            spaces.

    Attributes:
        name: The given name.
        opened: The number of simulators opened so far.

    Raises:
        BackendError: The backend does not exist.

    >>> with Backend("mujoco"):
    ...     open_simulator().timestep
    0.001
    """

    def __init__(self, name: str) -> None:
        if name not in _OPEN:
            raise BackendError(f"there is no backend {name!r}: choose {' or '.join(_OPEN)}")
        self.name = name
        self.opened = 0
        self._tokens: list[Token[Backend | None]] = []

    def __enter__(self) -> Backend:
        self._tokens.append(_CURRENT.set(self))
        return self

    def __exit__(self, *error: object) -> None:
        _CURRENT.reset(self._tokens.pop())

    def open(self, world: WorldDescription | None = None, worlds: int = 1) -> Simulator:
        """Opens a simulator of this backend; see `open_simulator`."""
        description = world if world is not None else WorldDescription()
        simulator = _OPEN[self.name](description, worlds)
        self.opened += 1
        return simulator


def open_simulator(world: WorldDescription | None = None, worlds: int = 1) -> Simulator:
    """Opens a simulator of the backend chosen by ``deepsim run --backend`` or by `Backend`.

    The default is MuJoCo. A Gazebo server has one world; opening it replaces the world's content.

    Args:
        world: Models, lights, gravity and step size; by default an empty world with gravity and
            steps of 1 ms.
        worlds: The number of worlds, W.

    Raises:
        BackendError: Gazebo cannot be reached, or runs fewer servers than `worlds`.
        SpawnError: A model of the world cannot be built.
    """
    return (_CURRENT.get() or Backend(DEFAULT)).open(world, worlds)


def _open_mujoco(world: WorldDescription, worlds: int) -> Simulator:
    return MujocoSimulator(world, worlds=worlds)


def _open_gazebo(world: WorldDescription, worlds: int) -> Simulator:
    # Users of the embedded engine need not have ROS.
    from deepsim_gazebo import (  # noqa: PLC0415 (see above)
        GazeboServers,
        GazeboSimulator,
        UnreachableError,
    )

    masters = os.environ.get(_MASTERS, "").split()
    if worlds > max(1, len(masters)):
        raise BackendError(
            f"{worlds} worlds need as many servers of Gazebo, and {_MASTERS} names "
            f"{len(masters)}: python tools/gazebo run --worlds {worlds} -- COMMAND"
        )
    try:
        simulator = GazeboSimulator() if worlds == 1 else GazeboServers(masters[:worlds])
    except UnreachableError as error:
        raise BackendError(
            f"{error} To start Gazebo for one command: python tools/gazebo run -- COMMAND"
        ) from error
    try:
        simulator.load(world)
    except BaseException:
        simulator.close()
        raise
    return simulator


_OPEN: Final[dict[str, Callable[[WorldDescription, int], Simulator]]] = {
    "mujoco": _open_mujoco,
    "gazebo": _open_gazebo,
}
_CURRENT: Final[ContextVar[Backend | None]] = ContextVar("deepsim_backend", default=None)

# SPDX-License-Identifier: Apache-2.0
"""Opens simulators of worlds on whichever engine is chosen."""

from __future__ import annotations

from contextvars import ContextVar, Token
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from deepsim_sync import DeepSimError, Simulator

from .description.world import WorldDescription

GROUP: Final = "deepsim.backends"
"""The entry points of installed backends.

Each refers to a function that is called as ``open(world, worlds=W)`` with a `WorldDescription`,
and returns a simulator of W such worlds.
"""
DEFAULT: Final = "mujoco"
"""The backend that is used if none is chosen."""


class BackendError(DeepSimError):
    """A backend does not exist, or cannot be imported on this machine."""


class Backend:
    """Chooses the kind of simulator that `open_simulator` opens inside a ``with`` statement.

    The choice holds only in the thread or asyncio task that enters the statement.

    Args:
        name: A backend of an installed package: ``"mujoco"``, the embedded engine of
            deepsim-mujoco; ``"warp"``, the same physics on a GPU, of deepsim-warp; or ``"gazebo"``,
            running servers, of deepsim-gazebo. Other packages bring theirs by an entry point of the
            group ``deepsim.backends``.

    Attributes:
        name: The given name.
        opened: The number of simulators opened so far.

    Raises:
        BackendError: The backend does not exist, or is not for this operating system.

    Example:
        In ``with Backend("gazebo"):``, tasks open their worlds on Gazebo.

        >>> try:
        ...     Backend("unity")
        ... except BackendError as error:
        ...     print(str(error).partition(":")[0])
        there is no backend 'unity'
    """

    def __init__(self, name: str) -> None:
        found = _installed()
        if name not in found:
            known = " or ".join(sorted(found, key=lambda known: (known != DEFAULT, known)))
            raise BackendError(
                f"there is no backend {name!r}: "
                + (f"choose {known}" if found else f"install one, such as deepsim-{DEFAULT}")
            )
        self.name = name
        self.opened = 0
        try:
            self._open = found[name].load()
        except ImportError as error:
            raise BackendError(f"the backend {name!r} does not run here: {error}") from error
        self._tokens: list[Token[Backend | None]] = []

    def __enter__(self) -> Backend:
        self._tokens.append(_CURRENT.set(self))
        return self

    def __exit__(self, *error: object) -> None:
        _CURRENT.reset(self._tokens.pop())

    @staticmethod
    def current() -> Backend | None:
        """Returns the backend of the innermost ``with`` statement; None outside of any."""
        return _CURRENT.get()

    def open(self, world: WorldDescription | None = None, worlds: int = 1) -> Simulator:
        """Opens a simulator of this backend; see `open_simulator`."""
        described = world if world is not None else WorldDescription()
        simulator: Simulator = self._open(described, worlds=worlds)
        self.opened += 1
        return simulator


def open_simulator(
    world: WorldDescription | None = None, worlds: int = 1, backend: str | None = None
) -> Simulator:
    """Opens a simulator of a backend.

    The default is the one chosen by ``deepsim run --backend`` or by `Backend`, which is MuJoCo if
    none was chosen. A Gazebo server has one world; opening it replaces the world's content.

    Args:
        world: Models, lights, gravity and step size; by default an empty world with gravity and
            steps of 1 ms.
        worlds: The number of worlds, W.
        backend: Name of the backend; see `Backend`.

    Raises:
        BackendError: The chosen backend, or the default one, is not installed or not for this
            operating system.
        SimulatorError: The simulator cannot be reached, or cannot have so many worlds.
        SpawnError: A model of the world cannot be built.
    """
    chosen = (Backend.current() or Backend(DEFAULT)) if backend is None else Backend(backend)
    return chosen.open(world, worlds)


def _installed() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


_CURRENT: Final[ContextVar[Backend | None]] = ContextVar("deepsim_backend", default=None)

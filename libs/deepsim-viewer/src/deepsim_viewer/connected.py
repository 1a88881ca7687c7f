# SPDX-License-Identifier: Apache-2.0
"""Shows the world of a physics server of another process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from deepsim_sync import CallbackError, DeepSimError, World

from .viewer import Viewer

_TICK = 1 / 30  # the simulated time of one press of the page's Step button [s]


@contextmanager
def connected_view(namespace: str, port: int) -> Iterator[tuple[Viewer, Callable[[], None]]]:
    """Opens a viewer of the world of a `PhysicsServer`; the server never waits for the viewer.

    Yields the viewer and a function that ticks forever. If the server ends, the viewer waits for
    the next server of the same name.

    Args:
        namespace: The name of the server's world.
        port: TCP port of the page; 0 for any free port.

    Raises:
        DeepSimError: No master or physics server answers, or deepsim-transport is not installed.
        OSError: The port is taken.
    """
    try:
        from deepsim_transport import (  # noqa: PLC0415 (of an extra)
            FollowedSimulator,
            NoAnswerError,
            Transport,
        )
    except ModuleNotFoundError as error:
        if error.name != "deepsim_transport":
            raise
        raise DeepSimError(
            "topics are an extra: pip install --find-links dist 'deepsim[transport]'"
        ) from None

    with Transport(namespace=namespace) as transport:
        simulator = FollowedSimulator(transport)
        world = World(simulator, steps_per_tick=max(1, round(_TICK / simulator.timestep)))

        def run() -> None:
            while True:
                try:
                    world.tick()
                except NoAnswerError:
                    continue
                except CallbackError as error:
                    if not isinstance(error.__cause__, NoAnswerError):
                        raise

        try:
            with Viewer(world, port=port, label=f"/gazebo/{namespace}", clock=simulator) as viewer:
                yield viewer, run
        finally:
            world.close()

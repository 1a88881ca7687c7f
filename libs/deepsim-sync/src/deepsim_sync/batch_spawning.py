# SPDX-License-Identifier: Apache-2.0
"""The optional capability to add many models at once."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, Sequence, runtime_checkable

from deepsim_math import Pose

from .simulator import Simulator


class SpawnRequest(NamedTuple):
    """A model that is to be added; the fields are what `Simulator.spawn` takes.

    Attributes:
        description: What the backend builds models from.
        name: A name that no model has, and no other request.
        pose: Of the model frame in the world.
    """

    description: Any
    name: str
    pose: Pose


@runtime_checkable
class BatchSpawning(Protocol):
    """A simulator that adds many models for little more than the price of one.

    Ask for it by ``isinstance(simulator, BatchSpawning)``.
    """

    def spawn_many(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds all models or none; all others stay as they are.

        Raises:
            DuplicateEntityError: A name is taken, or occurs twice.
            SpawnError: A model cannot be built, or its name cannot be used. It names that model, if
                one alone is to blame. Nothing was added.
        """
        ...


def spawn_all(simulator: Simulator, requests: Sequence[SpawnRequest]) -> None:
    """Adds all models or none, at once if the simulator can, one by one if not.

    Raises:
        DuplicateEntityError: A name is taken; nothing was added.
        SpawnError: A model cannot be built; nothing was added.
    """
    if isinstance(simulator, BatchSpawning):
        simulator.spawn_many(requests)
        return
    added = []
    try:
        for request in requests:
            simulator.spawn(*request)
            added.append(request.name)
    except BaseException:
        for name in reversed(added):
            simulator.delete(name)
        raise

# SPDX-License-Identifier: Apache-2.0
"""The behaviours of a world, by name and by tag."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deepsim_sync.current import PerWorld
from deepsim_sync.errors import DuplicateEntityError, UnknownEntityError, call_all

if TYPE_CHECKING:
    from deepsim_sync.world.world import World

    from .behaviour import Behaviour


class BehaviourManager(PerWorld):
    """Registry of a world's behaviours, which are updated in the order in which they were added.

    >>> world = World(TableSimulator())
    >>> _ = Behaviour("ball", tags="toys", world=world)
    >>> [each.name for each in world.behaviours.find_by_tag("toys")]
    ['ball']
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._behaviours: dict[str, Behaviour] = {}

    def add(self, behaviour: Behaviour) -> None:
        """Registers a behaviour; called by the constructor of `Behaviour`."""
        if behaviour.name in self._behaviours:
            raise DuplicateEntityError("behaviour", behaviour.name)
        if self not in self.world.trackers:  # so that a world without behaviours does no extra work
            self.world.trackers.add(self, first=True)
        self._behaviours[behaviour.name] = behaviour

    def remove(self, behaviour: Behaviour) -> None:
        """Unregisters a behaviour; its model stays in the world."""
        if self._behaviours.get(behaviour.name) is not behaviour:
            raise UnknownEntityError("behaviour", behaviour.name, self._behaviours)
        del self._behaviours[behaviour.name]

    def get(self, name: str) -> Behaviour:
        """Returns the behaviour with a name."""
        try:
            return self._behaviours[name]
        except KeyError:
            raise UnknownEntityError("behaviour", name, self._behaviours) from None

    def find_by_tag(self, tag: str) -> tuple[Behaviour, ...]:
        """Returns all behaviours with a tag, in the order in which they were added."""
        return tuple(b for b in self._behaviours.values() if tag in b.tags)

    def __iter__(self) -> Iterator[Behaviour]:
        return iter(tuple(self._behaviours.values()))

    def __len__(self) -> int:
        return len(self._behaviours)

    def __contains__(self, name: object) -> bool:
        return name in self._behaviours

    def update(self) -> None:
        """Updates every behaviour; called by the environment once per step."""
        present = self._behaviours
        for behaviour in tuple(present.values()):
            if present.get(behaviour.name) is behaviour:  # not removed by an earlier one
                behaviour.update()

    def reset(self, worlds: NDArray[np.intp]) -> None:
        """Resets every behaviour, unless `worlds` is empty.

        Raises:
            CallbackError: A behaviour raised an error; the others were still reset.
        """
        if len(worlds):
            call_all(behaviour.reset for behaviour in self._present())

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Calls every behaviour's `fixed_update`."""
        present, now = self._behaviours, float(sim_time[0])
        for behaviour in tuple(present.values()):
            if present.get(behaviour.name) is behaviour:
                behaviour.fixed_update(delta_time, now)

    def _present(self) -> Iterator[Behaviour]:
        """Yields the behaviours, except those that are removed before their turn."""
        for behaviour in tuple(self._behaviours.values()):
            if self._behaviours.get(behaviour.name) is behaviour:
                yield behaviour

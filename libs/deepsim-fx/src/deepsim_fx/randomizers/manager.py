# SPDX-License-Identifier: Apache-2.0
"""The randomizers of a world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from deepsim_sync import DuplicateEntityError, PerWorld, UnknownEntityError, World, WorldNumbers

if TYPE_CHECKING:
    from numpy.random import Generator

    from .randomizer import AbstractRandomizer, Draw


class RandomizerManager(PerWorld):
    """Manager of a world's randomizers: runs them in the order they were added, and logs draws.

    Call `randomize` where episodes begin, such as in a ``reset`` or ``on_reset`` hook.

    >>> world = World(TableSimulator(timestep=0.25), seed=1)
    >>> world.spawn(TableModel(lights=("lamp",)), "ball", Pose())
    >>> manager = world.get(RandomizerManager)
    >>> manager.add(PoseRandomizer("ball", position=[("uniform", -1, 1), 0, 0.5], world=world))
    >>> _ = manager.randomize()
    >>> [draw.randomizer for draw in manager.log]
    ['pose of ball']

    Attributes:
        log: The draws since the last reset of each world, oldest first.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.log: list[Draw] = []
        self._randomizers: dict[str, AbstractRandomizer] = {}

    def __iter__(self) -> Iterator[AbstractRandomizer]:
        return iter(tuple(self._randomizers.values()))

    def __len__(self) -> int:
        return len(self._randomizers)

    def __contains__(self, randomizer: object) -> bool:
        return randomizer in self._randomizers or randomizer in self._randomizers.values()

    def __getitem__(self, name: str) -> AbstractRandomizer:
        try:
            return self._randomizers[name]
        except KeyError:
            raise UnknownEntityError("randomizer", name, self._randomizers) from None

    def add(self, randomizer: AbstractRandomizer) -> None:
        """Adds a randomizer after the existing ones.

        Raises:
            DuplicateEntityError: Another randomizer has the same name; choose a different one with
                ``name=``.
            ValueError: The randomizer is for another world.
        """
        if randomizer.world is not self.world:
            raise ValueError(f"{randomizer!r} is for another world: make one for each")
        if randomizer.name in self._randomizers:
            raise DuplicateEntityError("randomizer", randomizer.name)
        self._randomizers[randomizer.name] = randomizer

    def remove(self, randomizer: AbstractRandomizer | str) -> None:
        """Removes a randomizer, given as an object or by name; its last draw stays in effect.

        Raises:
            UnknownEntityError: The randomizer does not exist.
        """
        name = randomizer if isinstance(randomizer, str) else randomizer.name
        if randomizer not in self:
            raise UnknownEntityError("randomizer", name, self._randomizers)
        del self._randomizers[name]

    def discard(self, randomizer: AbstractRandomizer | str) -> None:
        """Removes a randomizer if it is present."""
        if randomizer in self:
            self.remove(randomizer)

    def randomize(
        self, worlds: ArrayLike | None = None, rngs: Sequence[Generator] | None = None
    ) -> tuple[Draw, ...]:
        """Runs every randomizer in order, and returns all draws.

        Args:
            worlds: Numbers of the worlds; all by default.
            rngs: The generator of each of these worlds; by default the world's own.
        """
        return tuple(draw for each in self for draw in each.randomize(worlds, rngs))

    def replay(self, draws: Iterable[Draw]) -> None:
        """Applies earlier draws of this or another world, without randomness.

        Args:
            draws: The draws in the order in which they were logged.

        Raises:
            UnknownEntityError: A randomizer does not exist; nothing was replayed.
            ValueError: A draw belongs to an unknown world.
        """
        pairs = [(self[draw.randomizer], draw) for draw in draws]
        for randomizer, draw in pairs:
            randomizer.replay(draw)

    def reset(self, worlds: WorldNumbers) -> None:
        """Removes the draws of some worlds from the log; the drawn values stay in effect."""
        ended = set(worlds.tolist())
        self.log = [draw for draw in self.log if draw.world not in ended]

    def get_state(self) -> Any:
        """Returns the log, for a snapshot."""
        return tuple(self.log)

    def set_state(self, state: Any) -> None:
        """Restores the log."""
        self.log = list(state)

# SPDX-License-Identifier: Apache-2.0
"""All randomizers of one world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from deepsim_sync import DuplicateEntityError, PerWorld, UnknownEntityError, World

if TYPE_CHECKING:
    from numpy.random import Generator

    from .randomizer import AbstractRandomizer, Draw


class RandomizerManager(PerWorld):
    """Runs the randomizers of a world in the order in which they were added, and keeps the log.

    Nothing runs by itself: call `randomize` where episodes begin, such as in ``on_reset``.

    Args:
        world: The world.

    Attributes:
        log: What was drawn since the last reset of the world, oldest first.
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
        """Takes a randomizer in, after those that are there.

        Raises:
            DuplicateEntityError: Another one has its name: give it one by ``name=``.
            ValueError: It is for another world.
        """
        if randomizer.world is not self.world:
            raise ValueError(f"{randomizer!r} is for another world: make one for each")
        if randomizer.name in self._randomizers:
            raise DuplicateEntityError("randomizer", randomizer.name)
        self._randomizers[randomizer.name] = randomizer

    def remove(self, randomizer: AbstractRandomizer | str) -> None:
        """Takes a randomizer out, by itself or by name; what it did stays.

        Raises:
            UnknownEntityError: It is not here.
        """
        name = randomizer if isinstance(randomizer, str) else randomizer.name
        if randomizer not in self:
            raise UnknownEntityError("randomizer", name, self._randomizers)
        del self._randomizers[name]

    def discard(self, randomizer: AbstractRandomizer | str) -> None:
        """Takes a randomizer out if it is here."""
        if randomizer in self:
            self.remove(randomizer)

    def randomize(self, rng: Generator | None = None) -> tuple[Draw, ...]:
        """Has every randomizer draw and apply, in order; returns what they drew.

        Args:
            rng: What all of them draw from; by default the world's ``rng``.
        """
        return tuple(randomizer.randomize(rng) for randomizer in self)

    def replay(self, draws: Iterable[Draw]) -> None:
        """Does again what was drawn before, here or in another world; nothing is random.

        Args:
            draws: In the order of a log.

        Raises:
            UnknownEntityError: A randomizer of that name is not here; nothing was replayed.
        """
        pairs = [(self[draw.randomizer], draw) for draw in draws]
        for randomizer, draw in pairs:
            randomizer.replay(draw)

    def reset(self) -> None:
        """Begins a new log; the randomizers stay, and so does what they did to looks."""
        self.log = []

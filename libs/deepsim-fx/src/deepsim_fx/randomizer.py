# SPDX-License-Identifier: Apache-2.0
"""A randomizer: something about a world that is drawn anew, episode by episode."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from deepsim_sync import World

from .randomizer_manager import RandomizerManager


@dataclass(frozen=True)
class Draw:
    """What a randomizer drew: all that it takes to do the same again.

    It is made of names, numbers, lists and dicts, so that JSON keeps it to the last digit:
    ``json.dumps(asdict(draw))``, and back by ``Draw(**json.loads(text))``.

    Attributes:
        randomizer: The name of the randomizer.
        tick: The world's tick count then.
        time: Simulated time then [s].
        values: What was drawn, as the randomizer's `apply` takes it.
    """

    randomizer: str
    tick: int
    time: float
    values: Mapping[str, Any]


class AbstractRandomizer(ABC):
    """Draws something about a world, from the world's own generator or another one.

    A subclass splits it in two: `draw` decides, and `apply` does. What was drawn can thus be
    logged, and be done again without any randomness.

    Args:
        name: What it is called in the log; no other randomizer of its world's manager has it.
        world: What it randomizes; by default the current one.

    Attributes:
        name: What it is called in the log.
        world: What it randomizes.

    Raises:
        NoCurrentWorldError: No world was given, and none is current.
    """

    def __init__(self, name: str, world: World | None = None) -> None:
        self.name = name
        self.world = world if world is not None else World.current()

    def randomize(self, rng: Generator | None = None) -> Draw:
        """Draws and applies it; it reads back at once.

        Args:
            rng: What is drawn from; by default the world's ``rng``. With ``World.stream``, whatever
                else is random is the same as without the randomizer.

        Returns:
            What was drawn; it is also in the log of the world's `RandomizerManager`.
        """
        return self._record(self.draw(self.world.rng if rng is None else rng))

    def replay(self, draw: Draw) -> Draw:
        """Applies what was drawn before, here or in another world; nothing is random.

        Raises:
            ValueError: Another randomizer drew it.
        """
        if draw.randomizer != self.name:
            raise ValueError(f"that was drawn by {draw.randomizer!r}, and this is {self.name!r}")
        return self._record(draw.values)

    def _record(self, values: Mapping[str, Any]) -> Draw:
        self.apply(values)
        draw = Draw(self.name, self.world.ticks, self.world.time, values)
        self.world.get(RandomizerManager).log.append(draw)
        return draw

    @abstractmethod
    def draw(self, rng: Generator) -> Mapping[str, Any]:
        """Decides what becomes of the world, and leaves it as it is.

        Args:
            rng: The only source of randomness.

        Returns:
            Names, numbers, lists and dicts.
        """

    @abstractmethod
    def apply(self, values: Mapping[str, Any]) -> None:
        """Does what `draw` decided.

        Args:
            values: What `draw` returned, maybe by way of JSON.
        """

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

# SPDX-License-Identifier: Apache-2.0
"""The base class of randomizers, and the entities that their patterns select."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from deepsim_fx.targets import chosen_worlds
from deepsim_sync import SCOPE, Entities, UnknownEntityError, World, WorldNumbers

from .manager import RandomizerManager


@dataclass(frozen=True)
class Draw:
    """The result of one draw for one world, which can be applied again.

    It consists of text, numbers, lists and dicts, so that JSON preserves every digit:
    ``json.dumps(asdict(draw))``, and back by ``Draw(**json.loads(text))``. To apply it in another
    world, set its number: ``dataclasses.replace(draw, world=0)``.

    >>> Draw("pose of ball", tick=0, time=0.0, values={"pose": [0, 0, 1, 0, 0, 0, 1]}).world
    0

    Attributes:
        randomizer: The name of the randomizer.
        tick: Tick count of the world.
        time: Simulated time [s].
        values: The drawn values, in the form that the randomizer's `apply` takes.
        world: The number of the world.
    """

    randomizer: str
    tick: int
    time: float
    values: Mapping[str, Any]
    world: int = 0


class AbstractRandomizer(ABC):
    """Base class of randomizers, which draw properties of a world from a random generator.

    A subclass draws in `draw` and applies the result in `apply`, so that a draw can be logged and
    applied again without randomness.

    >>> class Wind(AbstractRandomizer):
    ...     def draw(self, rng, world):
    ...         return {"speed": float(rng.uniform(1.0, 2.0))}
    ...     def apply(self, values, worlds):
    ...         speed = [[(each["speed"], 0, 0, 0, 0, 0)] for each in values]  # (w, 1, 6)
    ...         self.world.models.select(["car"]).put(worlds, twist=speed)
    >>> world = World(TableSimulator(), seed=1)
    >>> world.spawn(TableModel(), "car", Pose())
    >>> (drawn,) = Wind("wind", world).randomize()
    >>> bool(world.models.twist[0, 0, 0] == drawn.values["speed"])
    True

    Args:
        name: Name in the log, unique among the randomizers of the world's manager.
        world: The world to randomize; by default the current one.

    Attributes:
        name: Name in the log.
        world: The world to randomize.

    Raises:
        NoCurrentWorldError: No world was given, and none is current.
    """

    def __init__(self, name: str, world: World | None = None) -> None:
        self.name = name
        self.world = world if world is not None else World.current()

    def randomize(
        self, worlds: ArrayLike | None = None, rngs: Sequence[Generator] | None = None
    ) -> tuple[Draw, ...]:
        """Draws values for some worlds, and applies them immediately.

        Args:
            worlds: Numbers of the worlds; all by default.
            rngs: A generator for each of these worlds; by default those in ``world.rngs``. To leave
                these unchanged, give generators of `World.stream`.

        Returns:
            The draw of each world; draws are also in the log of the world's `RandomizerManager`.

        Raises:
            ValueError: The numbers of generators and worlds differ.
        """
        chosen = chosen_worlds(self.world, worlds)
        numbers = chosen.tolist()
        if rngs is None:
            rngs = [self.world.rngs[number] for number in numbers]
        elif len(rngs) != len(numbers):
            raise ValueError(
                f"expected one generator for each of {len(numbers)} worlds, got {len(rngs)}"
            )
        drawn = [self.draw(rng, number) for rng, number in zip(rngs, numbers, strict=True)]
        return self._record(drawn, chosen)

    def replay(self, draw: Draw) -> Draw:
        """Applies an earlier draw of this or another world, without randomness.

        Raises:
            ValueError: The draw belongs to another randomizer, or its world is unknown.
        """
        if draw.randomizer != self.name:
            raise ValueError(f"{self.name!r} cannot apply a draw of {draw.randomizer!r}")
        return self._record([draw.values], chosen_worlds(self.world, [draw.world]))[0]

    def _record(
        self, values: Sequence[Mapping[str, Any]], worlds: WorldNumbers
    ) -> tuple[Draw, ...]:
        if not values:
            return ()
        self.apply(values, worlds)
        ticks, times = self.world.ticks.tolist(), self.world.time.tolist()
        draws = tuple(
            Draw(self.name, ticks[number], times[number], each, number)
            for number, each in zip(worlds.tolist(), values, strict=True)
        )
        self.world.get(RandomizerManager).log.extend(draws)
        return draws

    @abstractmethod
    def draw(self, rng: Generator, world: int) -> Mapping[str, Any]:
        """Draws values for one world without changing the world.

        Args:
            rng: The only source of randomness.
            world: The number of the world.

        Returns:
            The drawn values by name: text, numbers, and lists and dicts of them, so that JSON can
            store a draw.
        """

    @abstractmethod
    def apply(self, values: Sequence[Mapping[str, Any]], worlds: WorldNumbers) -> None:
        """Applies the draws of some worlds.

        Args:
            values: A result of `draw` for each of the worlds, possibly restored from JSON.
            worlds: (w,) the numbers of the worlds.
        """

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


Patterns = str | Iterable[str]
"""One or several names, in which ``*`` matches any characters and ``?`` any single one."""


def as_patterns(patterns: Patterns) -> tuple[str, ...]:
    """Returns patterns as a tuple."""
    return (patterns,) if isinstance(patterns, str) else tuple(patterns)


def matching(names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """Returns the names that match at least one pattern."""
    return [name for name in names if any(fnmatchcase(name, each) for each in patterns)]


def links_of(entities: Entities, model: str, links: Sequence[str]) -> list[str]:
    """Returns the full names, ``model::link``, of those links of a model that match patterns.

    `links` are patterns of link names in the model, such as ``arm::hand``.

    Raises:
        UnknownEntityError: The model does not exist.
        ValueError: No link matches.
    """
    if model not in entities.models:
        raise UnknownEntityError("model", model, entities.models)
    own = [name[len(model + SCOPE) :] for name in entities.links.within(model)]
    chosen = matching(own, links)
    if not chosen:
        raise ValueError(
            f"no link of model {model!r} matches {list(links)}; it has {', '.join(own)}"
        )
    return [model + SCOPE + name for name in chosen]


def visuals_of(
    entities: Entities, model: str, links: Sequence[str], visuals: Sequence[str]
) -> dict[str, list[str]]:
    """Returns the full names of the visuals that match patterns, by the full name of their link.

    `links` are patterns of link names in the model, `visuals` of visual names in their links.

    Raises:
        UnknownEntityError: The model does not exist.
        ValueError: No link or no visual matches.
    """
    found: dict[str, list[str]] = {}
    known: list[str] = []
    for link in links_of(entities, model, links):
        own = [name[len(link + SCOPE) :] for name in entities.visuals.within(link)]
        # A nested model may have the name of a link; its visuals are not the link's.
        own = [name for name in own if SCOPE not in name]
        known += own
        chosen = matching(own, visuals)
        if chosen:
            found[link] = [link + SCOPE + name for name in chosen]
    if not found:
        raise ValueError(
            f"no visual of model {model!r} in links {list(links)} matches {list(visuals)}; "
            f"they have {', '.join(known) or 'none'}"
        )
    return found


Drawn = Mapping[str, Mapping[str, Any]]
"""Cells by column and entity name."""


def stacked(
    values: Sequence[Drawn], worlds: WorldNumbers
) -> Iterator[tuple[WorldNumbers, tuple[str, ...], dict[str, list[list[Any]]]]]:
    """Stacks the draws of several worlds, so that one call applies them.

    Yields:
        World numbers (w,), entity names (k,) and cells (w, k, ...) by column. Worlds are grouped if
        their draws have the same columns and entities, and columns if they have the same entities.
    """
    alike: dict[tuple[tuple[str, tuple[str, ...]], ...], list[tuple[int, Drawn]]] = {}
    for number, drawn in zip(worlds.tolist(), values, strict=True):
        key = tuple((column, tuple(cells)) for column, cells in drawn.items())
        alike.setdefault(key, []).append((number, drawn))
    for key, members in alike.items():
        numbers = np.array([number for number, _ in members], np.intp)
        for names in dict.fromkeys(names for _, names in key):
            columns = [column for column, own in key if own == names]
            yield (
                numbers,
                names,
                {
                    column: [list(drawn[column].values()) for _, drawn in members]
                    for column in columns
                },
            )

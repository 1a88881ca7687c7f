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
from deepsim_sync import (
    SCOPE,
    DuplicateEntityError,
    Entities,
    PerWorld,
    UnknownEntityError,
    World,
    WorldNumbers,
)


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

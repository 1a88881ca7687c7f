# SPDX-License-Identifier: Apache-2.0
"""Randomized colours of models, and randomized lights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np
from numpy.random import Generator

from deepsim_fx.effects.manager import EffectManager
from deepsim_fx.targets import named
from deepsim_sync import COLUMNS, Transform, World, WorldNumbers

from .distributions import ANY_COLOR, Spec, distribution, draw_colors
from .randomizer import AbstractRandomizer, Patterns, as_patterns, matching, stacked, visuals_of

_COLORS = tuple(name for name, column in COLUMNS["visuals"].items() if column.shape == (4,))


class RandomizerLevel(str, Enum):
    """The parts of a model that share a colour.

    >>> world = World(TableSimulator(), seed=1)
    >>> world.spawn(TableModel(visuals=("hood", "roof")), "car", Pose())
    >>> level = RandomizerLevel.MODEL
    >>> paint = ModelVisualRandomizer("car", level, color=("uniform", 0, 1), world=world)
    >>> drawn = paint.randomize()
    >>> hood, roof = world.visuals.diffuse[0]
    >>> bool((hood == roof).all())  # one colour for the whole model
    True
    """

    MODEL = "model"
    """The whole model."""
    LINK = "link"
    """Each link."""
    VISUAL = "visual"
    """Each visual."""


class ModelVisualRandomizer(AbstractRandomizer):
    """Randomizer of the colours of a model: as a whole, link by link, or visual by visual.

    Visuals that a draw does not select return to their own colours: those that they had when the
    randomizer was constructed or, if they were spawned later, at its first draw. Snapshots of the
    world do not include these own colours. Effects stay on top.

    >>> world = World(TableSimulator(timestep=0.25), seed=1)
    >>> world.spawn(TableModel(lights=("lamp",)), "ball", Pose())
    >>> _ = ModelVisualRandomizer("ball", world=world).randomize()
    >>> bool((world.visuals.diffuse[0, 0] <= 1.0).all())
    True

    Args:
        model: The model, by name or transform.
        level: The parts that share a colour: ``"model"``, ``"link"`` or ``"visual"``.
        num_selection: Number of links or visuals to paint, selected in each draw; all by default.
        links: Patterns of link names in the model, such as ``"wheel_*"``.
        visuals: Patterns of visual names in these links.
        color: Distribution of channels, RGB or RGBA colours, 0..1.
        columns: Colours of the material to paint; all of them get the same colour.
        name: Name of the randomizer in the log; by default derived from the model.
        world: The world of the model; by default the world of a transform, or the current one.

    Raises:
        ValueError: The level, a column or the distribution is invalid, or `num_selection` < 1.
    """

    def __init__(
        self,
        model: str | Transform,
        level: RandomizerLevel | str = RandomizerLevel.MODEL,
        *,
        num_selection: int | None = None,
        links: Patterns = "*",
        visuals: Patterns = "*",
        color: Spec = ANY_COLOR,
        columns: Iterable[str] = ("ambient", "diffuse"),
        name: str | None = None,
        world: World | None = None,
    ) -> None:
        (self.model,), world = named(model, world)
        super().__init__(name or f"visuals of {self.model}", world)
        levels = [each.value for each in RandomizerLevel]
        if level not in levels:
            raise ValueError(f"level must be one of {', '.join(levels)}, got {level!r}")
        self.level = RandomizerLevel(level)
        if num_selection is not None and num_selection < 1:
            raise ValueError(f"num_selection must be >= 1, or None for all, got {num_selection}")
        self.num_selection = num_selection
        self.links, self.visuals = as_patterns(links), as_patterns(visuals)
        self.color = distribution(color, (3,), (4,))
        self.columns = tuple(columns)
        if not self.columns or not set(self.columns) <= set(_COLORS):
            raise ValueError(
                f"columns must be some of {', '.join(_COLORS)}, got {list(self.columns)}"
            )
        # RGBA by world, for each column and visual.
        self._own: dict[tuple[str, str], dict[int, list[float]]] = {}
        self._found: tuple[tuple[Any, ...], list[list[str]]] | None = None
        self._known: set[int] = set()  # worlds in which the own colours are known
        # Not at the first draw: by then a snapshot of another world may have painted them.
        self._remember(self.world.entities.visuals.within(self.model), range(len(self.world)))

    def draw(self, rng: Generator, world: int) -> dict[str, dict[str, list[float]]]:
        """Draws which links or visuals to paint, and their colours.

        Returns:
            RGBA by column and visual, of all visuals that match the patterns.

        Raises:
            UnknownEntityError: The model does not exist.
            ValueError: No visuals match the patterns, or fewer than `num_selection`.
        """
        groups = self._groups()
        count = len(groups) if self.num_selection is None else self.num_selection
        if count > len(groups):
            raise ValueError(
                f"{self.name!r} selects {count} of {len(groups)} {self.level.value}(s): "
                "lower num_selection or widen the filters"
            )
        selected: Iterable[int] = range(count)
        if self.num_selection is not None:
            selected = np.sort(rng.choice(len(groups), count, replace=False))
        colors = draw_colors(self.color, rng, count).tolist()
        painted = {
            visual: color
            for number, color in zip(selected, colors, strict=True)
            for visual in groups[number]
        }
        every = [visual for group in groups for visual in group]
        if world not in self._known:
            self._remember(every, [world])
            self._known.add(world)
        return {
            column: {
                visual: painted.get(visual, self._own[column, visual][world]) for visual in every
            }
            for column in self.columns
        }

    def apply(self, values: Sequence[Mapping[str, Any]], worlds: WorldNumbers) -> None:
        """Paints the visuals."""
        known = self.world.entities.visuals
        for numbers, names, columns in stacked(values, worlds):
            self.world.put("visuals", columns, known.rows(names), numbers)

    def _groups(self) -> list[list[str]]:
        """Returns groups of visuals that share a colour."""
        key = self.world.entities.generation, self.level, self.links, self.visuals
        if self._found is None or self._found[0] != key:
            self._found, self._known = (key, self._find()), set()
        return self._found[1]

    def _find(self) -> list[list[str]]:
        by_link = visuals_of(self.world.entities, self.model, self.links, self.visuals)
        every = [visual for visuals in by_link.values() for visual in visuals]
        if self.level is RandomizerLevel.MODEL:
            return [every]
        if self.level is RandomizerLevel.LINK:
            return list(by_link.values())
        return [[visual] for visual in every]

    def _remember(self, visuals: Sequence[str], worlds: Iterable[int]) -> None:
        """Stores the colours of new visuals, without effects, in some worlds."""
        rows = self.world.entities.visuals.rows(visuals)
        for column in self.columns:
            colors = self.world.get(EffectManager).own(column)[:, rows]
            for place, visual in enumerate(visuals):
                own = self._own.setdefault((column, visual), {})
                for world in worlds:
                    own.setdefault(world, colors[world, place].tolist())


_TERMS = ("constant", "linear", "quadratic")


class LightRandomizer(AbstractRandomizer):
    """Randomizer of the colours of lights and of their attenuation with distance.

    Properties without a distribution stay unchanged.

    >>> world = World(TableSimulator(timestep=0.25), seed=1)
    >>> world.spawn(TableModel(lights=("lamp",)), "ball", Pose())
    >>> _ = LightRandomizer("ball::*", color=("choice", [(1, 0, 0, 1)]), world=world).randomize()
    >>> world.lights.diffuse[0, 0]
    array([1., 0., 0., 1.])

    Args:
        lights: Names of lights, such as ``"sun"`` or ``"*::lamp"``; each light gets its own draw.
        color: Distribution of the diffuse colour: channels, RGB or RGBA colours, 0..1.
        specular: Distribution of the specular colour.
        constant: Distribution of the constant term of attenuation, >= 0.
        linear: Distribution of the linear term [1/m].
        quadratic: Distribution of the quadratic term [1/m^2].
        name: Name of the randomizer in the log; by default derived from the lights.
        world: The world of the lights; by default the current one.

    Raises:
        ValueError: A distribution is invalid, or none is given.
    """

    def __init__(
        self,
        lights: Patterns,
        *,
        color: Spec | None = ANY_COLOR,
        specular: Spec | None = None,
        constant: Spec | None = None,
        linear: Spec | None = None,
        quadratic: Spec | None = None,
        name: str | None = None,
        world: World | None = None,
    ) -> None:
        self.lights = as_patterns(lights)
        super().__init__(name or f"lights {', '.join(self.lights)}", world)
        self.colors = {
            column: distribution(spec, (3,), (4,))
            for column, spec in (("diffuse", color), ("specular", specular))
            if spec is not None
        }
        self.terms = {
            number: distribution(spec)
            for number, spec in enumerate((constant, linear, quadratic))
            if spec is not None
        }
        if not self.colors and not self.terms:
            raise ValueError(f"{self.name!r} has nothing to draw: give a distribution")

    def draw(self, rng: Generator, world: int) -> dict[str, dict[str, list[float]]]:
        """Draws colours and attenuation.

        Returns:
            Values of the light table, by column and name of the light.

        Raises:
            ValueError: No light matches, or a term of attenuation is negative.
        """
        every = self.world.entities.lights
        chosen = matching(every, self.lights)
        if not chosen:
            known = ", ".join(every) or "none"
            raise ValueError(f"no light matches {list(self.lights)}; there are {known}")
        columns = {
            column: draw_colors(colors, rng, len(chosen)) for column, colors in self.colors.items()
        }
        if self.terms:
            attenuation = self.world.lights.attenuation[world, every.rows(chosen)]
            for number, term in self.terms.items():
                attenuation[:, number] = term(rng, (len(chosen),))
                if (attenuation[:, number] < 0.0).any():
                    low = float(np.min(attenuation[:, number]))
                    raise ValueError(
                        f"{_TERMS[number]} attenuation must be >= 0, {self.name!r} drew {low}"
                    )
            columns["attenuation"] = attenuation
        return {
            column: dict(zip(chosen, cells.tolist(), strict=True))
            for column, cells in columns.items()
        }

    def apply(self, values: Sequence[Mapping[str, Any]], worlds: WorldNumbers) -> None:
        """Sets the colours and attenuation of the lights."""
        known = self.world.entities.lights
        for numbers, names, columns in stacked(values, worlds):
            self.world.put("lights", columns, known.rows(names), numbers)

# SPDX-License-Identifier: Apache-2.0
"""Randomized lights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from deepsim_sync import World, WorldNumbers

from .distributions import ANY_COLOR, Spec, distribution, draw_colors
from .randomizer import AbstractRandomizer, Patterns, as_patterns, matching, stacked

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

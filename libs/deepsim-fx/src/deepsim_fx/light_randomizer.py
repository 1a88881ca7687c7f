# SPDX-License-Identifier: Apache-2.0
"""Random light."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator

from deepsim_sync import World

from .colors import ANY_COLOR, color_distribution, draw_colors
from .distributions import Spec, distribution
from .randomizer import AbstractRandomizer
from .selection import Patterns, as_patterns, matching

_TERMS = ("constant", "linear", "quadratic")


class LightRandomizer(AbstractRandomizer):
    """Changes the colour of lights and how they fade with distance; never where they are.

    What no distribution is given for stays as it is.

    Args:
        lights: Names of lights, such as ``"sun"`` or ``"*::lamp"``; each is drawn by itself.
        color: Distribution of the diffuse light: channels, RGB or RGBA colours, 0..1.
        specular: The same of highlights.
        constant: Distribution of the constant term of attenuation, >= 0.
        linear: Of the linear term [1/m].
        quadratic: Of the quadratic term [1/m^2].
        name: In the log; by default it has the names of the lights.
        world: Where they are; by default the current one.

    Raises:
        ValueError: A distribution is not fit, or none is given.
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
            column: color_distribution(spec)
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

    def draw(self, rng: Generator) -> dict[str, dict[str, list[float]]]:
        """Draws colours and attenuation.

        Returns:
            Cells of the light table by column and light.

        Raises:
            ValueError: No light has such a name, or a term of attenuation is negative.
        """
        every = self.world.entities.lights
        chosen = matching(every, self.lights)
        if not chosen:
            known = ", ".join(every) or "none"
            raise ValueError(f"no light fits {list(self.lights)}; there are {known}")
        columns = {
            column: draw_colors(colors, rng, len(chosen)) for column, colors in self.colors.items()
        }
        if self.terms:
            attenuation = self.world.lights.attenuation[0, every.rows(chosen)]
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

    def apply(self, values: Mapping[str, Any]) -> None:
        """Changes the lights."""
        names = self.world.entities.lights
        for column, cells in values.items():
            self.world.put("lights", {column: list(cells.values())}, names.rows(cells))

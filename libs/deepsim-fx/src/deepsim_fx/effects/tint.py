# SPDX-License-Identifier: Apache-2.0
"""The tint effect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_fx.targets import Target
from deepsim_math import Color
from deepsim_sync import World

from .effect import AbstractEffect


class TintEffect(AbstractEffect):
    """Effect that mixes a colour into the ambient and diffuse colours of visuals.

    The visuals keep their opacity.

    >>> world = World(TableSimulator(timestep=0.25), seed=1)
    >>> world.spawn(TableModel(lights=("lamp",)), "ball", Pose())
    >>> TintEffect("ball", color=(1, 0, 0), strength=1.0, world=world).attach()
    >>> world.visuals.diffuse[0, 0]
    array([1., 0., 0., 1.])

    Args:
        color: RGB or RGBA, 0..1; the alpha is ignored.
        strength: Share of the colour, 0..1.

    Raises:
        ValueError: The strength or a channel is not in 0..1, or the duration is not positive.
    """

    def __init__(
        self,
        targets: Target | Iterable[Target],
        color: Color | Sequence[float],
        *,
        strength: float = 0.5,
        duration: float = 1.0,
        world: World | None = None,
    ) -> None:
        super().__init__(targets, duration=duration, world=world)
        if not 0.0 <= strength <= 1.0:
            raise ValueError(f"strength must lie in 0..1, got {strength}")
        self.color = Color.from_array(color)
        self.strength = strength

    def on_update(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Shows the colour; a subclass may change colour and strength in each tick."""
        mix = (self.strength, self.strength, self.strength, 0.0)
        self.show(ambient=self.color, diffuse=self.color, mix=mix)

# SPDX-License-Identifier: Apache-2.0
"""The fade effect."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from deepsim_fx.targets import Target
from deepsim_sync import World

from .effect import AbstractEffect


class FadeEffect(AbstractEffect):
    """Fades visuals linearly from their own opacity to another one, or back.

    Each visual keeps the last opacity until the effect ends, and then has its own again.

    >>> world = World(TableSimulator(timestep=0.25), seed=1)
    >>> world.spawn(TableModel(lights=("lamp",)), "ball", Pose())
    >>> FadeEffect("ball", alpha=0.0, duration=1.0, world=world).attach()
    >>> for _ in range(3):
    ...     world.tick()
    >>> world.visuals.transparency.item()
    0.5

    Args:
        alpha: The other opacity: 0 invisible .. 1 opaque.
        reverse: Whether it fades from `alpha` to the visuals' own opacity.
        fade_time: Duration of the fading [s]; the whole duration by default.

    Raises:
        ValueError: The opacity is not in 0..1, or a time is not positive and finite.
    """

    def __init__(
        self,
        targets: Target | Iterable[Target],
        *,
        alpha: float = 0.0,
        reverse: bool = False,
        fade_time: float | None = None,
        duration: float = 1.0,
        world: World | None = None,
    ) -> None:
        super().__init__(targets, duration=duration, world=world)
        if not 0.0 <= alpha <= 1.0:
            raise ValueError(f"alpha must lie in 0..1, got {alpha}")
        self.alpha = alpha
        self.reverse = reverse
        self.fade_time = duration if fade_time is None else fade_time
        if not 0.0 < self.fade_time < math.inf:
            raise ValueError(f"fade_time must be > 0 s and finite, got {self.fade_time}")

    def on_update(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Shows the opacity at this instant."""
        progress = np.minimum(1.0, self.elapsed / self.fade_time)
        mix = 1.0 - progress if self.reverse else progress
        self.show(transparency=1.0 - self.alpha, mix=mix)

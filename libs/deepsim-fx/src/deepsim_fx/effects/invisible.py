# SPDX-License-Identifier: Apache-2.0
"""The invisible effect."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from deepsim_fx.targets import Target
from deepsim_sync import World

from .effect import AbstractEffect


class InvisibleEffect(AbstractEffect):
    """Hides visuals from cameras; physics and other sensors do not change.

    >>> world = World(TableSimulator(timestep=0.25), seed=1)
    >>> world.spawn(TableModel(lights=("lamp",)), "ball", Pose())
    >>> InvisibleEffect("ball", world=world).attach()
    >>> world.visuals.visible.item()
    False
    """

    def __init__(
        self,
        targets: Target | Iterable[Target],
        *,
        duration: float = 1.0,
        world: World | None = None,
    ) -> None:
        super().__init__(targets, duration=duration, world=world)

    def on_update(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Hides the visuals."""
        self.show(visible=False)

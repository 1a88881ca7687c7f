# SPDX-License-Identifier: Apache-2.0
"""The invisible effect."""

from __future__ import annotations

from collections.abc import Iterable

from deepsim_sync import World

from .effect import AbstractEffect
from .targets import Target


class InvisibleEffect(AbstractEffect):
    """Hides visuals for a while; nothing but their looks changes.

    Args:
        targets: Models, links or visuals, by name or transform: one, or several.
        duration: After which they show again [s].
        world: Where the targets are; by default the world of a transform, or the current one.
    """

    def __init__(
        self,
        targets: Target | Iterable[Target],
        *,
        duration: float = 1.0,
        world: World | None = None,
    ) -> None:
        super().__init__(targets, duration=duration, world=world)

    def on_update(self, delta_time: float, sim_time: float) -> None:
        """Hides them."""
        self.show(visible=False)

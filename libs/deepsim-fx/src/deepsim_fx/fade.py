# SPDX-License-Identifier: Apache-2.0
"""The fade effect."""

from __future__ import annotations

import math
from collections.abc import Iterable

from deepsim_sync import World

from .effect import AbstractEffect
from .targets import Target


class FadeEffect(AbstractEffect):
    """Fades visuals evenly from how they look to some opacity, or from there to how they look.

    Each visual starts from its own opacity. Afterwards it keeps the last opacity until the effect
    ends, and then looks as before.

    Args:
        targets: Models, links or visuals, by name or transform: one, or several.
        alpha: The opacity that it fades to: 0 invisible .. 1 opaque.
        reverse: Whether it fades in: from `alpha` to how the visuals look.
        fade_time: How long the fading takes [s]; the whole duration by default.
        duration: After which it ends by itself [s].
        world: Where the targets are; by default the world of a transform, or the current one.

    Raises:
        ValueError: The opacity is not in 0..1, or a time is not positive; or the duration is
            infinite, and there is no `fade_time`.
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

    def on_update(self, delta_time: float, sim_time: float) -> None:
        """Shows the opacity of this instant."""
        progress = min(1.0, self.elapsed / self.fade_time)
        mix = 1.0 - progress if self.reverse else progress
        self.show(transparency=1.0 - self.alpha, mix=mix)

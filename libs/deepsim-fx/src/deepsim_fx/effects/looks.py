# SPDX-License-Identifier: Apache-2.0
"""Effects on the opacity and colour of visuals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_fx.targets import Target
from deepsim_math import Color, lerp
from deepsim_sync import World

from .effect import AbstractEffect


class BlinkEffect(AbstractEffect):
    """Effect that fades visuals out and in repeatedly.

    Opacity changes linearly from `max_alpha` to `min_alpha` and back in every interval.

    >>> world = World(TableSimulator(timestep=0.25), seed=1)
    >>> world.spawn(TableModel(lights=("lamp",)), "ball", Pose())
    >>> BlinkEffect("ball", min_alpha=0.0, interval=1.0, world=world).attach()
    >>> for _ in range(3):
    ...     world.tick()
    ...     world.visuals.transparency.item()
    0.0
    0.5
    1.0

    Args:
        min_alpha: Smallest opacity: 0 invisible .. 1 opaque.
        max_alpha: Largest opacity.
        interval: Period of the blinking [s].

    Raises:
        ValueError: The opacities do not satisfy 0 <= min_alpha <= max_alpha <= 1, or a time is not
            positive.
    """

    def __init__(
        self,
        targets: Target | Iterable[Target],
        *,
        min_alpha: float = 0.3,
        max_alpha: float = 1.0,
        interval: float = 1.0,
        duration: float = 2.0,
        world: World | None = None,
    ) -> None:
        super().__init__(targets, duration=duration, world=world)
        if not 0.0 <= min_alpha <= max_alpha <= 1.0:
            raise ValueError(
                f"expected 0 <= min_alpha <= max_alpha <= 1, got {min_alpha} and {max_alpha}"
            )
        if not interval > 0.0:
            raise ValueError(f"interval must be > 0 s, got {interval}")
        self.min_alpha = min_alpha
        self.max_alpha = max_alpha
        self.interval = interval

    def on_update(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Shows the opacity at this instant."""
        phase = self.elapsed / self.interval % 1.0
        faded = 1.0 - np.abs(1.0 - 2.0 * phase)  # 0 at both ends of the interval, 1 at its centre
        self.show(transparency=1.0 - lerp(self.max_alpha, self.min_alpha, faded))


class FadeEffect(AbstractEffect):
    """Effect that fades visuals linearly from their own opacity to another one, or back.

    Visuals keep the final opacity until the effect ends; then their own opacity returns.

    >>> world = World(TableSimulator(timestep=0.25), seed=1)
    >>> world.spawn(TableModel(lights=("lamp",)), "ball", Pose())
    >>> FadeEffect("ball", alpha=0.0, duration=1.0, world=world).attach()
    >>> for _ in range(3):
    ...     world.tick()
    >>> world.visuals.transparency.item()
    0.5

    Args:
        alpha: The other opacity: 0 invisible .. 1 opaque.
        reverse: Whether to fade from `alpha` to the visuals' own opacity.
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


class InvisibleEffect(AbstractEffect):
    """Effect that hides visuals from cameras; physics and other sensors do not change.

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

# SPDX-License-Identifier: Apache-2.0
"""Appearance: colours and light of episodes, and blinking; the race does not depend on it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from deepsim_fx import BlinkEffect, LightRandomizer, ModelVisualRandomizer, RandomizerManager
from deepsim_sync import World

from .course import Bools, Numbers

COLORS = {
    ("red_car", "paint"): ((0.65, 0.02, 0.02), (1.0, 0.25, 0.1)),
    ("blue_car", "paint"): ((0.02, 0.1, 0.6), (0.15, 0.45, 1.0)),
    ("van_0", "paint"): ((0.55, 0.55, 0.5), (1.0, 1.0, 0.9)),
    ("van_1", "paint"): ((0.7, 0.45, 0.0), (1.0, 0.75, 0.2)),
    ("ground", "grass"): ((0.2, 0.45, 0.16), (0.38, 0.62, 0.28)),  # spring .. late summer
}
"""Darkest and lightest colour of a visual of each model, RGB."""
SUN = ((0.6, 0.5, 0.4), (0.85, 0.8, 0.75))  # evening .. noon


class Looks:
    """Draws the appearance of episodes, and lets cars blink that were hit."""

    def __init__(self, world: World, cars: Iterable[str]) -> None:
        self.world = world
        self.randomizers = world.get(RandomizerManager)
        for (model, visual), colors in COLORS.items():
            color = ("uniform", *colors)
            randomizer = ModelVisualRandomizer(model, visuals=visual, color=color, world=world)
            self.randomizers.add(randomizer)
        self.randomizers.add(LightRandomizer("sun", color=("uniform", *SUN), world=world))
        self.blinking = [
            BlinkEffect(name, min_alpha=0.15, interval=0.25, duration=0.75, world=world)
            for name in cars
        ]

    def draw(self, worlds: Numbers) -> None:
        """Draws colours and light in some worlds, from a random stream beside the race's."""
        streams = [self.world.stream("looks", world) for world in worlds.tolist()]
        self.randomizers.randomize(worlds, streams)

    def show_hits(self, hit: Bools) -> None:
        """Lets cars blink where they were hit, (W, cars), and do not blink already."""
        if hit.any():
            for car, effect in enumerate(self.blinking):
                effect.attach(np.flatnonzero(hit[:, car] & ~effect.attached_in))

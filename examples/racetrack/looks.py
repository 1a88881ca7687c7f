# SPDX-License-Identifier: Apache-2.0
"""How the race looks: other colours and another light in each episode.

Nothing that a car observes or earns depends on it.
"""

from __future__ import annotations

from deepsim_fx import BlinkEffect, LightRandomizer, ModelVisualRandomizer, RandomizerManager
from deepsim_sync import Transform, World

PAINT = {
    "red_car": ((0.65, 0.02, 0.02), (1.0, 0.25, 0.1)),
    "blue_car": ((0.02, 0.1, 0.6), (0.15, 0.45, 1.0)),
    "van_0": ((0.55, 0.55, 0.5), (1.0, 1.0, 0.9)),
    "van_1": ((0.7, 0.45, 0.0), (1.0, 0.75, 0.2)),
}
"""Darkest and lightest paint of each vehicle, RGB."""
GRASS = ((0.2, 0.45, 0.16), (0.38, 0.62, 0.28))  # spring .. late summer
SUN = ((0.6, 0.5, 0.4), (0.85, 0.8, 0.75))  # evening .. noon


def randomizers(world: World) -> RandomizerManager:
    """What draws the looks of an episode; ``world.stream("looks")`` leaves the race as it is.

    Its ``log`` says what was drawn, and its ``replay`` draws that again.

    Args:
        world: With all vehicles in it.
    """
    manager = world.get(RandomizerManager)
    for name, (dark, light) in PAINT.items():
        manager.add(
            ModelVisualRandomizer(
                name,
                links=("chassis", "body"),
                visuals="paint",
                color=("uniform", dark, light),
                world=world,
            )
        )
    manager.add(
        ModelVisualRandomizer("ground", visuals="grass", color=("uniform", *GRASS), world=world)
    )
    manager.add(LightRandomizer("sun", color=("uniform", *SUN), world=world))
    return manager


def blink(car: Transform) -> BlinkEffect:
    """What shows that a car was hit; it ends by itself, or with the episode."""
    return BlinkEffect(car, min_alpha=0.15, interval=0.25, duration=0.75)

# SPDX-License-Identifier: Apache-2.0
"""Visual effects and domain randomizers.

Effects follow simulated time and restore the appearance of visuals exactly. Randomizers draw from
the worlds' generators; draws are logged and can be replayed.
"""

from .effects.effect import AbstractEffect
from .effects.looks import BlinkEffect, FadeEffect, InvisibleEffect, TintEffect
from .effects.manager import EffectManager, EffectObserver
from .randomizers.appearance import LightRandomizer, ModelVisualRandomizer, RandomizerLevel
from .randomizers.distributions import (
    DISTRIBUTIONS,
    Choice,
    Distribution,
    LogUniform,
    Normal,
    Spec,
    Stack,
    Uniform,
    distribution,
)
from .randomizers.physics import ArrayRandomizer, JointRandomizer, PhysicsRandomizer
from .randomizers.placement import CameraRandomizer, PoseRandomizer
from .randomizers.randomizer import AbstractRandomizer, Draw, RandomizerManager
from .targets import Target

__all__ = [
    "DISTRIBUTIONS",
    "AbstractEffect",
    "AbstractRandomizer",
    "ArrayRandomizer",
    "BlinkEffect",
    "CameraRandomizer",
    "Choice",
    "Distribution",
    "Draw",
    "EffectManager",
    "EffectObserver",
    "FadeEffect",
    "InvisibleEffect",
    "JointRandomizer",
    "LightRandomizer",
    "LogUniform",
    "ModelVisualRandomizer",
    "Normal",
    "PhysicsRandomizer",
    "PoseRandomizer",
    "RandomizerLevel",
    "RandomizerManager",
    "Spec",
    "Stack",
    "Target",
    "TintEffect",
    "Uniform",
    "distribution",
]

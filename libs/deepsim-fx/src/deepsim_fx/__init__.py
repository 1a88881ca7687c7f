# SPDX-License-Identifier: Apache-2.0
"""Visual effects and domain randomizers.

Effects are driven by simulated time and give back exactly what was there before them. Randomizers
draw from the world's own generator; what they drew can be logged and replayed.
"""

from .blink import BlinkEffect
from .camera_randomizer import CameraRandomizer
from .distributions import (
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
from .effect import AbstractEffect
from .fade import FadeEffect
from .invisible import InvisibleEffect
from .light_randomizer import LightRandomizer
from .manager import EffectManager
from .model_visual_randomizer import ModelVisualRandomizer, RandomizerLevel
from .observer import EffectObserver
from .physics_randomizer import PhysicsRandomizer
from .pose_randomizer import PoseRandomizer
from .randomizer import AbstractRandomizer, Draw
from .randomizer_manager import RandomizerManager
from .targets import Target
from .tint import TintEffect

__all__ = [
    "DISTRIBUTIONS",
    "AbstractEffect",
    "AbstractRandomizer",
    "BlinkEffect",
    "CameraRandomizer",
    "Choice",
    "Distribution",
    "Draw",
    "EffectManager",
    "EffectObserver",
    "FadeEffect",
    "InvisibleEffect",
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

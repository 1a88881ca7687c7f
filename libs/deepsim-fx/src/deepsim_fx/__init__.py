# SPDX-License-Identifier: Apache-2.0
"""Visual effects, driven by simulated time; they give back exactly what was there before them."""

from .blink import BlinkEffect
from .effect import AbstractEffect
from .invisible import InvisibleEffect
from .manager import EffectManager
from .observer import EffectObserver
from .targets import Target

__all__ = [
    "AbstractEffect",
    "BlinkEffect",
    "EffectManager",
    "EffectObserver",
    "InvisibleEffect",
    "Target",
]

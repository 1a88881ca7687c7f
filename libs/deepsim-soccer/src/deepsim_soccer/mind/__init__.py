# SPDX-License-Identifier: Apache-2.0
"""Minds of robots as behaviour trees, whose leaves act for one robot or for many at once."""

from .solo import SoloMind
from .steering import Limits, Steering

__all__ = ["Limits", "SoloMind", "Steering"]

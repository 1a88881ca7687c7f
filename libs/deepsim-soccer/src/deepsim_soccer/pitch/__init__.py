# SPDX-License-Identifier: Apache-2.0
"""Moves robots and a ball in a world: driving, dribbling and kicking."""

from .ball import Ball
from .pitch import Pitch

__all__ = ["Ball", "Pitch"]

# SPDX-License-Identifier: Apache-2.0
"""Extents of a model: its bounds, its smallest box, its footprint."""

from __future__ import annotations

from .bounds import Bounds
from .footprint import Footprint
from .oriented_box import OrientedBox

__all__ = ["Bounds", "Footprint", "OrientedBox"]

# SPDX-License-Identifier: Apache-2.0
"""Extents of a model: bounds, oriented box and footprint."""

from __future__ import annotations

from .bounds import Bounds
from .footprint import Footprint
from .oriented_box import OrientedBox

__all__ = ["Bounds", "Footprint", "OrientedBox"]

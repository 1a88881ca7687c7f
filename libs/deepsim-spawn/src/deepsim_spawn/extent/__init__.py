# SPDX-License-Identifier: Apache-2.0
"""Extents of a model: bounds and footprint."""

from __future__ import annotations

from .bounds import Bounds
from .footprint import Footprint

__all__ = ["Bounds", "Footprint"]

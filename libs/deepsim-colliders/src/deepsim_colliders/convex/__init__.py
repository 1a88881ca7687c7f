# SPDX-License-Identifier: Apache-2.0
"""Distance and depth of convex shapes in space that are known by their support points only."""

from __future__ import annotations

from .depth import penetration
from .distance import nearest
from .minkowski import Body, Pairing, Witness

__all__ = ["Body", "Pairing", "Witness", "nearest", "penetration"]

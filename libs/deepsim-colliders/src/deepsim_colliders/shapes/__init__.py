# SPDX-License-Identifier: Apache-2.0
"""The shapes of colliders, one module each."""

from __future__ import annotations

from .box import BoxCollider
from .capsule import CapsuleCollider
from .circle import CircleCollider
from .compound import CompoundCollider
from .cone import ConeCollider
from .cylinder import CylinderCollider
from .ellipsoid import EllipsoidCollider
from .geometry import GeometryCollider
from .heightmap import HeightmapCollider
from .hull import HullCollider
from .mesh import MeshCollider
from .plane import PlaneCollider
from .rectangle import RectangleCollider
from .sphere import SphereCollider

__all__ = [
    "BoxCollider",
    "CapsuleCollider",
    "CircleCollider",
    "CompoundCollider",
    "ConeCollider",
    "CylinderCollider",
    "EllipsoidCollider",
    "GeometryCollider",
    "HeightmapCollider",
    "HullCollider",
    "MeshCollider",
    "PlaneCollider",
    "RectangleCollider",
    "SphereCollider",
]

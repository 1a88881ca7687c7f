# SPDX-License-Identifier: Apache-2.0
"""Rays, points, overlaps and clearances of moving 2D and 3D shapes, in one world or in many.

A collider has a fixed shape and follows the pose of the object that it is attached to. Colliders
are closed sets, so touching counts as meeting; 2D colliders ignore z. Values have the types of
deepsim-math, in metres and in the world frame.
"""

from .collider import ALL_LAYERS, Collider, PoseSource
from .collider_2d import Collider2D
from .collider_3d import Collider3D
from .results import Bounds, Clearances, Hit, RayHits
from .sets.collider_set import ColliderSet
from .shapes.compound import CompoundCollider
from .shapes.flat import GeometryCollider, RectangleCollider
from .shapes.mesh import MeshCollider
from .shapes.plane import PlaneCollider
from .shapes.solids import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    CylinderCollider,
    SphereCollider,
)

__version__ = "0.5.5"

__all__ = [
    "ALL_LAYERS",
    "Bounds",
    "BoxCollider",
    "CapsuleCollider",
    "CircleCollider",
    "Clearances",
    "Collider",
    "Collider2D",
    "Collider3D",
    "ColliderSet",
    "CompoundCollider",
    "CylinderCollider",
    "GeometryCollider",
    "Hit",
    "MeshCollider",
    "PlaneCollider",
    "PoseSource",
    "RayHits",
    "RectangleCollider",
    "SphereCollider",
]

# SPDX-License-Identifier: Apache-2.0
"""2D and 3D colliders: intersects, contains and raycast.

A collider has a fixed shape, and follows the pose of the object that it is attached to. Colliders
are closed sets, so touching counts; 2D colliders ignore z. Metres, the world frame, and the values
of deepsim-math everywhere.
"""

from .cameras.segmentation import Segmentation
from .collider import Collider
from .collider_2d import Collider2D
from .collider_3d import Collider3D
from .contact import Bounds, Contact
from .convex_collider import ConvexCollider
from .hit import Hit
from .layers import ALL_LAYERS
from .pose_source import PoseSource
from .rays.ray_hits import AllRayHits, RayHits
from .sets.collider_set import ColliderSet
from .shapes import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    CompoundCollider,
    ConeCollider,
    CylinderCollider,
    EllipsoidCollider,
    GeometryCollider,
    HeightmapCollider,
    HullCollider,
    MeshCollider,
    PlaneCollider,
    RectangleCollider,
    SphereCollider,
)

__all__ = [
    "ALL_LAYERS",
    "AllRayHits",
    "Bounds",
    "BoxCollider",
    "CapsuleCollider",
    "CircleCollider",
    "Collider",
    "Collider2D",
    "Collider3D",
    "ColliderSet",
    "CompoundCollider",
    "ConeCollider",
    "Contact",
    "ConvexCollider",
    "CylinderCollider",
    "EllipsoidCollider",
    "GeometryCollider",
    "HeightmapCollider",
    "Hit",
    "HullCollider",
    "MeshCollider",
    "PlaneCollider",
    "PoseSource",
    "RayHits",
    "RectangleCollider",
    "Segmentation",
    "SphereCollider",
]

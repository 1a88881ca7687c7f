# SPDX-License-Identifier: Apache-2.0
"""2D and 3D colliders with intersection, containment, distance and ray queries.

A collider has a fixed shape and follows the pose of the object that it is attached to. Colliders
are closed sets, so touching counts as meeting; 2D colliders ignore z. Values have the types of
deepsim-math, in metres and in the world frame.
"""

from ._follower import PoseSource
from .collider import Collider
from .collider_2d import Collider2D
from .collider_3d import Collider3D
from .convex_collider import ConvexCollider
from .layers import ALL_LAYERS
from .results import AllRayHits, Bounds, Contact, Hit, RayHits, Segmentation
from .sets.collider_set import ColliderSet
from .shapes.ball import CircleCollider, SphereCollider
from .shapes.box import BoxCollider
from .shapes.capsule import CapsuleCollider
from .shapes.compound import CompoundCollider
from .shapes.cone import ConeCollider
from .shapes.cylinder import CylinderCollider
from .shapes.ellipsoid import EllipsoidCollider
from .shapes.geometry import GeometryCollider
from .shapes.heightmap import HeightmapCollider
from .shapes.hull import HullCollider
from .shapes.mesh import MeshCollider
from .shapes.plane import PlaneCollider
from .shapes.rectangle import RectangleCollider

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

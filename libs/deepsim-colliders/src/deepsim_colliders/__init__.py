# SPDX-License-Identifier: Apache-2.0
"""2D and 3D colliders: intersects, contains and raycast.

A collider has a fixed shape and a pose that it takes from what it is attached to. Colliders are
closed sets, so touching counts; 2D colliders ignore z. Metres, the world frame, and the values of
deepsim-math everywhere.
"""

from .box import BoxCollider
from .circle import CircleCollider
from .collider import Collider
from .collider_2d import Collider2D
from .collider_3d import Collider3D
from .geometry import GeometryCollider
from .hit import Hit
from .pose_source import PoseSource
from .rectangle import RectangleCollider
from .sphere import SphereCollider

__all__ = [
    "BoxCollider",
    "CircleCollider",
    "Collider",
    "Collider2D",
    "Collider3D",
    "GeometryCollider",
    "Hit",
    "PoseSource",
    "RectangleCollider",
    "SphereCollider",
]

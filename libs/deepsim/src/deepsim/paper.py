# SPDX-License-Identifier: Apache-2.0
"""The names in the paper on DeepSim that a task of today does without.

`deepsim` exports them, so that code after section 3 and the appendices of La et al. (2022) finds
them there. Behaviour trees are only in `deepsim_btree`, as in the paper.
"""

from deepsim_colliders import (
    BoxCollider,
    CircleCollider,
    GeometryCollider,
    RectangleCollider,
    SphereCollider,
)
from deepsim_fx import AbstractEffect, AbstractRandomizer, EffectManager
from deepsim_math import Frustum, Material, Plane, Point, Ray, lerp, lerp_angle
from deepsim_spawn import AbstractSpawner, ModelSpawner
from deepsim_sync import (
    BehaviourManager,
    GetLinkStateTracker,
    GetVisualTracker,
    LinkState,
    Priority,
    SetLinkStateTracker,
    SetVisualTracker,
    TrackerManager,
    Visual,
)

GazeboModelSpawner = ModelSpawner
"""The paper's name for `ModelSpawner`, which spawns on every engine."""

__all__ = [
    "AbstractEffect", "AbstractRandomizer", "AbstractSpawner", "BehaviourManager", "BoxCollider",
    "CircleCollider", "EffectManager", "Frustum", "GazeboModelSpawner", "GeometryCollider",
    "GetLinkStateTracker", "GetVisualTracker", "LinkState", "Material", "Plane", "Point",
    "Priority", "Ray", "RectangleCollider", "SetLinkStateTracker", "SetVisualTracker",
    "SphereCollider", "TrackerManager", "Visual", "lerp", "lerp_angle",
]  # fmt: skip

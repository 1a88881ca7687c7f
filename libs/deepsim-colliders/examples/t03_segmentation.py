# SPDX-License-Identifier: Apache-2.0
"""What a camera on a car sees: ids and depth of each pixel, without any renderer."""

from __future__ import annotations

import math

import numpy as np

from deepsim_colliders import BoxCollider, CapsuleCollider, ColliderSet, SphereCollider
from deepsim_math import Frustum, Pose

GROUND, THINGS, OWN = 1 << 0, 1 << 1, 1 << 2

scene = {
    ".": BoxCollider(100, 100, 0.2, pose_offset=Pose((0, 0, -0.1))),
    "#": BoxCollider(1, 2, 1.5, pose_offset=Pose((8, 1.5, 0.75))),
    "o": SphereCollider(0.6, pose_offset=Pose((5, -0.8, 0.6))),
    "|": CapsuleCollider(0.2, 1.6, pose_offset=Pose((6, -2.2, 1.0))),
    "@": BoxCollider(2, 1, 1, pose_offset=Pose((0, 0, 0.8))),  # the car itself
}
for name, collider in scene.items():
    collider.layers = {".": GROUND, "@": OWN}.get(name, THINGS)
colliders = ColliderSet(scene.values())

camera = Frustum(0.1, 60, math.radians(60), 0.5, Pose((0, 0, 1)))
ids, depth = colliders.segmentation(camera, 48, 16, mask=GROUND | THINGS)
for row in ids:
    print("".join(" " if number < 0 else list(scene)[number] for number in row).rstrip())

names = np.array(list(scene))
for name in "#o|":
    print(name, f"nearest at {depth[ids == np.flatnonzero(names == name)[0]].min():.2f} m")
print("in view:", " ".join(names[colliders.cull(camera, mask=THINGS)]))

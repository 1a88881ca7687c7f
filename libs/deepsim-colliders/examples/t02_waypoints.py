# SPDX-License-Identifier: Apache-2.0
"""Which waypoints cars crossed in the last tick, and in which direction."""

from __future__ import annotations

import numpy as np
import shapely

from deepsim_colliders import ColliderSet, GeometryCollider
from deepsim_math import Euler, Pose

# Eight gates, 6 m wide, around a circle of 20 m; each faces along the way.
gate = shapely.LineString([(0, -3), (0, 3)])
gates = ColliderSet(
    GeometryCollider(
        gate,
        pose_offset=Pose((20 * np.cos(a), 20 * np.sin(a), 0), Euler(0, 0, a + np.pi / 2)),
    )
    for a in np.linspace(0, 2 * np.pi, 8, endpoint=False)
)
forward = np.array([tuple(collider.pose.forward)[:2] for collider in gates.colliders])

# Where four cars were before the tick, and where they are now.
before = np.array([(20, -0.2), (20, 0.3), (25, -0.2), (13, 13.9)])
now = np.array([(20.1, 0.2), (20, -0.1), (25, 0.2), (13, 13.9)])

step = now - before
length = np.linalg.norm(step, axis=1)
moved = length > 0
crossed = np.full(len(now), -1)
hits = gates.raycast(before[moved], step[moved], max_distance=length[moved])
crossed[moved] = hits.ids
for car, waypoint in enumerate(crossed):
    if waypoint < 0:
        print(f"car {car}: none")
    else:
        ahead = step[car] @ forward[waypoint] > 0
        print(f"car {car}: waypoint {waypoint}, {'forward' if ahead else 'the wrong way'}")

# SPDX-License-Identifier: Apache-2.0
"""Which of a thousand cars have left the road: wholly, or with some wheel."""

from __future__ import annotations

import numpy as np
import shapely

from deepsim_colliders import ColliderSet, GeometryCollider, RectangleCollider
from deepsim_math import poses, quaternions

CARS = 1000

# A ring of 2000 corners, 6 m wide.
angle = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
middle = (30 + 4 * np.sin(5 * angle))[:, np.newaxis] * np.stack(
    [np.cos(angle), np.sin(angle)], axis=-1
)
road = GeometryCollider(shapely.LinearRing(middle).buffer(3))

# Cars along it, some metres beside the middle and turned in any way.
random = np.random.default_rng(0)
places = middle[random.integers(1000, size=CARS)] + random.normal(0, 2, (CARS, 2))
yaw = random.uniform(-np.pi, np.pi, CARS)
cars = np.zeros((CARS, 7))
cars[:, :2] = places
cars[:, 3:] = quaternions.from_euler(np.stack([0 * yaw, 0 * yaw, yaw], axis=-1))

bodies = ColliderSet(RectangleCollider(4, 2) for _ in range(CARS))
bodies.update(cars)  # each tick: one array
track = ColliderSet([road])
on_track = track.contains(bodies)[0]
touches_track = bodies.intersects(track)[:, 0]
print("wholly on the road:", on_track.sum())
print("partly:", (touches_track & ~on_track).sum())
print("off:", (~touches_track).sum())

# The wheels alone are points: all four of all cars at once.
wheels = np.array([(x, y, 0) for x in (-1.5, 1.5) for y in (-0.9, 0.9)])
in_world = poses.transform_points(cars[:, np.newaxis], wheels)
wheels_on = road.contains_points(in_world).sum(axis=1)
print("cars by wheels on the road:", np.bincount(wheels_on, minlength=5).tolist())

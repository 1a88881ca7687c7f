# SPDX-License-Identifier: Apache-2.0
"""A program that uses deepsim-colliders; checkers must object to the lines marked `wrong`."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from deepsim_colliders import (
    BoxCollider,
    Collider,
    Collider3D,
    ColliderSet,
    CompoundCollider,
    Hit,
    PlaneCollider,
    RayHits,
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import Point, Pose, Ray


class Drone:
    """An object with a pose."""

    def __init__(self) -> None:
        self.pose = Pose((0.0, 0.0, 2.0))


class Cone(Collider3D):
    """A solid of its own."""

    def support_point(self, direction: tuple[float, float, float]) -> tuple[float, float, float]:
        x, y, z = direction
        aside = math.hypot(x, y)
        return (0.0, 0.0, 1.0) if z > aside else (x / max(aside, 1e-9), y / max(aside, 1e-9), 0.0)


def nearest(colliders: list[Collider], ray: Ray) -> Hit | None:
    """Returns the first of several hits."""
    hits = [hit for collider in colliders if (hit := collider.raycast(ray)) is not None]
    return min(hits, default=None)


def ranges(walls: ColliderSet, beams: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns the ranges of a lidar."""
    hits: RayHits = walls.raycast((0.0, 0.0), beams, max_distance=10.0)
    return np.minimum(hits.distances, 10.0)


drone, body = Drone(), CompoundCollider([SphereCollider(0.3), Cone()])
body.attach(drone)
body.attach(lambda: Pose((1.0, 2.0, 3.0)))
crate = BoxCollider(1, 2, 0.5, pose_offset=Pose((3.0, 0.0, 0.0)))
meet: bool = crate.intersects(body)
gap: float = crate.distance(PlaneCollider())
places: tuple[Point, Point] | None = crate.closest_points((1, 2, 3))
first = nearest([crate, body], Ray((0, 0, 0), (1, 0, 0)))
if first is not None and first.normal is not None:
    height: float = first.normal.z
walls = ColliderSet([RectangleCollider(4.0, 0.2)], worlds=8)
walls.update(np.tile(np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]), (8, 1, 1)))
seen: npt.NDArray[np.float64] = ranges(walls, np.ones((36, 2)))
clear: npt.NDArray[np.float64] = walls.clearance(np.zeros((8, 4, 2)), radius=0.2).distances
pairs: npt.NDArray[np.intp] = walls.pairs()

BoxCollider(1, 2)  # wrong
crate.attach(3)  # wrong
crate.raycast((0, 0, 0), (1, 0, 0))  # wrong
crate.distance("wall")  # wrong
crate.radius  # wrong  # noqa: B018
crate.pose = Pose()  # wrong
walls.raycast((0, 0))  # wrong
height = first.normal.z  # wrong
text: str = gap  # wrong

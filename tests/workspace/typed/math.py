# SPDX-License-Identifier: Apache-2.0
"""A rig of cameras on robots, one and many, with deepsim-math."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_math import (
    Euler,
    Frustum,
    Plane,
    Point,
    Pose,
    Quaternion,
    Ray,
    Twist,
    Vector3,
    lerp,
    poses,
    quaternions,
    slerp,
    vectors,
)

Rows = NDArray[np.float64]


class Rig:
    """A camera on a robot, one at a time and in many worlds."""

    def __init__(self, robot: Pose, tilt: float) -> None:
        self.robot = robot
        self.mount = Pose((0.2, 0, 1.1), Euler.degrees(pitch=tilt))

    @property
    def camera(self) -> Pose:
        return self.robot @ self.mount

    def sees(self, point: Point) -> bool:
        return point in Frustum(0.1, 30, 1.2, 0.75, self.camera)

    def ground(self, u: float, v: float) -> Point | None:
        ray: Ray = Frustum(0.1, 30, 1.2, 0.75, self.camera).viewport_point_to_ray(u, v)
        distance: float | None = Plane((0, 0, 1)).raycast(ray)
        return None if distance is None else ray.get_point(distance)

    def cameras(self, robots: Rows) -> Rows:
        return poses.compose(robots, self.mount)

    def marks(self, robots: Rows, points: Rows) -> Rows:
        local: Rows = poses.inverse_transform_points(self.cameras(robots), points)
        return vectors.normalize(local)

    def headings(self, robots: Rows) -> Rows:
        euler: Rows = quaternions.to_euler(robots[:, 3:])
        return euler[:, 2]


def single_precision(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Arrays of float32 stay float32, also beside plain numbers."""
    return quaternions.slerp(quaternions.normalize(rows), (0, 0, 0, 1), 0.5)


def motions(start: Pose, drive: Twist) -> list[Pose]:
    way: list[Pose] = [start @ Pose.exp(0.1 * step * drive) for step in range(3)]
    turned: Quaternion = slerp(way[0].orientation, way[-1].orientation, 0.5)
    ahead: Vector3 = turned @ Vector3.forward() + start @ Vector3(1, 0, 0)
    middle: Point = lerp(way[0].position, way[-1].position, 0.5) + 0.0 * ahead
    corners: Rows = start @ np.eye(3)
    roll, _pitch, _yaw = turned.to_euler().to_degrees()
    return [*way, Pose(middle, Euler(roll, 0, float(corners[0, 0])))]


def mistakes(v: Vector3, p: Point, q: Quaternion, pose: Pose, rows: Rows) -> None:
    v.x = 5.0  # wrong
    _ = p + p  # wrong
    _ = q * v  # wrong
    _ = pose * pose  # wrong
    _ = pose @ 3  # wrong
    Vector3(1, 2)  # wrong
    Quaternion(1, 2, 3)  # wrong
    _single: NDArray[np.float32] = quaternions.normalize(rows)  # wrong

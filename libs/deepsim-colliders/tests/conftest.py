# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the collider tests."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    ColliderSet,
    CompoundCollider,
    GeometryCollider,
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import quaternions

RING = shapely.Polygon([(-3, -2), (3, -2), (3, 2), (-3, 2)], [[(-2, -1), (2, -1), (2, 1), (-2, 1)]])


@pytest.fixture
def flat():
    """One collider of each 2D kind, at the origin."""
    return [
        RectangleCollider(2, 1),
        CircleCollider(1),
        GeometryCollider(RING),
        CompoundCollider([CircleCollider(0.5), RectangleCollider(1, 3)]),
    ]


@pytest.fixture
def solid():
    """One collider of each 3D kind, at the origin."""
    return [
        BoxCollider(2, 1, 4),
        SphereCollider(1),
        CapsuleCollider(1, 2),
        CompoundCollider([BoxCollider(2, 1, 1), SphereCollider(0.8)]),
    ]


@pytest.fixture
def every(flat, solid):
    """One collider of each kind, at the origin."""
    return flat + solid


class Cases:
    """Many random cases at once. Every other angle is a multiple of 45 degrees, on purpose.

    Every other coordinate is a multiple of a quarter, so that surfaces meet, touch and line up.
    """

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def numbers(self, low, high, shape, grid=0.25):
        free = self.random.uniform(low, high, shape)
        return np.where(self.random.random(shape) < 0.5, free, np.round(free / grid) * grid)

    def sizes(self, count, columns, low=0.25, high=2.5):
        return np.maximum(self.numbers(low, high, (count, columns)), low)

    def poses(self, count, spread):
        """Poses (count, 7) within `spread` of the origin."""
        angles = self.numbers(-math.pi, math.pi, (count, 3), grid=math.pi / 4)
        turned = quaternions.from_euler(angles)
        return np.column_stack([self.numbers(-spread, spread, (count, 3)), turned])

    def flat_poses(self, count, spread):
        """Poses that only turn about z, and their x, y and yaw (count, 3)."""
        poses = self.poses(count, spread)
        yaw = self.numbers(-math.pi, math.pi, count, grid=math.pi / 4)
        poses[:, 3:] = quaternions.from_euler(np.column_stack([0 * yaw, 0 * yaw, yaw]))
        return poses, np.column_stack([poses[:, :2], yaw])


@pytest.fixture(scope="session")
def cases():
    """Maker of random cases from a seed."""
    return Cases


@pytest.fixture(scope="session")
def placed():
    """Maker of a set from colliders and their poses."""

    def make(colliders, poses):
        made = ColliderSet(colliders)
        made.update(poses)
        return made

    return make

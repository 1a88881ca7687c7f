# SPDX-License-Identifier: Apache-2.0
"""Sets answer for the shapes of all kinds as the shapes do."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    Collider3D,
    ColliderSet,
    CompoundCollider,
    CylinderCollider,
    MeshCollider,
    PlaneCollider,
    SphereCollider,
)
from deepsim_math import Pose, Ray

TETRAHEDRON = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


class OwnBall(Collider3D):
    def support_point(self, direction):
        length = sum(d * d for d in direction) ** 0.5
        return tuple(0.7 * d / length for d in direction)


def _all():
    return [
        BoxCollider(1, 2, 1),
        CylinderCollider(0.6, 2),
        SphereCollider(0.8),
        CapsuleCollider(0.4, 1.5),
        PlaneCollider((0.1, 0, 1)),
        OwnBall(),
        MeshCollider([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], TETRAHEDRON),
        CompoundCollider([CylinderCollider(1, 0.3), BoxCollider(0.3, 0.3, 2)]),
    ]


@pytest.fixture(params=range(3))
def scene(cases, request):
    """Colliders at random poses, and a set of them."""
    colliders = _all()
    for collider, pose in zip(colliders, cases(request.param).poses(len(colliders), 2.5)):
        collider.pose_offset = Pose.from_array(pose)
    colliders[4].pose_offset = Pose((0, 0, -1.5))
    return colliders, ColliderSet(colliders), cases(request.param + 50)


def test_pairs_and_containment(scene):
    colliders, many, numbers = scene
    small = [BoxCollider(0.2, 0.3, 0.2), CylinderCollider(0.1, 0.3), PlaneCollider()]
    for collider, pose in zip(small, numbers.poses(3, 1)):
        collider.pose_offset = Pose.from_array(pose)
    met = many.intersects()
    for i, a in enumerate(colliders):
        for j, b in enumerate(colliders):
            assert met[i, j] == (i != j and a.intersects(b))
    held = many.contains(ColliderSet(small))
    for i, a in enumerate(colliders):
        assert held[i].tolist() == [a.contains(b) for b in small]


def test_points(scene):
    colliders, many, numbers = scene
    points = numbers.numbers(-3, 3, (300, 3))
    held = many.contains_points(points)
    for i, collider in enumerate(colliders):
        assert np.array_equal(held[:, i], collider.contains_points(points))
        assert np.array_equal(held[:50, i], [collider.contains(point) for point in points[:50]])


def test_rays(scene):
    colliders, many, numbers = scene
    origins, directions = numbers.numbers(-5, 5, (200, 3)), numbers.numbers(-1, 1, (200, 3))
    directions[~directions.any(axis=1)] = 1.0
    hits = many.raycast(origins, directions)
    for k, (origin, direction) in enumerate(zip(origins, directions)):
        ray = Ray(tuple(origin), tuple(direction))
        found = [collider.raycast(ray) for collider in colliders]
        distances = [np.inf if hit is None else hit.distance for hit in found]
        nearest = int(np.argmin(distances))
        if found[nearest] is None:
            assert hits.ids[k] == -1
            continue
        assert hits.ids[k] == nearest
        assert hits.distances[k] == pytest.approx(distances[nearest], abs=1e-7)
        assert hits.inside[k] == found[nearest].inside
        if not hits.inside[k]:
            assert np.allclose(hits.normals[k], found[nearest].normal, atol=1e-4)

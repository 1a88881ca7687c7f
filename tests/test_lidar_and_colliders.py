# SPDX-License-Identifier: Apache-2.0
"""Lidars on the embedded engine measure what `ColliderSet` computes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    Collider3D,
    ColliderSet,
    CylinderCollider,
    SphereCollider,
)
from deepsim_math import Pose, Quaternion
from deepsim_mujoco import MujocoSimulator
from deepsim_spawn import (
    Box,
    Capsule,
    CollisionDescription,
    Cylinder,
    Geometry,
    Inertial,
    Lidar,
    LinkDescription,
    ModelDescription,
    Rays,
    SensorDescription,
    Sphere,
)
from deepsim_sync import World

ROWS, RAYS, FARTHEST = 8, 90, 7.0
LIDAR = Lidar(Rays(RAYS, -3.0, 3.0), Rays(ROWS, -0.8, 0.8), max_range=FARTHEST)


def shapes(rng: np.random.Generator) -> list[tuple[Geometry, Callable[[Pose], Collider3D]]]:
    """One of each, of random sizes."""
    a, b, c = rng.uniform(0.3, 1.0, 3).tolist()
    return [
        (Box((a, b, c)), lambda pose: BoxCollider(a, b, c, pose_offset=pose)),
        (Sphere(a), lambda pose: SphereCollider(a, pose_offset=pose)),
        (Capsule(a, b), lambda pose: CapsuleCollider(a, b, pose_offset=pose)),
        (Cylinder(a, b), lambda pose: CylinderCollider(a, b, pose_offset=pose)),
    ]


def random_pose(rng: np.random.Generator, distance: float) -> Pose:
    """At a distance from the origin, in any direction, turned in any way."""
    way = rng.normal(size=3)
    place = way / np.linalg.norm(way) * distance
    turn = rng.normal(size=4)
    return Pose(tuple(place.tolist()), Quaternion(*(turn / np.linalg.norm(turn)).tolist()))


# The engine leans its cylinders by 1e-5 rad, which keeps contacts of upright ones sound.
@pytest.mark.parametrize(("kinds", "tolerance"), [(slice(-1), 1e-6), (slice(-1, None), 1e-3)])
@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_ranges_are_those_of_the_colliders(
    seed: int, free: bool, kinds: slice, tolerance: float
) -> None:
    """Of random shapes around a lidar with eight rows, in two worlds.

    Free ones are far from the centre of mass of their link.
    """
    rng = np.random.default_rng(seed)
    mount, base = random_pose(rng, 0.3), random_pose(rng, 1.0)
    sensor = SensorDescription("scan", pose=mount, measurement=LIDAR)
    own = CollisionDescription("c", Sphere(0.5), mount)  # around the lidar, which looks through it
    robot = ModelDescription(
        "robot", links=(LinkDescription("l", collisions=(own,), sensors=(sensor,)),), static=True
    )
    world = World(MujocoSimulator(worlds=2))
    world.spawn(robot, "robot", base)
    eye = base @ mount
    colliders = []
    for number, (geometry, collider) in enumerate([*shapes(rng)[kinds], *shapes(rng)[kinds]] * 2):
        pose = eye @ random_pose(rng, float(rng.uniform(2.0, 6.0)))
        offset = random_pose(rng, 1.0)
        shape = CollisionDescription("c", geometry, offset)
        model = ModelDescription(
            "m",
            links=(LinkDescription("l", inertial=Inertial(), collisions=(shape,)),),
            static=not free,
        )
        world.spawn(model, f"m{number}", pose @ offset.inverse())
        colliders.append(collider(pose))

    up, around = (
        np.linspace(r.min_angle, r.max_angle, r.count) for r in (LIDAR.vertical, LIDAR.horizontal)
    )
    directions = [
        tuple(
            eye.orientation.rotate(
                (math.cos(u) * math.cos(a), math.cos(u) * math.sin(a), math.sin(u))
            )
        )
        for u in up
        for a in around
    ]
    hits = ColliderSet(colliders).raycast(tuple(eye.position), directions)
    expected = np.where(hits.ids >= 0, hits.distances, math.inf).reshape(ROWS, RAYS)
    expected[expected > FARTHEST] = math.inf
    ranges = world.sensors["robot::l::scan"].ranges
    assert np.isfinite(expected).sum() > 10
    for measured in ranges:
        both = np.isfinite(measured) & np.isfinite(expected)
        assert np.isfinite(measured).tolist() == np.isfinite(expected).tolist()
        np.testing.assert_allclose(measured[both], expected[both], rtol=0, atol=tolerance)

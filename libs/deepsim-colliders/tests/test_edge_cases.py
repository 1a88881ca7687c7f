# SPDX-License-Identifier: Apache-2.0
"""Edge cases by hand, for single colliders and for sets alike."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import shapely

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    ColliderSet,
    GeometryCollider,
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import Euler, Pose, Ray

# Makers by a scale; each reaches from -1 to 1 along x and along y, and along z in space.
SOLID = {
    "box": lambda s: BoxCollider(2 * s, 2 * s, 2 * s),
    "sphere": lambda s: SphereCollider(s),
    "capsule": lambda s: CapsuleCollider(s, 1e-3 * s),
}
FLAT = {
    "rectangle": lambda s: RectangleCollider(2 * s, 2 * s),
    "circle": lambda s: CircleCollider(s),
    "polygon": lambda s: GeometryCollider(shapely.box(-s, -s, s, s)),
    "wall": lambda s: GeometryCollider(shapely.LineString([(-s, 0), (s, 0)])),
}
PAIRS = [
    (family[a], family[b])
    for family in (SOLID, FLAT)
    for a, b in itertools.product(family, repeat=2)
]
TURNS = [Pose()] + [
    Pose((x, -2, 3), Euler(0, 0, yaw)) for x in (0.3, 12.7) for yaw in np.arange(1, 9) * 0.7
]
SCALES = [1e-100, 1e-9, 1e-3, 1.0, 1e3, 1e9, 1e100]


def answers(one, other):
    """Of both sides, and of sets of one."""
    first, second = ColliderSet([one]), ColliderSet([other])
    return {
        one.intersects(other),
        other.intersects(one),
        bool(first.intersects(second)),
        bool(second.intersects(first)),
    }


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("make", "make_other"), PAIRS)
def test_touching_is_meeting(make, make_other, scale):
    """At any size and angle; a millionth further is not."""
    one, other = make(scale), make_other(scale)
    for turn in TURNS:
        turn = Pose(turn.position * scale, turn.orientation)
        one.pose_offset = turn
        for gap, meet in ((2.0, True), (2.0 + 1e-6, False)):
            other.pose_offset = turn @ Pose((gap * scale, 0, 0))
            assert answers(one, other) == {meet}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("make", [*SOLID.values(), *FLAT.values()])
def test_rays_at_any_size(make, scale):
    """Ahead, behind, from inside, from the surface, and past it."""
    one = make(scale)
    together = ColliderSet([one])
    for x, forward, distance in (
        (-3, 1, 2),
        (-3, -1, None),
        (3, 1, None),
        (3, -1, 2),
        (0, 1, 0),
        (1, 1, 0),
        (-1, 1, 0),
        (-1 - 1e-3, 1, 1e-3),
    ):
        ray = Ray((x * scale, 0, 0), (forward, 0, 0))
        hit, hits = one.raycast(ray), together.raycast(ray.origin, ray.direction)
        assert (hit is None) == (hits.ids < 0) == (distance is None)
        if distance is not None:
            expected = pytest.approx(distance * scale, rel=1e-9)
            assert hit.distance == expected
            assert hits.distances == expected
            assert hit.inside == bool(hits.inside) == (distance == 0)
    past = Ray((-3 * scale, 1.000001 * scale, 0), (1, 0, 0))
    assert one.raycast(past) is None
    assert together.raycast(past.origin, past.direction).ids < 0


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("name", SOLID)
def test_far_from_the_origin_of_the_world(name, far):
    """As well as float64 can tell such places apart."""
    place = Pose((far, -2 * far, 0.5 * far), Euler(0.1, 0.2, 0.3))
    one, other = SOLID[name](1), SOLID[name](1)
    one.pose_offset = place
    step = 1e-15 * far + 1e-6
    for gap, meet in ((2 - 10 * step, True), (2 + 10 * step, False)):
        other.pose_offset = place @ Pose((gap, 0, 0))
        assert answers(one, other) == {meet}
    start = place.transform_point((-5, 0.1, 0.1))
    direction = place.transform_vector((1, 0, 0))
    hits = ColliderSet([one]).raycast(start, direction)
    assert hits.ids == 0
    assert hits.distances == pytest.approx(one.raycast(Ray(start, direction)).distance)


def test_rays_from_very_far_away():
    """A shot from a million kilometres still meets a sphere of a metre."""
    for make in SOLID.values():
        one = make(1)
        hits = ColliderSet([one]).raycast((-1e9, 0.5, 0), (1, 0, 0))
        assert hits.ids == 0
        assert hits.distances == pytest.approx(1e9, abs=1.001)
        assert one.raycast(Ray((-1e9, 0.5, 0), (1, 0, 0))).distance == hits.distances
        assert ColliderSet([one]).raycast((-1e9, 1.1, 0), (1, 0, 0)).ids == -1


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("side", [-1, 1])
def test_rays_parallel_to_faces(axis, side):
    """Inside of the slab, along the face itself, and outside of it."""
    box, direction, origin = BoxCollider(2, 2, 2), np.zeros(3), np.zeros(3)
    direction[axis] = side
    origin[axis] = -5 * side
    for aside, distance in ((0, 4), (0.999, 4), (1, 4), (-1, 4), (1.000001, None)):
        origin[axis - 1] = aside
        hit = box.raycast(Ray(origin, direction))
        assert (hit and hit.distance) == distance
        hits = ColliderSet([box]).raycast(origin, direction)
        assert hits.distances == (math.inf if distance is None else distance)


@pytest.mark.parametrize(
    "direction", [(1e200, 0, 0), (1e-200, 0, 0), (5e-324, 0, 0), (1e308, 1e290, 0)]
)
def test_directions_of_any_length(direction):
    box = ColliderSet([BoxCollider(1, 1, 1)])
    assert box.raycast((-5, 0, 0), direction).distances == 4.5


def test_almost_parallel_to_a_face():
    """A tiny component of a direction neither loses nor finds a box."""
    box = BoxCollider(200, 200, 200)
    for x, distance in ((10, 400), (150, np.inf)):
        hits = ColliderSet([box]).raycast((x, 0, -500), (1e-308, 0, 1))
        assert hits.distances == distance

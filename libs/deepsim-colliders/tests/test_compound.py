# SPDX-License-Identifier: Apache-2.0
"""Compounds: unions of colliders that move as one."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    ColliderSet,
    CompoundCollider,
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import Euler, Pose, Ray

LEFT, RIGHT = Pose((0, 3, 0)), Pose((0, -3, 0))


def dumbbell(**options):
    """Two balls on a bar along y."""
    bar = CapsuleCollider(0.2, 6, pose_offset=Pose((0, 0, 0), Euler(math.pi / 2, 0, 0)))
    ends = [SphereCollider(1, pose_offset=place) for place in (LEFT, RIGHT)]
    return CompoundCollider([bar, *ends], **options)


class Body:
    """Something that moves."""

    pose = Pose()


def test_the_parts_move_as_one():
    body, compound = Body(), dumbbell(pose_offset=Pose((1, 0, 0)))
    compound.attach(body)
    assert compound.dimensions == 3
    assert compound.contains((1, 3.9, 0))
    body.pose = Pose((10, 0, 0), Euler(0, 0, math.pi / 2))
    assert compound.pose == body.pose @ Pose((1, 0, 0))
    assert compound.contains((10 - 3.9, 1, 0))
    assert compound.contains((10, 1, 0))
    assert not compound.contains((1, 3.9, 0))
    assert compound.contains_points([(13.9, 1, 0), (11.5, 1, 0), (11.5, 1.5, 0)]).tolist() == [
        True,
        True,
        False,
    ]


def test_what_was_given_stays_as_it_was():
    ball = SphereCollider(1)
    compound = CompoundCollider([ball], pose_offset=Pose((5, 0, 0)))
    assert ball.contains((0, 0, 0))
    ball.pose_offset = Pose((9, 0, 0))
    ball.disable()
    assert compound.contains((5, 0, 0))
    assert compound.parts[0] is not ball
    assert compound.parts[0].pose == Pose((5, 0, 0))


def test_a_part_may_be_disabled():
    compound = dumbbell()
    compound.parts[1].disable()
    assert not compound.contains((0, 3.9, 0))
    assert compound.contains((0, -3.9, 0))
    held = ColliderSet([compound]).contains_points([(0, 3.9, 0), (0, -3.9, 0)])
    assert held.tolist() == [[False], [True]]
    compound.parts[1].enable()
    assert compound.contains((0, 3.9, 0))


def test_meeting_is_that_of_some_part():
    compound = dumbbell()
    ball = SphereCollider(0.5)
    for place, meet in (((0, 4.4, 0), True), ((0.6, 1.5, 0), True), ((0.8, 1.5, 0), False)):
        ball.pose_offset = Pose(place)
        assert compound.intersects(ball) is meet
        assert ball.intersects(compound) is meet
    other = dumbbell(pose_offset=Pose((0, 0, 0.3), Euler(0, 0, math.pi / 2)))
    assert compound.intersects(other)
    other.pose_offset = Pose((0, 0, 0.5), Euler(0, 0, math.pi / 2))
    assert not compound.intersects(other)


def test_containing_is_that_of_each_part():
    """What only two parts together cover is not found."""
    compound = dumbbell()
    assert compound.contains(compound)
    assert compound.contains(dumbbell())
    assert SphereCollider(4.0001).contains(compound)
    assert not SphereCollider(3.999).contains(compound)
    assert BoxCollider(2, 8, 2).contains(compound)
    assert not BoxCollider(2, 7.9, 2).contains(compound)
    assert CapsuleCollider(1.001, 8, pose_offset=Pose((0, 0, 0), Euler(1.5708, 0, 0))).contains(
        compound
    )
    halves = [RectangleCollider(2, 2, pose_offset=Pose((x, 0, 0))) for x in (-1, 1)]
    both = CompoundCollider(halves)
    assert both.contains(CircleCollider(1, pose_offset=Pose((1, 0, 0))))
    assert not both.contains(CircleCollider(0.5))


@pytest.mark.parametrize("start", [-9.0, -2.5, 0.0, 0.4, 1.0])
def test_a_ray_leaves_behind_the_last_of_connected_parts(start):
    """Through boxes that touch, overlap, or lie one in the other; not across a gap."""
    boxes = [(0, 1), (1, 2), (1.5, 4), (2, 2.5), (4.5, 9)]
    row = CompoundCollider(
        BoxCollider(high - low, 1, 1, pose_offset=Pose(((low + high) / 2, 0, 0)))
        for low, high in reversed(boxes)
    )
    hit = row.raycast(Ray((start, 0, 0), (1, 0, 0)))
    assert hit.collider is row
    assert hit.inside is (start >= 0)
    assert hit.distance == pytest.approx(max(-start, 0))
    assert hit.exit_distance == pytest.approx(4 - start)


@pytest.mark.parametrize("far", [1e6, 1e9, 1e12])
def test_far_away_a_ray_leaves_all_the_same(far):
    """Where rounding is coarser than what counts as touching."""
    place = Pose((far, -far, far), Euler(0.1, 0.2, 0.3))
    both = CompoundCollider([BoxCollider(2, 2, 2), BoxCollider(2, 2, 2)], pose_offset=place)
    start = place.transform_point((0.1, 0.2, 0.1))
    for turn in np.random.default_rng(0).normal(size=(50, 3)):
        hit = both.raycast(Ray(start, turn))
        assert hit is None or hit.exit_distance == pytest.approx(1, abs=1 + far * 1e-15)


def test_a_vertical_ray_never_leaves_a_flat_compound():
    both = CompoundCollider([CircleCollider(1), RectangleCollider(4, 1)])
    hit = both.raycast(Ray((0, 0, 5), (0, 0, -1)))
    assert (hit.inside, hit.exit_distance) == (True, math.inf)
    assert both.raycast(Ray((0, 3, 5), (0, 0, -1))) is None
    assert both.contains((1.9, 0.4))


@given(st.integers(0, 2**32 - 1))
def test_a_compound_is_the_union_of_its_parts(cases, seed):
    """Points in any part, the nearest hit of any part, meeting any part."""
    case = cases(seed)
    poses = [Pose.from_array(row) for row in case.poses(5, 2)]
    parts = [
        BoxCollider(*case.sizes(1, 3)[0], pose_offset=poses[0]),
        SphereCollider(*case.sizes(1, 1)[0], pose_offset=poses[1]),
        CapsuleCollider(*case.sizes(1, 2)[0], pose_offset=poses[2]),
    ]
    nested = CompoundCollider([parts[0], CompoundCollider(parts[1:])], pose_offset=poses[3])
    for part in parts:
        part.pose_offset = poses[3] @ part.pose_offset
    points = case.numbers(-4, 4, (50, 3)) + 1e-4
    within = np.any([part.contains_points(points) for part in parts], axis=0)
    assert np.array_equal(nested.contains_points(points), within)
    assert nested.contains(points[0]) == within[0]
    other = BoxCollider(1, 1, 1, pose_offset=poses[4])
    assert nested.intersects(other) == any(part.intersects(other) for part in parts)
    ray = Ray(points[1], case.random.normal(size=3))
    hits = [hit for hit in (part.raycast(ray) for part in parts) if hit]
    hit = nested.raycast(ray)
    assert (hit is None) == (not hits)
    if hit:
        first = min(hits, key=lambda one: one.distance)
        assert hit.distance == pytest.approx(first.distance, abs=1e-9)
        assert hit.inside == first.inside
        assert hit.exit_distance >= first.exit_distance - 1e-9
        assert nested.contains(ray.get_point(hit.exit_distance))
        assert not nested.contains(ray.get_point(hit.exit_distance + 1e-6))


def test_copies_have_parts_of_their_own():
    compound = CompoundCollider([dumbbell()])
    for twin in (
        copy.copy(compound),
        copy.deepcopy(compound),
        pickle.loads(pickle.dumps(compound)),
    ):
        twin.pose_offset = Pose((50, 0, 0))
        assert compound.contains((0, 3.9, 0))
        assert twin.contains((50, 3.9, 0))
        assert not twin.contains((0, 3.9, 0))


def test_what_is_no_part_is_refused():
    with pytest.raises(
        TypeError, match="parts of a CompoundCollider must be colliders, got 'wheel'"
    ):
        CompoundCollider(["wheel"])
    with pytest.raises(ValueError, match="at least one part, got none"):
        CompoundCollider([])
    with pytest.raises(TypeError, match=r"all be 2D or all be 3D, got CircleCollider \(2D\), Sph"):
        CompoundCollider([CircleCollider(1), SphereCollider(1)])
    with pytest.raises(ValueError, match=r"needs 3 numbers, got 2"):
        dumbbell().contains((1, 2))
    assert repr(CompoundCollider([SphereCollider(1)])) == (
        "CompoundCollider([SphereCollider(radius=1.0)])"
    )

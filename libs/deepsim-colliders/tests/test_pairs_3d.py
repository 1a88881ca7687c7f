# SPDX-License-Identifier: Apache-2.0
"""3D colliders against each other: python-fcl, brute force and closed forms as judges."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deepsim_colliders import BoxCollider, SphereCollider
from deepsim_math import Euler, Pose, Quaternion, poses

ANGLES = st.one_of(
    st.integers(-4, 4).map(lambda n: n * math.pi / 4), st.floats(-4, 4).map(lambda x: round(x, 4))
)
PLACES = st.floats(-2, 2).map(lambda x: round(x, 4))
POSES = st.builds(
    lambda x, y, z, *angles: Pose((x, y, z), Euler(*angles)), *[PLACES] * 3, *[ANGLES] * 3
)
SIZES = st.floats(0.2, 3).map(lambda x: round(x, 4))
TRIPLES = st.tuples(SIZES, SIZES, SIZES)


def corners(sizes, pose):
    signs = np.array(list(itertools.product([-0.5, 0.5], repeat=3)))
    return poses.transform_points(pose, signs * sizes)


def nearest(sizes, pose, point):
    """Distance from a box to a point, in closed form."""
    local = np.abs(np.asarray(pose.inverse_transform_point(point)))
    return float(np.linalg.norm(np.maximum(local - np.array(sizes) / 2, 0)))


@given(TRIPLES, POSES, TRIPLES, POSES)
def test_boxes_meet_as_in_fcl(a, pose_a, b, pose_b):
    """Where scaling by a ten-thousandth does not change the answer."""
    fcl = pytest.importorskip("fcl")

    def collide(scale):
        objects = [
            fcl.CollisionObject(
                fcl.Box(*(scale * size for size in sizes)),
                fcl.Transform(pose.orientation.to_wxyz(), np.array(pose.position)),
            )
            for sizes, pose in ((a, pose_a), (b, pose_b))
        ]
        return fcl.collide(*objects, fcl.CollisionRequest(), fcl.CollisionResult()) > 0

    assume(collide(1 - 1e-4) == collide(1 + 1e-4))
    first, second = BoxCollider(*a, pose_offset=pose_a), BoxCollider(*b, pose_offset=pose_b)
    assert first.intersects(second) is collide(1.0)
    assert second.intersects(first) is collide(1.0)


@given(TRIPLES, POSES, SIZES, POSES)
def test_box_and_sphere(sizes, pose, radius, place):
    gap = nearest(sizes, pose, place.position) - radius
    assume(abs(gap) > 1e-6)
    box, sphere = BoxCollider(*sizes, pose_offset=pose), SphereCollider(radius, pose_offset=place)
    assert box.intersects(sphere) is (gap < 0)
    assert sphere.intersects(box) is (gap < 0)


@given(TRIPLES, POSES, TRIPLES, POSES)
def test_a_box_in_a_box(a, pose_a, b, offset):
    """All corners inside is inside."""
    pose_b = pose_a @ Pose(offset.position / 4, offset.orientation)
    b = tuple(size / 4 for size in b)
    local = np.abs(poses.inverse_transform_points(pose_a, corners(b, pose_b)))
    margin = (np.array(a) / 2 - local).min()
    assume(abs(margin) > 1e-6)
    outer, inner = BoxCollider(*a, pose_offset=pose_a), BoxCollider(*b, pose_offset=pose_b)
    assert outer.contains(inner) is bool(margin > 0)
    assert not margin > 0 or outer.intersects(inner)


@given(TRIPLES, POSES, SIZES, POSES)
def test_box_in_sphere_and_sphere_in_box(sizes, pose, radius, place):
    box, sphere = BoxCollider(*sizes, pose_offset=pose), SphereCollider(radius, pose_offset=place)
    reach = np.linalg.norm(corners(sizes, pose) - np.asarray(place.position), axis=1).max()
    assume(abs(reach - radius) > 1e-6)
    assert sphere.contains(box) is bool(reach < radius)
    local = np.abs(np.asarray(pose.inverse_transform_point(place.position)))
    margin = (np.array(sizes) / 2 - local).min() - radius
    assume(abs(margin) > 1e-6)
    assert box.contains(sphere) is bool(margin > 0)


@given(SIZES, POSES, SIZES, POSES)
def test_spheres(a, pose_a, b, pose_b):
    first, second = SphereCollider(a, pose_offset=pose_a), SphereCollider(b, pose_offset=pose_b)
    gap = pose_a.position.distance(pose_b.position)
    assume(min(abs(gap - a - b), abs(gap + b - a)) > 1e-6)
    assert first.intersects(second) is (gap < a + b)
    assert first.contains(second) is (gap + b < a)


@given(TRIPLES, POSES, st.integers(0, 2**32 - 1))
def test_points(sizes, pose, seed):
    """One at a time and in batch, in any arrangement; the surface is tested apart."""
    points = np.random.default_rng(seed).uniform(-2, 2, (4, 10, 3))
    box = BoxCollider(*sizes, pose_offset=pose)
    sphere = SphereCollider(sizes[0], pose_offset=pose)
    local = np.abs(poses.inverse_transform_points(pose, points))
    in_box = (local <= np.array(sizes) / 2).all(axis=-1)
    in_sphere = np.linalg.norm(local, axis=-1) <= sizes[0]
    for collider, expected in ((box, in_box), (sphere, in_sphere)):
        assert np.array_equal(collider.contains_points(points), expected)
        assert [collider.contains(p) for p in points[0]] == expected[0].tolist()


@given(TRIPLES, POSES)
def test_the_surface_belongs_to_the_collider(sizes, pose):
    """Corners, and all of a turned twin: containment is that of closed sets at every angle."""
    box = BoxCollider(*sizes, pose_offset=pose)
    assert box.contains_points(corners(sizes, pose)).all()
    twin = BoxCollider(*sizes, pose_offset=Pose(pose.position, -pose.orientation))
    assert box.contains(box)
    assert box.contains(twin)
    assert box.intersects(twin)
    ball = SphereCollider(math.hypot(*sizes) / 2, pose_offset=pose)
    assert ball.contains(box)
    assert ball.contains(ball)
    assert ball.contains_points(corners(sizes, pose)).all()


@given(POSES, TRIPLES, st.sampled_from(range(3)))
def test_touching_is_meeting_at_every_angle(pose, sizes, axis):
    """A box against the face of another, then a millionth further."""
    box = BoxCollider(*sizes, pose_offset=pose)
    for other, gap in (
        (BoxCollider(*sizes), sizes[axis]),
        (SphereCollider(1), sizes[axis] / 2 + 1),
    ):
        step = np.eye(3)[axis] * gap
        other.pose_offset = pose @ Pose(step)
        assert box.intersects(other)
        assert other.intersects(box)
        other.pose_offset = pose @ Pose(step * (1 + 1e-5))
        assert not box.intersects(other)


@given(TRIPLES, POSES, TRIPLES, POSES, POSES)
def test_a_rigid_motion_of_both_changes_nothing(a, pose_a, b, pose_b, motion):
    box, other = BoxCollider(*a, pose_offset=pose_a), BoxCollider(*b, pose_offset=pose_b)
    sphere = SphereCollider(b[0], pose_offset=pose_b)
    slack = [s * (1 + 1e-6) for s in a]
    grown = BoxCollider(*slack, pose_offset=pose_a)
    before = box.intersects(other), box.intersects(sphere)
    assume(before == (grown.intersects(other), grown.intersects(sphere)))
    for collider in (box, other, sphere):
        collider.pose_offset = motion @ collider.pose_offset
    assert (box.intersects(other), box.intersects(sphere)) == before


def test_crossed_edges_keep_boxes_apart():
    """No face separates these two; a plane along one edge of each does."""
    tip = Quaternion.from_euler(math.pi / 4, 0, 0)
    other_tip = Quaternion.from_euler(0, math.pi / 4, 0)
    box = BoxCollider(10, 1, 1, pose_offset=Pose((0, 0, 0), tip))
    for height, meet in ((1.40, True), (1.42, False)):
        other = BoxCollider(1, 10, 1, pose_offset=Pose((0, 0, height), other_tip))
        assert box.intersects(other) is meet
        assert other.intersects(box) is meet


def test_far_away_from_the_world_origin():
    far = Pose((1e5, -2e5, 3e4), Euler(0.1, 0.2, 0.3))
    box = BoxCollider(1, 1, 1, pose_offset=far)
    other = BoxCollider(1, 1, 1, pose_offset=far @ Pose((0.99, 0, 0)))
    assert box.intersects(other)
    other.pose_offset = far @ Pose((1.01, 0, 0))
    assert not box.intersects(other)

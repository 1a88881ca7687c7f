# SPDX-License-Identifier: Apache-2.0
"""3D colliders against each other: surfaces, crossed edges and common points."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    CylinderCollider,
    PlaneCollider,
    SphereCollider,
)
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


def test_crossed_edges_keep_boxes_apart():
    """No face separates these two; a plane along one edge of each does."""
    tip = Quaternion.from_euler(math.pi / 4, 0, 0)
    other_tip = Quaternion.from_euler(0, math.pi / 4, 0)
    box = BoxCollider(10, 1, 1, pose_offset=Pose((0, 0, 0), tip))
    for height, meet in ((1.40, True), (1.42, False)):
        other = BoxCollider(1, 10, 1, pose_offset=Pose((0, 0, height), other_tip))
        assert box.intersects(other) is meet
        assert other.intersects(box) is meet


@given(TRIPLES, POSES, st.sampled_from([0.1, 1.0, 10.0]))
def test_closest_points_of_colliders_that_meet_are_a_point_of_both(sizes, pose, large):
    """However deep one is in the other."""
    others = [SphereCollider(large), CapsuleCollider(large, 0.5), BoxCollider(*sizes)]
    others += [CylinderCollider(large, 1.0), PlaneCollider()]
    for one in (SphereCollider(0.2), BoxCollider(*sizes), CylinderCollider(0.1, 0.4)):
        one.pose_offset = pose
        for other in others:
            first, second = one.closest_points(other)
            if one.intersects(other):
                assert first == second
            assert one.distance(first) < 1e-6
            assert other.distance(second) < 1e-6

# SPDX-License-Identifier: Apache-2.0
"""With numba the answers are the same, to the last bit."""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    ColliderSet,
    CompoundCollider,
    CylinderCollider,
    GeometryCollider,
    PlaneCollider,
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import Pose

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("numba") is None, reason="numba is not installed"
)

CONVEX = [
    BoxCollider(1, 2, 0.5),
    SphereCollider(0.8),
    CapsuleCollider(0.4, 1),
    CompoundCollider([BoxCollider(1, 1, 1), SphereCollider(0.7, pose_offset=Pose((1, 0, 0)))]),
]
SOLID = [*CONVEX, CylinderCollider(0.5, 1), PlaneCollider()]
AREAS = [RectangleCollider(1, 2), CircleCollider(0.8)]
FLAT = [*AREAS, GeometryCollider(shapely.Point(0, 0).buffer(1))]


def both(colliders, poses, worlds=None):
    sets = [ColliderSet(colliders, worlds=worlds, compiled=way) for way in (False, True)]
    for one in sets:
        one.update(poses)
    return sets


def assert_same(first, second):
    for a, b in zip(first, second):
        assert np.array_equal(a, b, equal_nan=True)


@pytest.mark.parametrize("family", [CONVEX, SOLID, AREAS, FLAT], ids=["3D", "all", "2D", "areas"])
@settings(max_examples=4, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.sampled_from([1, 9, 65]),
    worlds=st.sampled_from([None, 2]),
    scale=st.sampled_from([1e-3, 1.0, 1e6]),
)
def test_numba_changes_no_bit(cases, family, seed, count, worlds, scale):
    """Ids, distances, points and normals of rays; points, pairs; layers, limits, lost poses."""
    case = cases(seed)
    colliders = [family[k] for k in case.random.integers(len(family), size=count)]
    poses = case.poses((worlds or 1) * count, 9).reshape(worlds or 1, count, 7)
    poses[:, :, :3] *= scale
    poses[0, 0, 0] = math.nan if case.random.random() < 0.3 else 0.0
    pure, fast = both(colliders, poses if worlds else poses[0], worlds)
    shape = (60, 3) if worlds is None else (worlds, 60, 3)
    origins = case.numbers(-9, 9, shape) * scale
    directions = case.random.normal(size=(60, 3))
    directions[::3] = np.eye(3)[case.random.integers(3, size=20)]
    directions[1] *= 1e200
    origins[..., 2, 0] = math.inf
    limits = {"min_distance": 0.5, "max_distance": case.random.uniform(0, 30, 60)}
    for options in ({}, limits, {"mask": 2}):
        assert_same(
            pure.raycast(origins, directions, **options),
            fast.raycast(origins, directions, **options),
        )
    assert np.array_equal(pure.contains_points(origins), fast.contains_points(origins))
    assert np.array_equal(pure.pairs(), fast.pairs())


@pytest.mark.parametrize("family", [[*CONVEX, PlaneCollider()], AREAS], ids=["3D", "2D"])
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    worlds=st.sampled_from([None, 2]),
    spread=st.tuples(*[st.sampled_from([0.0, 0.1, 30.0, 1e5])] * 3),
)
def test_pairs_of_hundreds(cases, family, seed, worlds, spread):
    """In a point, a line, a plane or a space, with some that are lost or far away."""
    case = cases(seed)
    colliders = [family[k] for k in case.random.integers(len(family), size=300)]
    poses = case.poses((worlds or 1) * 300, 1).reshape(worlds or 1, 300, 7)
    poses[:, :, :3] *= spread
    poses[0, 7, 0], poses[-1, 8, 1], poses[0, 9, 0] = math.nan, math.inf, 1e300
    pure, fast = both(colliders, poses if worlds else poses[0], worlds)
    assert np.array_equal(pure.pairs(), fast.pairs())


def test_equal_distances_along_faces():
    """Boxes side by side, rays along the faces that they share, and onto them."""
    places = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), axis=-1).reshape(-1, 3)
    poses = np.column_stack([places, np.tile([0, 0, 0, 1], (len(places), 1))])
    pure, fast = both([BoxCollider(1, 1, 1)] * len(places), poses)
    corners = places - 0.5
    for direction in ((1, 0, 0), (0, -1, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)):
        start = corners - 20 * np.array(direction)
        assert_same(pure.raycast(start, direction), fast.raycast(start, direction))
        assert (fast.raycast(start, direction).ids >= 0).sum() > 50
    assert np.array_equal(pure.pairs(), fast.pairs())


@pytest.mark.parametrize("compiled", [False, True])
def test_planes_among_hundreds(compiled):
    """What is everywhere meets what is there, and not what fills up the groups."""
    poses = np.tile([0.0, 0, 0.5, 0, 0, 0, 1], (301, 1))
    poses[:, 0] = 3.0 * np.arange(301)
    poses[150, 2] = 0.0
    balls = [SphereCollider(1)] * 301
    balls[150] = PlaneCollider()
    several = ColliderSet(balls, compiled=compiled)
    several.update(poses)
    assert several.pairs().tolist() == [[min(k, 150), max(k, 150)] for k in range(301) if k != 150]


def test_more_pairs_than_expected():
    """All in one place."""
    pure, fast = both([SphereCollider(1)] * 300, np.tile([0.0, 0, 0, 0, 0, 0, 1], (300, 1)))
    assert len(fast.pairs()) == 300 * 299 // 2
    assert np.array_equal(pure.pairs(), fast.pairs())


def test_where_nothing_can_be_kept():
    """Code without a place for its cache is compiled all the same, without a word."""
    from deepsim_colliders._numba import compiled  # noqa: PLC0415

    names = {}
    exec(compile("def double(x):\n    return 2 * x\n", "<nowhere>", "exec"), names)
    assert compiled(names["double"])(4) == 8

# SPDX-License-Identifier: Apache-2.0
"""Sets of colliders: they answer as their colliders do, for the moment of the last update."""

from __future__ import annotations

import copy
import math
import pickle

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
    GeometryCollider,
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import Euler, Pose, Ray

RING = shapely.Polygon([(-3, -2), (3, -2), (3, 2), (-3, 2)], [[(-2, -1), (2, -1), (2, 1), (-2, 1)]])
WALL = shapely.LineString([(0, -1), (0, 1), (2, 2)])
SOLID = [
    lambda a, b, c: BoxCollider(a, b, c),
    lambda a, b, c: SphereCollider(a),
    lambda a, b, c: CapsuleCollider(a / 2, b),
    lambda a, b, c: CompoundCollider(
        [
            BoxCollider(a, b, c),
            SphereCollider(a / 2, pose_offset=Pose((c, 0, 0))),
            CompoundCollider([CapsuleCollider(b / 2, c)], pose_offset=Pose((0, 1, 0))),
        ]
    ),
]
FLAT = [
    lambda a, b, c: RectangleCollider(a, b),
    lambda a, b, c: CircleCollider(a),
    lambda a, b, c: GeometryCollider(RING),
    lambda a, b, c: GeometryCollider(WALL),
    lambda a, b, c: CompoundCollider(
        [RectangleCollider(a, b), CircleCollider(c, pose_offset=Pose((1, 0, 0)))]
    ),
]


def colliders(case, makers, count, spread):
    made = []
    for size, pose in zip(case.sizes(count, 3), case.poses(count, spread)):
        collider = makers[case.random.integers(len(makers))](*size)
        collider.pose_offset = pose
        collider.layers, collider.mask = (int(n) for n in case.random.integers(1, 8, 2))
        if case.random.random() < 0.05:
            collider.disable()
        made.append(collider)
    return made


@pytest.mark.parametrize(("makers", "spread"), [(SOLID, 4), (FLAT, 6)], ids=["3D", "2D"])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_set_answers_as_its_colliders(cases, makers, spread, seed):
    """Of all kinds mixed, with layers and disabled ones: pairs, points and rays."""
    case = cases(seed)
    a, b = colliders(case, makers, 30, spread), colliders(case, makers, 25, spread)
    first, second = ColliderSet(a), ColliderSet(b)
    assert first.intersects(second).tolist() == [[x.intersects(y) for y in b] for x in a]
    assert first.contains(second).tolist() == [[x.contains(y) for y in b] for x in a]
    assert first.contains(first).tolist() == [[x.contains(y) for y in a] for x in a]
    alone = [[x is not y and x.intersects(y) for y in a] for x in a]
    assert first.intersects().tolist() == alone
    assert first.pairs().tolist() == np.argwhere(np.triu(alone)).tolist()
    assert first.pairs(second).tolist() == np.argwhere(first.intersects(second)).tolist()

    points = case.numbers(-spread, spread, (40, 3)) + 1e-4  # off the surfaces
    expected = np.stack([x.contains_points(points) for x in a], axis=-1)
    assert np.array_equal(first.contains_points(points), expected)

    directions = case.random.normal(size=(40, 3))
    hits = first.raycast(points, directions)
    for k, (point, direction) in enumerate(zip(points, directions)):
        single = [(number, x.raycast(Ray(point, direction))) for number, x in enumerate(a)]
        met = [(hit.distance, number, hit) for number, hit in single if hit]
        if not met:
            assert hits.ids[k] == -1
            assert hits.distances[k] == math.inf
            continue
        distance, number, hit = min(met)
        assert hits.ids[k] == number
        assert hits.distances[k] == pytest.approx(distance, abs=1e-9)
        assert hits.inside[k] == hit.inside
        assert hits.points[k] == pytest.approx(tuple(hit.point), abs=1e-9)
        if hit.inside:
            assert np.isnan(hits.normals[k]).all()
        else:
            assert hits.normals[k] == pytest.approx(tuple(hit.normal), abs=1e-6)


def test_hundreds_of_shapes_are_swept(cases, placed):
    """Too many for each with each: still exactly the pairs whose distance says so."""
    case = cases(7)
    radii, poses = case.sizes(900, 1, 0.1, 0.5), case.poses(900, 15)
    spheres = placed([SphereCollider(*radius) for radius in radii], poses)
    gaps = np.linalg.norm(poses[:, np.newaxis, :3] - poses[:, :3], axis=-1) - radii - radii[:, 0]
    found = np.zeros(gaps.shape, dtype=bool)
    found[tuple(spheres.pairs().T)] = True
    decided = np.abs(gaps) > 1e-6
    assert np.array_equal(found[decided], (np.triu(gaps, 1) < 0)[decided])
    some, others = (
        placed(spheres.colliders[:300], poses[:300]),
        placed(spheres.colliders[300:], poses[300:]),
    )
    assert np.array_equal(
        some.intersects(others)[decided[:300, 300:]],
        (gaps < 0)[:300, 300:][decided[:300, 300:]],
    )


def test_a_lattice_of_equal_spheres(placed):
    """Whole layers of them start at the same place; each touches its neighbours only."""
    places = np.stack(np.meshgrid(*[np.arange(8.0)] * 3), axis=-1).reshape(-1, 3)
    poses = np.column_stack([places, np.tile([0, 0, 0, 1], (512, 1))])
    lattice = placed([SphereCollider(0.5)] * 512, poses)
    apart = np.abs(places[:, np.newaxis] - places).sum(axis=-1)
    assert np.array_equal(lattice.intersects(), apart == 1)
    assert np.array_equal(lattice.intersects(lattice), apart <= 1)


class Body:
    """Something that moves."""

    pose = Pose()


def test_a_set_is_a_snapshot():
    """Until updated: poses, offsets, what is enabled, layers."""
    body, sphere, box = Body(), SphereCollider(1), BoxCollider(2, 2, 2)
    sphere.attach(body)
    both = ColliderSet([sphere, box])
    assert both.pairs().tolist() == [[0, 1]]
    body.pose = Pose((9, 0, 0))
    assert both.pairs().tolist() == [[0, 1]]
    both.update()
    assert both.pairs().tolist() == []
    assert both.contains_points((9, 0, 0)).tolist() == [True, False]
    box.pose_offset = Pose((9, 0, 0))
    both.update()
    assert both.pairs().tolist() == [[0, 1]]
    for change in (box.disable, lambda: setattr(sphere, "mask", 2)):
        change()
        both.update()
        assert both.pairs().tolist() == []
        box.enable()


def test_poses_from_an_array():
    """Those of what the colliders are attached to: offsets stay, of compounds' parts as well."""
    offset = Pose((1, 0, 0), Euler(0, 0, math.pi / 2))
    part = SphereCollider(0.5, pose_offset=Pose((2, 0, 0)))
    two = ColliderSet([CompoundCollider([part], pose_offset=offset), SphereCollider(0.5)])
    rows = np.array([[5, 0, 0, *Euler(0, 0, math.pi / 2).to_quaternion()], [7, 7, 7, 0, 0, 0, 1]])
    two.update(rows)
    assert two.contains_points([(3, 1, 0), (7, 7, 7)]).tolist() == [[True, False], [False, True]]
    two.update(np.vstack([np.full(7, np.nan), rows[1]]))
    assert two.contains_points([(3, 1, 0), (7, 7, 7)]).tolist() == [[False, False], [False, True]]
    two.update()
    assert two.contains_points([(1, 2, 0), (0, 0, 0)]).tolist() == [[True, False], [False, True]]


def test_layers_of_points_rays_and_clearances():
    near, far = SphereCollider(1), SphereCollider(1, pose_offset=Pose((5, 0, 0)))
    near.layers, far.layers = 2, 4
    both = ColliderSet([near, far])
    for mask, seen in ((6, 0), (4, 1), (1, -1)):
        assert both.raycast((-9, 0, 0), (1, 0, 0), mask=mask).ids == seen
        assert both.spherecast((-9, 0, 0), (1, 0, 0), 0.1, mask=mask).ids == seen
        assert both.clearance((-9, 0, 0), mask=mask).ids == seen
    assert both.contains_points((0, 0, 0), mask=4).tolist() == [False, False]
    assert both.contains_points((0, 0, 0), mask=2).tolist() == [True, False]


def test_shapes_of_answers():
    three = ColliderSet(SphereCollider(1, pose_offset=Pose((x, 0, 0))) for x in (0, 5, 10))
    assert len(three) == 3
    assert three.dimensions == 3
    assert [c.radius for c in three.colliders] == [1, 1, 1]
    assert three.contains_points(np.zeros((4, 2, 3))).shape == (4, 2, 3)
    assert three.contains_points(np.zeros(3)).tolist() == [True, False, False]
    hits = three.raycast(np.zeros((4, 1, 3)) - 2, np.ones((5, 3)), max_distance=np.ones(5))
    assert hits.ids.shape == hits.distances.shape == hits.inside.shape == (4, 5)
    assert hits.points.shape == hits.normals.shape == (4, 5, 3)
    assert three.raycast(np.zeros((0, 3)), (1, 0, 0)).ids.shape == (0,)
    assert three.contains_points(np.zeros((0, 3))).shape == (0, 3)
    flat = ColliderSet([CircleCollider(1)])
    for width in (2, 3):
        hits = flat.raycast(np.full(width, -2.0), np.ones(width))
        assert hits.points.shape == hits.normals.shape == (width,)
        assert hits.normals[:2] == pytest.approx([-math.sqrt(0.5)] * 2)


def test_limits_of_rays():
    """They begin at the least distance, and inside is inside there."""
    wall = ColliderSet([BoxCollider(2, 2, 2)])
    start, ahead = (-5, 0, 0), (2, 0, 0)
    assert wall.raycast(start, ahead).distances == 4
    assert wall.raycast(start, ahead, max_distance=4).distances == 4
    assert wall.raycast(start, ahead, max_distance=3.999).ids == -1
    within = wall.raycast(start, ahead, min_distance=5)
    assert (within.distances, within.inside, within.points.tolist()) == (5, True, [0, 0, 0])
    assert wall.raycast(start, ahead, min_distance=6.001).ids == -1
    assert wall.raycast(start, ahead, min_distance=4.5, max_distance=4.2).ids == -1


def test_of_equals_the_first_is_hit():
    """Whatever their kinds."""
    twins = [BoxCollider(2, 2, 2), CapsuleCollider(1, 1), SphereCollider(1), BoxCollider(2, 4, 4)]
    for order in ((0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)):
        several = ColliderSet([twins[k] for k in order])
        assert several.raycast((-5, 0, 0), (1, 0, 0)).ids == 0
        assert several.raycast((0, 0, 0), (1, 0, 0)).ids == 0


def test_what_is_not_finite_meets_nothing(flat, solid):
    for family, width in ((flat, 2), (solid, 3)):
        several = ColliderSet(family)
        for wrong in (math.nan, math.inf, -math.inf):
            points = np.full((2, width), wrong)
            assert not several.contains_points(points).any()
            assert (several.raycast(points, np.ones(width)).ids == -1).all()
            broken = [copy.copy(collider) for collider in family]
            for collider in broken:
                collider.pose_offset = Pose((wrong, 0, 0))
            lost = ColliderSet(broken)
            assert lost.pairs().size == lost.pairs(several).size == several.pairs(lost).size == 0
            assert not several.contains(lost).any()
            assert not lost.contains(several).any()
            assert (lost.raycast(np.zeros(width), np.ones(width)).ids == -1).all()
            assert not lost.contains_points(np.zeros(width)).any()
        assert several.raycast(np.full(width, 9.0), np.full(width, math.nan)).ids == -1


def test_copies_are_independent(solid):
    first = ColliderSet(solid)
    for other in (copy.deepcopy(first), pickle.loads(pickle.dumps(first))):
        other.update(np.tile([50.0, 0, 0, 0, 0, 0, 1], (len(solid), 1)))
        assert first.contains_points((0, 0, 0)).all()
        assert not other.contains_points((0, 0, 0)).any()
        assert other.contains_points((50, 0, 0)).all()


def test_what_a_set_refuses(flat, solid):
    with pytest.raises(TypeError, match="a ColliderSet needs colliders, got 5"):
        ColliderSet([5])
    with pytest.raises(ValueError, match="at least one collider, got none"):
        ColliderSet([])
    with pytest.raises(TypeError, match="must be all 2D or all 3D; make two sets"):
        ColliderSet(flat + solid)
    level, space = ColliderSet(flat), ColliderSet(solid)
    for ask in (level.pairs, level.intersects, level.contains):
        with pytest.raises(TypeError, match="cannot test 2D colliders against 3D ones"):
            ask(space)
        with pytest.raises(TypeError, match="expected another ColliderSet, got"):
            ask(flat)


def test_what_queries_refuse(solid):
    space = ColliderSet(solid)
    with pytest.raises(ValueError, match=r"poses must have shape \(4, 7\).*got \(3, 7\)"):
        space.update(np.zeros((3, 7)))
    with pytest.raises(ValueError, match="zero length"):
        space.update(np.zeros((4, 7)))
    with pytest.raises(ValueError, match=r"points must have shape \(\.\.\., 3\)"):
        space.contains_points((1, 2))
    with pytest.raises(ValueError, match=r"origins must have shape \(\.\.\., 3\)"):
        space.raycast((1, 2), (1, 0))
    with pytest.raises(ValueError, match=r"direction at index \(1,\) has zero length"):
        space.raycast((0, 0, 0), [(1, 0, 0), (0, 0, 0)])
    with pytest.raises(ValueError, match="min_distance must be >= 0 m, got -1"):
        space.raycast((0, 0, 0), (1, 0, 0), min_distance=-1)
    with pytest.raises(ValueError, match=r"radius must be >= 0 m, got -0\.5"):
        space.clearance((0, 0, 0), radius=[1, -0.5])
    with pytest.raises(ValueError, match="radius must be >= 0 m, got nan"):
        space.spherecast((0, 0, 0), (1, 0, 0), np.nan)
    with pytest.raises(ValueError, match=r"ends must have shape \(\.\.\., 3\)"):
        space.clearance((0, 0, 0), (1, 2))
    with pytest.raises(ValueError, match="mask must be within 0 and 0xffffffff"):
        space.contains_points((0, 0, 0), mask=-1)
    with pytest.raises(ValueError, match="the same number of coordinates"):
        ColliderSet([CircleCollider(1)]).raycast((1, 2), (1, 0, 0))

# SPDX-License-Identifier: Apache-2.0
"""Sets with an axis of worlds: each world answers as a set of its own."""

from __future__ import annotations

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
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import Pose

WORLDS = 3
RING = shapely.Point(0, 0).buffer(3).difference(shapely.Point(0, 0).buffer(2))
SOLID = [
    BoxCollider(1, 2, 0.5),
    SphereCollider(0.8),
    CapsuleCollider(0.4, 1),
    CompoundCollider([BoxCollider(1, 1, 1), SphereCollider(0.7, pose_offset=Pose((1, 0, 0)))]),
    CylinderCollider(0.5, 1),
]
FLAT = [
    RectangleCollider(1, 2),
    CircleCollider(0.8),
    GeometryCollider(RING),
    CompoundCollider([RectangleCollider(2, 1), CircleCollider(0.5, pose_offset=Pose((1, 0, 0)))]),
]


def equal(first, second):
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second))


@pytest.mark.parametrize("family", [SOLID, FLAT], ids=["3D", "2D"])
@pytest.mark.parametrize(("count", "spread"), [(7, 4), (280, 15)], ids=["few", "many"])
@settings(max_examples=2, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_each_world_answers_as_a_set_of_its_own(cases, family, count, spread, seed):
    """Bit by bit, whichever way near pairs are found; a lost pose is lost in its world only."""
    case = cases(seed)
    colliders = [family[k] for k in case.random.integers(len(family), size=count)]
    poses = case.poses(WORLDS * count, spread).reshape(WORLDS, count, 7)
    poses[1, 0] = np.nan
    together = ColliderSet(colliders, worlds=WORLDS)
    together.update(poses)
    others = ColliderSet(family)
    origins, directions = case.numbers(-4, 4, (WORLDS, 9, 3)), case.random.normal(size=(9, 3))
    hits = together.raycast(origins, directions)
    thick = together.spherecast(origins, directions, 0.3)
    near = together.clearance(origins, origins + directions, radius=0.1)
    for world in range(WORLDS):
        alone = ColliderSet(colliders)
        alone.update(poses[world])
        for answer, expected in (
            (together.pairs(), alone.pairs()),
            (together.pairs(others), alone.pairs(others)),
            (others.pairs(together), others.pairs(alone)),
        ):
            assert np.array_equal(answer[answer[:, 0] == world][:, 1:], expected)
        assert np.array_equal(together.intersects()[world], alone.intersects())
        assert np.array_equal(together.contains(others)[world], alone.contains(others))
        assert np.array_equal(others.contains(together)[world], others.contains(alone))
        inside = together.contains_points(origins)[world]
        assert np.array_equal(inside, alone.contains_points(origins[world]))
        assert equal([part[world] for part in hits], alone.raycast(origins[world], directions))
        expected = alone.spherecast(origins[world], directions, 0.3)
        assert equal([part[world] for part in thick], expected)
        expected = alone.clearance(origins[world], origins[world] + directions, radius=0.1)
        assert equal([part[world] for part in near], expected)


def test_one_world_keeps_its_axis():
    one = ColliderSet([SphereCollider(1), SphereCollider(1)], worlds=1)
    assert one.worlds == 1
    assert ColliderSet([SphereCollider(1)]).worlds is None
    assert one.pairs().tolist() == [[0, 0, 1]]
    assert one.intersects().shape == (1, 2, 2)
    assert one.contains_points([[(0, 0, 0)]]).tolist() == [[[True, True]]]
    assert one.raycast([[(-3, 0, 0)]], (1, 0, 0)).distances.tolist() == [[2]]
    assert one.clearance([[(-3, 0, 0)]]).distances.tolist() == [[2]]


def test_poses_for_all_worlds_at_once():
    two = ColliderSet([SphereCollider(1)], worlds=2)
    two.update([(5, 0, 0, 0, 0, 0, 1)])
    assert two.raycast([[(0, 0, 0)], [(9, 0, 0)]], [(1, 0, 0)]).ids.tolist() == [[0], [-1]]
    two.update()
    assert two.contains_points([[(0, 0, 0)]] * 2).all()


def test_what_worlds_refuse():
    two = ColliderSet([SphereCollider(1), BoxCollider(1, 1, 1)], worlds=2)
    poses = np.zeros((2, 2, 7))
    poses[..., 6] = 1
    poses[1, 0, 6] = 0
    with pytest.raises(ValueError, match=r"quaternion of poses\[1, 0\] has zero length"):
        two.update(poses)
    with pytest.raises(ValueError, match=r"\(2, 2, 7\) or \(2, 7\), .* got \(3, 2, 7\)"):
        two.update(np.zeros((3, 2, 7)))
    with pytest.raises(ValueError, match=r"a set of 2 worlds needs \(2, \.\.\., 3\)"):
        two.raycast(np.zeros((5, 3)), (1, 0, 0))
    with pytest.raises(ValueError, match="2 worlds against 3"):
        two.pairs(ColliderSet([SphereCollider(1)], worlds=3))
    with pytest.raises(ValueError, match="worlds must be at least 1, got 0"):
        ColliderSet([SphereCollider(1)], worlds=0)
    with pytest.raises(ValueError, match=r"a set of 2 worlds needs \(2, \.\.\., 3\)"):
        two.clearance(np.zeros((5, 3)))
    assert two.contains_points(np.zeros((2, 1, 3))).all()


@pytest.mark.parametrize("worlds", [None, 2])
def test_colliders_come_and_go(worlds):
    """Those that stay are where they were placed; ids count on."""
    ball, box = SphereCollider(1), BoxCollider(2, 2, 2, pose_offset=Pose((0, 9, 0)))
    several = ColliderSet([ball, box], worlds=worlds)
    place = [(5, 0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 0, 1)]
    several.update(place)
    late = SphereCollider(1, pose_offset=Pose((5, 1, 0)))
    several.add(late)
    assert several.colliders == (ball, box, late)
    assert several.pairs()[:, -2:].tolist() == [[0, 2]] * (worlds or 1)
    several.remove(box)
    assert several.pairs()[:, -2:].tolist() == [[0, 1]] * (worlds or 1)
    with pytest.raises(ValueError, match=r"cannot remove BoxCollider.* not in the set"):
        several.remove(box)
    with pytest.raises(ValueError, match="at least one collider"):
        several.remove(ball, late)
    with pytest.raises(TypeError, match="must be all 2D or all 3D"):
        several.add(CircleCollider(1))
    assert len(several) == 2
    assert len(several.pairs()) == (worlds or 1)


def test_the_wrong_row_is_named():
    """In the order of the caller, whatever the kinds."""
    mixed = ColliderSet([BoxCollider(1, 1, 1), SphereCollider(1)])
    with pytest.raises(ValueError, match=r"quaternion of poses\[1\] has zero length"):
        mixed.update([(0, 0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 0, 0, 0)])

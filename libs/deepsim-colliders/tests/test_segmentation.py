# SPDX-License-Identifier: Apache-2.0
"""Pictures: every pixel is what its ray meets; culling loses nothing that is seen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    ColliderSet,
    CompoundCollider,
    SphereCollider,
)
from deepsim_math import Euler, Frustum, Pose, frustums

WIDTH, HEIGHT = 80, 60


def pixel_rays(view, width, height):
    """Directions (height, width, 3) through the middles of pixels, and depths per distance."""
    u, v = (np.arange(width) + 0.5) / width, 1 - (np.arange(height) + 0.5) / height
    middles = np.stack(np.meshgrid(u, v), axis=-1)
    directions = frustums.viewport_points_to_rays(view, middles)[..., 3:]
    return directions, directions @ np.asarray(view.pose.forward)


@pytest.mark.parametrize("spread", [4, 12, 1e5])
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_as_casting_every_ray(cases, placed, spread, seed):
    """Cameras in the middle of things, too: some are around, behind, or cut by the near plane."""
    case = cases(seed)
    makers = ((BoxCollider, 3), (SphereCollider, 1), (CapsuleCollider, 2))
    shapes = [
        make(*case.sizes(1, columns, 0.25, 4)[0]) for make, columns in makers for _ in range(20)
    ]
    shapes.append(CompoundCollider(shapes[::20]))
    many = placed(shapes, case.poses(len(shapes), spread if spread < 100 else 8))
    if spread > 100:  # as far from the origin of the world as single precision would not take
        rows = case.poses(len(shapes), 8)
        rows[:, :3] += spread
        many.update(rows)
    eye = case.poses(1, 4)[0]
    eye[:3] += spread if spread > 100 else 0
    near = float(case.random.choice([0.01, 0.5, 2.0]))
    far = near + float(case.random.choice([1.0, 10.0, math.inf]))
    view = Frustum(near, far, case.random.uniform(0.2, 2.8), HEIGHT / WIDTH, eye)

    picture = many.segmentation(view, WIDTH, HEIGHT)
    directions, cosines = pixel_rays(view, WIDTH, HEIGHT)
    limits = {"min_distance": near / cosines, "max_distance": far / cosines}
    hits = many.raycast(eye[:3], directions, **limits)
    assert picture.ids.dtype == np.int32
    assert np.array_equal(picture.ids, hits.ids)
    assert np.allclose(picture.depth, hits.distances * cosines, rtol=1e-12)
    assert set(picture.ids[picture.ids >= 0].tolist()) <= set(many.cull(view).tolist())


def test_one_box_by_hand():
    """Two metres wide, five ahead, up and to the left of a camera that turns with its pose."""
    pose = Pose((1, 2, 3), Euler(0.3, -0.2, 0.9))
    corner = pose @ Pose((6, 1, 1))
    view = Frustum(0.1, 50, 2 * math.atan(0.5), 1, pose)  # 5 m wide at 5 m
    box = BoxCollider(2, 2, 2, pose_offset=corner)
    ids, depth = ColliderSet([box]).segmentation(view, 10, 10)
    seen = np.full((10, 10), -1)
    seen[1:5, 1:5] = 0
    assert np.array_equal(ids, seen)
    assert depth[ids == 0] == pytest.approx(5)
    assert np.isinf(depth[ids < 0]).all()


def test_by_single_rays():
    """Frustum.viewport_point_to_ray and Collider.raycast find the same, one at a time."""
    shapes = [SphereCollider(1, pose_offset=Pose((5, 0.3, 0))), BoxCollider(1, 9, 9)]
    shapes[1].pose_offset = Pose((9, 2, 1), Euler(0.1, 0.4, 0.2))
    view = Frustum(0.1, 50, 1.2, 0.5)
    ids, depth = ColliderSet(shapes).segmentation(view, 12, 6)
    for row in range(6):
        for column in range(12):
            ray = view.viewport_point_to_ray((column + 0.5) / 12, 1 - (row + 0.5) / 6)
            hits = [(shape.raycast(ray), number) for number, shape in enumerate(shapes)]
            met = [(hit.distance, number) for hit, number in hits if hit]
            assert ids[row, column] == (min(met)[1] if met else -1)
            if met:
                expected = min(met)[0] * ray.direction.dot((1, 0, 0))
                assert depth[row, column] == pytest.approx(expected)
    assert set(ids.ravel().tolist()) == {-1, 0, 1}


def test_near_and_far():
    """Clipped solids are seen as solid: at the near plane by their inside."""
    box = ColliderSet([BoxCollider(4, 4, 4)])
    for pose, near, far, expected in (
        (Pose(), 0.5, 9, 0.5),
        (Pose((-3, 0, 0)), 0.5, 9, 1),
        (Pose((-3, 0, 0)), 1.5, 9, 1.5),
        (Pose((-3, 0, 0)), 0.5, 0.9, math.inf),
        (Pose((3, 0, 0)), 0.5, 9, math.inf),
    ):
        picture = box.segmentation(Frustum(near, far, 0.5, 1, pose), 3, 3)
        assert np.allclose(picture.depth, expected)
        assert (picture.ids == (0 if expected < math.inf else -1)).all()


def test_a_compound_is_one_thing():
    parts = [BoxCollider(1, 1, 1, pose_offset=Pose((0, y, 0))) for y in (-2, 2)]
    table = CompoundCollider(parts, pose_offset=Pose((8, 0, 0)))
    ids, _ = ColliderSet([SphereCollider(0.1), table]).segmentation(Frustum(1, 20, 1, 0.5), 40, 20)
    assert (ids[10] == 1).sum() > 4
    assert ids[10, 20] == -1


def test_nothing_to_see():
    behind = ColliderSet([SphereCollider(1, pose_offset=Pose((-9, 0, 0)))])
    picture = behind.segmentation(Frustum(0.1, 50, 1, 1), 4, 3)
    assert picture.ids.shape == picture.depth.shape == (3, 4)
    assert (picture.ids == -1).all()
    behind.colliders[0].disable()
    behind.update()
    assert (behind.segmentation(Frustum(0.1, 50, 1, 1), 4, 3).ids == -1).all()
    assert behind.cull(Frustum(0.1, 50, 1, 1)).size == 0


def test_culling_by_hand():
    places = [(5, 0, 0), (-5, 0, 0), (5, 9, 0), (60, 0, 0), (0.5, 0, 0)]
    shapes = [make(Pose(place)) for place in places for make in (_box, _sphere, _capsule)]
    view = Frustum(1, 50, math.pi / 2, 1)
    assert ColliderSet(shapes).cull(view).tolist() == [0, 1, 2, 12, 13, 14]


def _box(pose):
    return BoxCollider(1.5, 1.5, 1.5, pose_offset=pose)


def _sphere(pose):
    return SphereCollider(0.75, pose_offset=pose)


def _capsule(pose):
    return CapsuleCollider(0.75, 0.5, pose_offset=pose)

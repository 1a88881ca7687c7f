# SPDX-License-Identifier: Apache-2.0
"""A hundred thousand random pairs of each two 3D shapes: coal and other formulas judge."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from deepsim_colliders import BoxCollider, CapsuleCollider, CylinderCollider, SphereCollider

COUNT = 100  # of each side: ten thousand pairs an example
SOME = 40  # where coal is asked for each pair
EXAMPLES = 10
MARGIN = 1e-7  # [m] nearer than this to touching, rounding may decide
SEEDS = st.integers(0, 2**32 - 1)
many = settings(max_examples=EXAMPLES, deadline=None)


def matrices(poses):
    return Rotation.from_quat(poses[:, 3:]).as_matrix()


def segments(sizes, poses):
    """Ends of the lines in capsules, (n, 3) each."""
    along = matrices(poses)[:, :, 2] * sizes[:, 1:2] / 2
    return poses[:, :3] - along, poses[:, :3] + along


def point_segment(points, starts, ends):
    """Distances of points to segments, of shapes that broadcast."""
    step = ends - starts
    t = np.sum((points - starts) * step, -1) / np.sum(step * step, -1)
    nearest = starts + np.clip(t, 0, 1)[..., np.newaxis] * step
    return np.linalg.norm(points - nearest, axis=-1)


def compare(answers, gaps):
    """Where rounding does not decide, shapes meet when their gap is not positive."""
    decided = np.abs(gaps) > MARGIN
    assert decided.mean() > 0.9
    assert np.array_equal(answers[decided], gaps[decided] < 0)


@many
@given(seed=SEEDS)
def test_solids_meet_where_coal_measures_no_distance(cases, placed, seed):
    """Boxes, spheres, capsules and cylinders, each kind with each."""
    coal = pytest.importorskip("coal", reason="coal has no wheel here")
    case, sides = cases(seed), []
    for _ in range(2):
        sizes, poses = case.sizes(SOME, 3), case.poses(SOME, 3)
        makers = [
            (lambda x, y, z: BoxCollider(x, y, z), lambda x, y, z: coal.Box(x, y, z)),
            (lambda x, y, z: SphereCollider(x), lambda x, y, z: coal.Sphere(x)),
            (lambda x, y, z: CapsuleCollider(x, z), lambda x, y, z: coal.Capsule(x, z)),
            (lambda x, y, z: CylinderCollider(x, z), lambda x, y, z: coal.Cylinder(x, z)),
        ]
        kinds = [makers[k % 4] for k in range(SOME)]
        ours = placed([make(*size) for (make, _), size in zip(kinds, sizes)], poses)
        theirs = [make(*size) for (_, make), size in zip(kinds, sizes)]
        turns = [coal.Transform3s(*each) for each in zip(matrices(poses), poses[:, :3])]
        sides.append((ours, list(zip(theirs, turns))))
    (first, shapes), (second, others) = sides
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-10
    pairs = itertools.product(shapes, others)
    gaps = [coal.distance(*a, *b, request, coal.DistanceResult()) for a, b in pairs]
    gaps = np.reshape(gaps, (SOME, SOME))
    compare(first.intersects(second), gaps)
    compare(second.intersects(first), gaps.T)


@many
@given(seed=SEEDS)
def test_what_boxes_contain(cases, placed, seed):
    """All corners inside, and a radius more, is inside."""
    case = cases(seed)
    outer, inner = case.sizes(COUNT, 3), case.sizes(COUNT, 3, 0.1, 1)
    pose_a, pose_b = case.poses(COUNT, 1), case.poses(COUNT, 1)
    boxes = placed([BoxCollider(*size) for size in outer], pose_a)
    signs = np.array(list(itertools.product([-0.5, 0.5], repeat=3)))
    corners = pose_b[:, np.newaxis, :3] + np.einsum(
        "ckx,cjx->cjk", matrices(pose_b), signs * inner[:, np.newaxis]
    )

    def margin(points, radii):
        """How deep (n, m) all of the points (m, k, 3) are in the boxes, less a radius."""
        gap = points - pose_a[:, np.newaxis, np.newaxis, :3]
        local = np.abs(gap.reshape(COUNT, -1, 3) @ matrices(pose_a))
        depth = outer[:, np.newaxis] / 2 - local
        return depth.reshape(COUNT, COUNT, -1).min(axis=-1) - radii

    others = placed([BoxCollider(*size) for size in inner], pose_b)
    compare(boxes.contains(others), -margin(corners, 0))
    spheres = placed([SphereCollider(*size[:1]) for size in inner], pose_b)
    compare(boxes.contains(spheres), -margin(pose_b[:, np.newaxis, :3], inner[:, 0]))
    capsules = placed([CapsuleCollider(*size[:2]) for size in inner], pose_b)
    ends = np.stack(segments(inner, pose_b), axis=1)
    compare(boxes.contains(capsules), -margin(ends, inner[:, 0]))


@many
@given(seed=SEEDS)
def test_what_spheres_and_capsules_contain(cases, placed, seed):
    """The farthest corner decides."""
    case = cases(seed)
    outer, inner = case.sizes(COUNT, 2), case.sizes(COUNT, 3, 0.1, 1)
    pose_a, pose_b = case.poses(COUNT, 1), case.poses(COUNT, 1)
    spheres = placed([SphereCollider(*size[:1]) for size in outer], pose_a)
    capsules = placed([CapsuleCollider(*size) for size in outer], pose_a)
    signs = np.array(list(itertools.product([-0.5, 0.5], repeat=3)))
    corners = pose_b[:, np.newaxis, :3] + np.einsum(
        "ckx,cjx->cjk", matrices(pose_b), signs * inner[:, np.newaxis]
    )
    boxes = placed([BoxCollider(*size) for size in inner], pose_b)
    others = placed([CapsuleCollider(*size[:2]) for size in inner], pose_b)
    ends = np.stack(segments(inner, pose_b), axis=1)
    starts, stops = segments(outer, pose_a)
    for points, radii, targets in ((corners, 0 * inner[:, 0], boxes), (ends, inner[:, 0], others)):
        gaps = np.linalg.norm(points - pose_a[:, np.newaxis, np.newaxis, :3], axis=-1).max(-1)
        compare(spheres.contains(targets), gaps + radii - outer[:, :1])
        gaps = point_segment(
            points, starts[:, np.newaxis, np.newaxis], stops[:, np.newaxis, np.newaxis]
        ).max(-1)
        compare(capsules.contains(targets), gaps + radii - outer[:, :1])

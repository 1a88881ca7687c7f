# SPDX-License-Identifier: Apache-2.0
"""A hundred thousand random pairs of each two 3D shapes: python-fcl and other formulas judge."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from deepsim_colliders import BoxCollider, CapsuleCollider, SphereCollider

COUNT = 100  # of each side: ten thousand pairs an example
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


def point_box(points, sizes, poses):
    """Distances (n, m) of points to boxes."""
    gap = points[:, np.newaxis] - poses[:, :3]
    local = np.abs(np.einsum("nmk,mkl->nml", gap, matrices(poses)))
    return np.linalg.norm(np.maximum(local - sizes / 2, 0), axis=-1)


def point_segment(points, starts, ends):
    """Distances of points to segments, of shapes that broadcast."""
    step = ends - starts
    t = np.sum((points - starts) * step, -1) / np.sum(step * step, -1)
    nearest = starts + np.clip(t, 0, 1)[..., np.newaxis] * step
    return np.linalg.norm(points - nearest, axis=-1)


def segment_segment(a, b, c, d):
    """Distances (n, m): at an end of either, or between two inner points of skew lines."""
    a, b = a[:, np.newaxis], b[:, np.newaxis]
    ends = [point_segment(a, c, d), point_segment(b, c, d)]
    ends += [point_segment(c, a, b), point_segment(d, a, b)]
    best = np.min(ends, axis=0)
    u, v, w = b - a, d - c, a - c
    uu, uv, vv = np.sum(u * u, -1), np.sum(u * v, -1), np.sum(v * v, -1)
    uw, vw = np.sum(u * w, -1), np.sum(v * w, -1)
    with np.errstate(all="ignore"):
        square = uu * vv - uv * uv
        s, t = (uv * vw - vv * uw) / square, (uu * vw - uv * uw) / square
        inner = (square > 1e-12) & (s > 0) & (s < 1) & (t > 0) & (t < 1)
        gap = np.linalg.norm(w + s[..., np.newaxis] * u - t[..., np.newaxis] * v, axis=-1)
    return np.where(inner, np.minimum(best, gap), best)


def segment_box(starts, ends, sizes, poses):
    """Distances (n, m) by trisection: the distance is convex along the segment."""
    low, high = np.zeros((2, len(starts), len(sizes)))
    high += 1.0
    turned = matrices(poses)
    gap = np.einsum("nmk,mkl->nml", starts[:, np.newaxis] - poses[:, :3], turned)
    step = np.einsum("nk,mkl->nml", ends - starts, turned)

    def distance(t):
        local = np.abs(gap + t[..., np.newaxis] * step)
        return np.linalg.norm(np.maximum(local - sizes / 2, 0), axis=-1)

    for _ in range(60):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        left = distance(one) <= distance(two)
        low, high = np.where(left, low, one), np.where(left, two, high)
    return distance((low + high) / 2)


def compare(answers, gaps):
    """Where rounding does not decide, shapes meet when their gap is not positive."""
    decided = np.abs(gaps) > MARGIN
    assert decided.mean() > 0.9
    assert np.array_equal(answers[decided], gaps[decided] < 0)


@many
@given(seed=SEEDS)
def test_spheres(cases, placed, seed):
    case = cases(seed)
    a, b = case.sizes(COUNT, 1), case.sizes(COUNT, 1)
    pose_a, pose_b = case.poses(COUNT, 3), case.poses(COUNT, 3)
    first = placed([SphereCollider(*size) for size in a], pose_a)
    second = placed([SphereCollider(*size) for size in b], pose_b)
    gaps = np.linalg.norm(pose_a[:, np.newaxis, :3] - pose_b[:, :3], axis=-1)
    compare(first.intersects(second), gaps - a - b[:, 0])
    compare(first.contains(second), gaps - a + b[:, 0])


@many
@given(seed=SEEDS)
def test_spheres_and_boxes(cases, placed, seed):
    case = cases(seed)
    radii, sizes = case.sizes(COUNT, 1), case.sizes(COUNT, 3)
    pose_a, pose_b = case.poses(COUNT, 3), case.poses(COUNT, 3)
    spheres = placed([SphereCollider(*size) for size in radii], pose_a)
    boxes = placed([BoxCollider(*size) for size in sizes], pose_b)
    gaps = point_box(pose_a[:, :3], sizes, pose_b) - radii
    compare(spheres.intersects(boxes), gaps)
    compare(boxes.intersects(spheres), gaps.T)


@many
@given(seed=SEEDS)
def test_spheres_and_capsules(cases, placed, seed):
    case = cases(seed)
    radii, sizes = case.sizes(COUNT, 1), case.sizes(COUNT, 2)
    pose_a, pose_b = case.poses(COUNT, 3), case.poses(COUNT, 3)
    spheres = placed([SphereCollider(*size) for size in radii], pose_a)
    capsules = placed([CapsuleCollider(*size) for size in sizes], pose_b)
    lines = point_segment(pose_a[:, np.newaxis, :3], *segments(sizes, pose_b))
    compare(spheres.intersects(capsules), lines - radii - sizes[:, 0])
    compare(capsules.intersects(spheres), (lines - radii - sizes[:, 0]).T)
    compare(capsules.contains(spheres), (lines + radii - sizes[:, 0]).T)


@many
@given(seed=SEEDS)
def test_capsules(cases, placed, seed):
    case = cases(seed)
    a, b = case.sizes(COUNT, 2), case.sizes(COUNT, 2)
    pose_a, pose_b = case.poses(COUNT, 3), case.poses(COUNT, 3)
    first = placed([CapsuleCollider(*size) for size in a], pose_a)
    second = placed([CapsuleCollider(*size) for size in b], pose_b)
    gaps = segment_segment(*segments(a, pose_a), *segments(b, pose_b))
    compare(first.intersects(second), gaps - a[:, :1] - b[:, 0])


@many
@given(seed=SEEDS)
def test_capsules_and_boxes(cases, placed, seed):
    case = cases(seed)
    a, b = case.sizes(COUNT, 2), case.sizes(COUNT, 3)
    pose_a, pose_b = case.poses(COUNT, 3), case.poses(COUNT, 3)
    capsules = placed([CapsuleCollider(*size) for size in a], pose_a)
    boxes = placed([BoxCollider(*size) for size in b], pose_b)
    gaps = segment_box(*segments(a, pose_a), b, pose_b) - a[:, :1]
    compare(capsules.intersects(boxes), gaps)
    compare(boxes.intersects(capsules), gaps.T)


@many
@given(seed=SEEDS)
def test_boxes_meet_as_in_fcl(cases, placed, seed):
    """Where scaling by a hundred-thousandth does not change the answer of python-fcl."""
    fcl = pytest.importorskip("fcl")
    case = cases(seed)
    a, b = case.sizes(COUNT, 3), case.sizes(COUNT, 3)
    pose_a, pose_b = case.poses(COUNT, 3), case.poses(COUNT, 3)

    def judged(scale):
        sides = [
            [
                fcl.CollisionObject(
                    fcl.Box(*size), fcl.Transform(np.roll(pose[3:], 1).copy(), pose[:3].copy())
                )
                for size, pose in zip(scale * sizes, poses)
            ]
            for sizes, poses in ((a, pose_a), (b, pose_b))
        ]
        pairs = itertools.product(*sides)
        request, result = fcl.CollisionRequest(), fcl.CollisionResult()
        answers = [fcl.collide(one, other, request, result) > 0 for one, other in pairs]
        return np.reshape(answers, (COUNT, COUNT))

    sure = judged(1 - 1e-5)
    decided = sure == judged(1 + 1e-5)
    assert decided.mean() > 0.9
    first = placed([BoxCollider(*size) for size in a], pose_a)
    second = placed([BoxCollider(*size) for size in b], pose_b)
    assert np.array_equal(first.intersects(second)[decided], sure[decided])
    assert np.array_equal(second.intersects(first).T[decided], sure[decided])


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

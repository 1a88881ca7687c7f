# SPDX-License-Identifier: Apache-2.0
"""A hundred thousand random rays and points per shape, against surfaces solved one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    GeometryCollider,
    RectangleCollider,
    SphereCollider,
)

COUNT = 10_000  # rays or points an example
EXAMPLES = 10
MARGIN = 1e-6
SEEDS = st.integers(0, 2**32 - 1)
many = settings(max_examples=EXAMPLES, deadline=None)
RING = shapely.Polygon([(-3, -2), (3, -2), (3, 2), (-3, 2)], [[(-2, -1), (2, -1), (2, 1), (-2, 1)]])
WALL = shapely.LineString([(-2, 0), (0, 1), (2, 0)])


def roots(a, b, c):
    """Both t with a t^2 + 2 b t + c = 0, not a number where there are none."""
    with np.errstate(all="ignore"):
        root = np.sqrt(b * b - a * c)
        return np.stack([(-b - root) / a, (-b + root) / a])


def box_surface(o, d, sizes):
    """Every t at which a line meets a face: six planes, each within the other four."""
    found = []
    for axis, side in itertools.product(range(3), (-0.5, 0.5)):
        with np.errstate(all="ignore"):
            t = (side * sizes[axis] - o[:, axis]) / d[:, axis]
            others = np.delete(np.abs(o + t[:, np.newaxis] * d), axis, axis=1)
            within = (others <= np.delete(sizes, axis) / 2).all(axis=1)
        found.append(np.where(within & np.isfinite(t), t, np.nan))
    return np.stack(found)


def sphere_surface(o, d, sizes):
    return roots(np.sum(d * d, 1), np.sum(o * d, 1), np.sum(o * o, 1) - sizes[0] ** 2)


def capsule_surface(o, d, sizes):
    """The round wall between the ends, and the outer half of each ball."""
    radius, half = sizes[0], sizes[1] / 2
    wall = roots(
        np.sum(d[:, :2] ** 2, 1),
        np.sum(o[:, :2] * d[:, :2], 1),
        np.sum(o[:, :2] ** 2, 1) - radius**2,
    )
    found = [np.where(np.abs(o[:, 2] + wall * d[:, 2]) <= half, wall, np.nan)]
    for end in (half, -half):
        cap = sphere_surface(o - [0, 0, end], d, sizes)
        outer = (o[:, 2] + cap * d[:, 2]) * np.sign(end) >= half
        found.append(np.where(outer, cap, np.nan))
    return np.concatenate(found)


def box_depth(p, sizes):
    """Positive inside, negative outside; its sign and being near to zero are what counts."""
    return (sizes / 2 - np.abs(p)).min(axis=1)


def sphere_depth(p, sizes):
    return sizes[0] - np.linalg.norm(p, axis=1)


def capsule_depth(p, sizes):
    nearest = p.copy()
    nearest[:, 2] -= np.clip(p[:, 2], -sizes[1] / 2, sizes[1] / 2)
    return sizes[0] - np.linalg.norm(nearest, axis=1)


SOLID = {
    "box": (BoxCollider, 3, box_surface, box_depth),
    "sphere": (SphereCollider, 1, sphere_surface, sphere_depth),
    "capsule": (CapsuleCollider, 2, capsule_surface, capsule_depth),
}


def expected(surface, depth, o, d, sizes):
    """First distance of each ray, infinite for none; zero for those that start inside."""
    times = surface(o, d, sizes)
    with np.errstate(all="ignore"):
        first = np.nanmin(np.where(times >= 0, times, np.inf), axis=0)
    return np.where(depth(o, sizes) >= 0, 0.0, first)


@pytest.mark.parametrize("name", SOLID)
@many
@given(seed=SEEDS)
def test_rays_and_points_in_space(cases, placed, name, seed):
    """Points in the shape; rays with their distances, normals and whether they start inside."""
    make, columns, surface, depth = SOLID[name]
    case = cases(seed)
    sizes, pose = case.sizes(1, columns)[0], case.poses(1, 3)
    one = placed([make(*sizes)], pose)
    origins = case.numbers(-3, 3, (COUNT, 3)) + pose[0, :3] * case.random.integers(2)
    directions = case.numbers(-1, 1, (COUNT, 3))
    directions[~directions.any(axis=1)] = 1.0
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    turn = Rotation.from_quat(pose[0, 3:])
    o, d = turn.inv().apply(origins - pose[0, :3]), turn.inv().apply(directions)

    sure = np.abs(depth(o, sizes)) > MARGIN
    inside = depth(o, sizes) > 0
    assert np.array_equal(one.contains_points(origins)[sure, 0], inside[sure])

    near, far = (expected(surface, depth, o, d, sizes + by) for by in (MARGIN, -MARGIN))
    with np.errstate(invalid="ignore"):
        sure &= (near == far) | (np.abs(near - far) < 1e-3)  # neither grazing nor along a face
    assert sure.mean() > 0.8
    hits = one.raycast(origins, directions)
    distance = expected(surface, depth, o, d, sizes)
    assert np.array_equal(hits.ids[sure] == 0, distance[sure] < np.inf)
    met = np.flatnonzero(sure & (hits.ids == 0))
    assert np.allclose(hits.distances[met], distance[met], rtol=0, atol=1e-7)
    reached = origins[met] + hits.distances[met, np.newaxis] * directions[met]
    assert np.allclose(hits.points[met], reached)
    assert np.array_equal(hits.inside[sure], inside[sure])
    assert np.isnan(hits.normals[hits.inside]).all()
    outer = met[~inside[met]]
    normals = hits.normals[outer]
    assert np.allclose(np.linalg.norm(normals, axis=1), 1)
    assert ((normals * directions[outer]).sum(axis=1) < 1e-6).all()
    # One step along the normal leaves the shape by as much.
    step = turn.inv().apply(hits.points[outer] + 1e-3 * normals - pose[0, :3])
    assert np.allclose(depth(step, sizes), -1e-3, atol=2e-6)


FLAT = {
    "rectangle": (lambda: RectangleCollider(2, 1), shapely.box(-1, -0.5, 1, 0.5)),
    "ring": (lambda: GeometryCollider(RING), RING),
    "wall": (lambda: GeometryCollider(WALL), WALL),
}


@pytest.mark.parametrize("name", FLAT)
@many
@given(seed=SEEDS)
def test_rays_and_points_in_the_plane(cases, placed, name, seed):
    """Rays as lines of shapely: the nearest point of what they share with the shape."""
    make, shape = FLAT[name]
    case = cases(seed)
    poses, [[x, y, yaw]] = case.flat_poses(1, 3)
    one = placed([make()], poses)
    count = COUNT // 2 if name == "wall" else COUNT
    o, d = case.numbers(-4, 4, (count, 2)), case.numbers(-1, 1, (count, 2))
    d[~d.any(axis=1)] = 1.0
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    cos, sin = np.cos(yaw), np.sin(yaw)
    turn = np.array([[cos, sin], [-sin, cos]])
    origins, directions = o @ turn + [x, y], d @ turn

    starts = shapely.points(o)
    if shape.area:
        sure = shapely.distance(shape.boundary, starts) > MARGIN
        inside = shapely.contains_xy(shape, o)
        assert np.array_equal(one.contains_points(origins)[sure, 0], inside[sure])
    else:
        sure = shapely.distance(shape, starts) > MARGIN
        inside = np.zeros(count, dtype=bool)

    lines = shapely.linestrings(np.stack([o, o + 20 * d], axis=1))
    corners = shapely.points(shapely.get_coordinates(shape))
    sure &= (shapely.distance(corners, lines[:, np.newaxis]) > MARGIN).all(axis=1)
    assert sure.mean() > 0.4
    with np.errstate(invalid="ignore"):  # stray flags of GEOS before 3.12
        distance = shapely.distance(shapely.intersection(shape, lines), starts)
    hits = one.raycast(origins, directions)
    assert np.array_equal(hits.ids[sure] == 0, ~np.isnan(distance[sure]))
    met = sure & (hits.ids == 0)
    assert np.allclose(hits.distances[met], distance[met], rtol=0, atol=1e-7)
    assert np.array_equal(hits.inside[sure], inside[sure])
    outer = met & ~inside
    assert np.allclose(np.linalg.norm(hits.normals[outer], axis=1), 1)
    assert ((hits.normals * directions)[outer].sum(axis=1) < 1e-6).all()

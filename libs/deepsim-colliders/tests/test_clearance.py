# SPDX-License-Identifier: Apache-2.0
"""Clearances and moving balls of sets against coal in 3D and shapely in 2D."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    Collider2D,
    Collider3D,
    ColliderSet,
    CompoundCollider,
    CylinderCollider,
    GeometryCollider,
    MeshCollider,
    PlaneCollider,
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import Pose

SEEDS = st.integers(0, 2**32 - 1)
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6)]
FACES += [(0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
WALL = shapely.LineString([(-1, 0), (0, 1), (2, 0)])
RING = shapely.box(-2, -1, 2, 1) - shapely.box(-1, -0.5, 1, 0.5)


class OwnBox(Collider3D):
    """A rounded box, which defines its farthest points and its margin."""

    margin = 0.25

    def __init__(self, half):
        super().__init__()
        self.half = half

    def support_point(self, direction):
        return tuple(np.copysign(self.half, direction).tolist())


class Stadium(Collider2D):
    """All points within half a metre of a line, which it defines."""

    margin = 0.5

    def core(self):
        return shapely.LineString([(-1, 0), (1, 0)])


def solids(coal, x, y, z):
    """One collider of each kind, the same shape of coal, and the radius that it lacks."""
    box = coal.Box(2 * x, 2 * y, 2 * z)
    return [
        (BoxCollider(2 * x, 2 * y, 2 * z), box, 0.0),
        (SphereCollider(x), coal.Sphere(x), 0.0),
        (CapsuleCollider(x, 2 * z), coal.Capsule(x, 2 * z), 0.0),
        (CylinderCollider(x, 2 * z), coal.Cylinder(x, 2 * z), 0.0),
        (PlaneCollider(), coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0), 0.0),
        (MeshCollider(CORNERS * [x, y, z], FACES), box, 0.0),
        (OwnBox((x, y, z)), box, 0.25),
    ]


def between(coal, shape, turn, ball, center, rotation=None):
    """Distance of two shapes of coal, negative where they overlap."""
    there = coal.Transform3s(np.eye(3) if rotation is None else rotation, center)
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-10
    return coal.distance(shape, turn, ball, there, request, coal.DistanceResult())


@pytest.fixture(scope="module")
def coal():
    return pytest.importorskip("coal", reason="coal has no wheel here")


@settings(max_examples=8, deadline=None)
@given(seed=SEEDS)
def test_points_balls_and_capsules_in_space_as_coal(cases, coal, seed):
    """In two worlds, each nearest collider and its distance, for shapes of all kinds."""
    case = cases(seed)
    shapes = solids(coal, *case.sizes(1, 3, high=1.5)[0])
    poses = case.poses(2 * len(shapes), 4.0).reshape(2, len(shapes), 7)
    poses[:, 4, 2] = -5.0  # the ground, mostly below
    together = ColliderSet([collider for collider, _, _ in shapes], worlds=2)
    together.update(poses)
    starts = case.numbers(-5, 5, (2, 12, 3))
    steps, radii = case.numbers(-2, 2, (2, 12, 3)) + 1e-3, case.sizes(12, 1, 0.0, 1.0)[:, 0]
    points = together.clearance(starts)
    balls = together.clearance(starts, radius=radii)
    capsules = together.clearance(starts, starts + steps, radius=radii)
    for world in range(2):
        turns = [
            coal.Transform3s(Rotation.from_quat(pose[3:]).as_matrix(), pose[:3])
            for pose in poses[world]
        ]
        for k, (start, step, radius) in enumerate(zip(starts[world], steps[world], radii)):
            length = float(np.linalg.norm(step))
            rotation = Rotation.align_vectors(step, [0, 0, length])[0].as_matrix()
            for found, size, end in (
                (points, 0.0, None),
                (balls, radius, None),
                (capsules, radius, step),
            ):
                # Coal's distances are exact where cores are apart, so the balls are points here.
                if end is None:
                    body, center, around = coal.Sphere(0.0), start, None
                else:
                    body, center, around = coal.Capsule(0.0, length), start + step / 2, rotation
                expected = [
                    max(between(coal, shape, turn, body, center, around) - lacking - size, 0.0)
                    for (_, shape, lacking), turn in zip(shapes, turns)
                ]
                assert found.distances[world, k] == pytest.approx(min(expected), abs=2e-6)
                assert expected[found.ids[world, k]] == pytest.approx(min(expected), abs=2e-6)


@settings(max_examples=8, deadline=None)
@given(seed=SEEDS)
def test_balls_that_move_in_space_as_coal(cases, coal, seed):
    """They touch a collider where they stop, and none before."""
    case = cases(seed)
    shapes = solids(coal, *case.sizes(1, 3, high=1.5)[0])
    poses = case.poses(len(shapes), 3.0)
    together = ColliderSet([collider for collider, _, _ in shapes])
    together.update(poses)
    origins, directions = case.numbers(-6, 6, (16, 3)), case.numbers(-1, 1, (16, 3))
    directions[~directions.any(axis=1)] = 1.0
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radii = case.sizes(16, 1, 0.0, 1.0)[:, 0]
    hits = together.spherecast(origins, directions, radii, max_distance=12.0)
    turns = [coal.Transform3s(Rotation.from_quat(p[3:]).as_matrix(), p[:3]) for p in poses]

    def gaps(center, radius):
        ball = coal.Sphere(0.0)
        return [
            between(coal, shape, turn, ball, center) - lacking - radius
            for (_, shape, lacking), turn in zip(shapes, turns)
        ]

    for origin, direction, radius, number, distance, point, normal, inside in zip(
        origins, directions, radii, *(hits[k] for k in (0, 1, 2, 3, 4))
    ):
        end = 0.0 if inside else min(distance, 12.0)
        for part in np.linspace(0, 1, 20)[:-1]:
            free = min(gaps(origin + part * end * direction, radius)) > -2e-6
            assert free or inside
        if number < 0:
            assert distance == np.inf
            continue
        center = origin + distance * direction
        assert inside == (distance == 0.0)
        if inside:
            assert gaps(center, radius)[number] <= 2e-6
            continue
        assert gaps(center, radius)[number] == pytest.approx(0.0, abs=2e-6)
        assert np.linalg.norm(center - point) == pytest.approx(radius, abs=2e-6)
        assert normal @ direction < 1e-6
        if radius > 1e-3:
            assert normal == pytest.approx((center - point) / radius, abs=1e-5)


def flat_shapes():
    """One collider of each kind on the ground, the same geometry, and the radius that it lacks."""
    bar = shapely.box(-1, -0.5, 1, 0.5)
    return [
        (RectangleCollider(2, 1), bar, 0.0),
        (CircleCollider(0.7), shapely.Point(0, 0), 0.7),
        (GeometryCollider(RING), RING, 0.0),
        (GeometryCollider(WALL), WALL, 0.0),
        (Stadium(), shapely.LineString([(-1, 0), (1, 0)]), 0.5),
        (CompoundCollider([RectangleCollider(2, 1)]), bar, 0.0),
    ]


def moved(shape, x, y, yaw):
    turned = shapely.affinity.rotate(shape, yaw, (0, 0), use_radians=True)
    return shapely.affinity.translate(turned, x, y)


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS)
def test_points_discs_and_stadiums_on_the_ground_as_shapely(cases, seed):
    """Each nearest collider and its distance."""
    case = cases(seed)
    poses, places = case.flat_poses(6, 5.0)
    together = ColliderSet([collider for collider, _, _ in flat_shapes()])
    together.update(poses)
    shapes = [moved(shape, *place) for (_, shape, _), place in zip(flat_shapes(), places)]
    lacking = np.array([each[2] for each in flat_shapes()])
    starts, steps = case.numbers(-6, 6, (40, 2)), case.numbers(-2, 2, (40, 2)) + 1e-3
    radii = case.sizes(40, 1, 0.0, 1.0)[:, 0]
    lines = shapely.linestrings(np.stack([starts, starts + steps], axis=1))
    for found, bodies, sizes in (
        (together.clearance(starts), shapely.points(starts), 0 * radii),
        (together.clearance(starts, radius=radii), shapely.points(starts), radii),
        (together.clearance(starts, starts + steps, radius=radii), lines, radii),
    ):
        gaps = shapely.distance(np.array(shapes), bodies[:, np.newaxis]) - lacking
        expected = np.maximum(gaps - sizes[:, np.newaxis], 0.0)
        assert found.distances == pytest.approx(expected.min(axis=1), abs=1e-9)
        nearest = np.take_along_axis(expected, found.ids[:, np.newaxis], axis=1)[:, 0]
        assert nearest == pytest.approx(expected.min(axis=1), abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS)
def test_discs_that_move_on_the_ground_as_shapely(cases, seed):
    """They touch a collider where they stop, and none on the line before."""
    case = cases(seed)
    poses, places = case.flat_poses(6, 4.0)
    together = ColliderSet([collider for collider, _, _ in flat_shapes()])
    together.update(poses)
    shapes = np.array([moved(shape, *place) for (_, shape, _), place in zip(flat_shapes(), places)])
    lacking = np.array([each[2] for each in flat_shapes()])
    origins, directions = case.numbers(-6, 6, (40, 2)), case.random.normal(size=(40, 2))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    radii = case.sizes(40, 1, 0.05, 1.0)[:, 0]
    hits = together.spherecast(origins, directions, radii, max_distance=9.0)
    ends = np.minimum(hits.distances, 9.0)[:, np.newaxis]
    before = np.stack([origins, origins + (ends - 1e-6) * directions], axis=1)
    free = np.flatnonzero(ends[:, 0] > 1e-5)
    gaps = shapely.distance(shapes, shapely.linestrings(before[free])[:, np.newaxis]) - lacking
    assert (gaps.min(axis=1) >= radii[free] - 1e-9).all()
    met = np.flatnonzero(hits.ids >= 0)
    assert met.size > 3
    centers = origins[met] + hits.distances[met, np.newaxis] * directions[met]
    gaps = shapely.distance(shapes[hits.ids[met]], shapely.points(centers)) - lacking[hits.ids[met]]
    assert (gaps <= radii[met] + 1e-8).all()
    outer = ~hits.inside[met]
    assert gaps[outer] == pytest.approx(radii[met][outer], abs=1e-8)
    away = centers[outer] - hits.points[met][outer]
    assert hits.normals[met][outer] * radii[met][outer, np.newaxis] == pytest.approx(away, abs=1e-7)


def test_by_hand():
    """A limit hides what is farther; a disabled or lost collider is not near; worlds are apart."""
    box, ball = BoxCollider(2, 2, 2), SphereCollider(1)
    both = ColliderSet([box, ball], worlds=2)
    poses = np.zeros((2, 2, 7))
    poses[..., 6], poses[:, 1, 0], poses[1, 0, 0] = 1.0, 10.0, np.nan
    both.update(poses)
    near = both.clearance([[(4, 0, 0)], [(4, 0, 0)]])
    assert near.ids.tolist() == [[0], [1]]
    assert near.distances.tolist() == [[3.0], [5.0]]
    near = both.clearance([[(4, 0, 0)], [(4, 0, 0)]], radius=0.5, max_distance=2.5)
    assert near.ids.tolist() == [[0], [-1]]
    assert near.distances.tolist() == [[2.5], [np.inf]]
    ball.disable()
    both.update()
    assert both.clearance((12, 0, 0)).ids.tolist() == [0, 0]
    assert both.clearance(np.zeros((2, 0, 3))).distances.shape == (2, 0)
    assert both.clearance((np.nan, 0, 0)).ids.tolist() == [-1, -1]
    assert both.spherecast((-9, 0, 0), (1, 0, 0), 0.5).distances.tolist() == [7.5, 7.5]
    assert both.spherecast((-9, 0, 0), (1, 0, 0), 0.5, max_distance=7).ids.tolist() == [-1, -1]


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
def test_far_away_a_moving_ball_meets_a_box_all_the_same(far):
    """As well as float64 can tell such places apart."""
    box = ColliderSet([BoxCollider(2, 2, 2, pose_offset=Pose((far, 0, 0)))])
    hits = box.spherecast([(0, 0.5, 0), (0, 1.5, 1.5), (0, 1.4, 0), (0, 1.6, 0)], (1, 0, 0), 0.5)
    step = 1e-15 * far + 1e-9
    assert hits.ids.tolist() == [0, -1, 0, -1]
    expected = [far - 1.5, np.inf, far - 1.3, np.inf]
    assert hits.distances[[0, 2]] == pytest.approx([expected[0], expected[2]], abs=10 * step)
    assert box.clearance((0, 0, 0)).distances == pytest.approx(far - 1.0, abs=step)

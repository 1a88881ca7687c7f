# SPDX-License-Identifier: Apache-2.0
"""Rays: against hand-worked cases, closed forms, shapely, and the colliders' own `contains`."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shapely import affinity

from deepsim_colliders import (
    BoxCollider,
    CapsuleCollider,
    CircleCollider,
    Collider2D,
    CompoundCollider,
    GeometryCollider,
    Hit,
    RectangleCollider,
    SphereCollider,
)
from deepsim_math import Euler, Point, Pose, Ray, Vector3

ANGLES = st.one_of(
    st.integers(-4, 4).map(lambda n: n * math.pi / 4), st.floats(-4, 4).map(lambda x: round(x, 4))
)
PLACES = st.floats(-3, 3).map(lambda x: round(x, 4))
TRIPLES = st.tuples(PLACES, PLACES, PLACES)
POSES = st.builds(lambda p, e: Pose(p, Euler(*e)), TRIPLES, st.tuples(ANGLES, ANGLES, ANGLES))
RAYS = st.builds(Ray, TRIPLES, TRIPLES.filter(lambda v: math.hypot(v[0], v[1]) > 1e-2))

RING = shapely.Polygon([(-3, -2), (3, -2), (3, 2), (-3, 2)], [[(-2, -1), (2, -1), (2, 1), (-2, 1)]])


class Stadium(Collider2D):
    """All points within half a metre of a line, which it defines."""

    margin = 0.5

    def core(self):
        return shapely.LineString([(-1, 0), (1, 0)])


FLAT = {
    "rectangle": lambda: RectangleCollider(2, 1),
    "own stadium": Stadium,
    "circle": lambda: CircleCollider(1),
    "ring": lambda: GeometryCollider(RING),
    "islands": lambda: GeometryCollider(
        shapely.MultiPolygon([shapely.box(-3, -3, -1, -1), shapely.box(0.5, 0.5, 3, 3)])
    ),
}
SOLID = {
    "box": lambda: BoxCollider(2, 1, 3),
    "sphere": lambda: SphereCollider(1),
    "capsule": lambda: CapsuleCollider(1, 2),
    "compound": lambda: CompoundCollider(
        [
            BoxCollider(2, 1, 1),
            SphereCollider(0.6, pose_offset=Pose((1, 0, 0))),
            CapsuleCollider(0.3, 2, pose_offset=Pose((2, 2, 0))),
        ]
    ),
}
ALL = {**FLAT, **SOLID}
SQRT2 = math.sqrt(2)

# collider, ray, distance, normal, exit; None for no hit
CLEAR = [
    ("box", ((-5, 0, 0), (1, 0, 0)), (4, (-1, 0, 0), 6)),
    ("box", ((5, 0.51, 0), (-1, 0, 0)), None),
    ("box", ((0, -2.5, -2), (0, 1, 1)), (2 * SQRT2, (0, -1, 0), 3 * SQRT2)),
    ("box", ((-5, 0, 0), (-1, 0, 0)), None),
    ("sphere", ((0, 0, 5), (0, 0, -1)), (4, (0, 0, 1), 6)),
    ("sphere", ((5, 0, 0), (1, 0, 0)), None),
    ("sphere", ((5, 1.0001, 0), (-1, 0, 0)), None),
    ("capsule", ((5, 0, 0.5), (-1, 0, 0)), (4, (1, 0, 0), 6)),
    ("capsule", ((0, 0, 9), (0, 0, -1)), (7, (0, 0, 1), 11)),
    ("capsule", ((0, 5, 2), (0, -1, 0)), (5, (0, 0, 1), 5)),
    ("capsule", ((5, 0, 1.6), (-1, 0, 0)), (4.2, (0.8, 0, 0.6), 5.8)),
    ("capsule", ((5, 0, 0), (1, 0, 0)), None),
    ("capsule", ((5, 1.001, 0), (-1, 0, 0)), None),
    ("compound", ((-5, 0, 0), (1, 0, 0)), (4, (-1, 0, 0), 6.6)),
    ("compound", ((5, 0, 0), (-1, 0, 0)), (3.4, (1, 0, 0), 6)),
    ("compound", ((2, 5, 0), (0, -1, 0)), (2.7, (0, 1, 0), 3.3)),
    ("circle", ((5, 0, 77), (-1, 0, 0)), (4, (1, 0, 0), 6)),
    ("circle", ((3, 0, 0), (-1, 0, 1)), (2 * SQRT2, (1, 0, 0), 4 * SQRT2)),
    ("circle", ((3, 0, 0), (0, 0, 1)), None),
    ("rectangle", ((0, -4, 0), (0, 1, 0)), (3.5, (0, -1, 0), 4.5)),
    ("own stadium", ((-4, 0, 0), (1, 0, 0)), (2.5, (-1, 0, 0), 5.5)),
    ("rectangle", ((1.01, -4, 0), (0, 1, 0)), None),
    ("ring", ((-5, 0, 0), (1, 0, 0)), (2, (-1, 0, 0), 3)),
    ("ring", ((0, 0, 0), (1, 0, 0)), (2, (-1, 0, 0), 3)),
    ("ring", ((0, 0, 0), (0, -1, 0)), (1, (0, 1, 0), 2)),
    ("ring", ((-5, 2.1, 0), (1, 0, 0)), None),
    ("ring", ((5, 0, 0), (1, 0, 0)), None),
    ("ring", ((0, 0, 5), (0, 0, -1)), None),
    ("islands", ((5, 5, 0), (-1, -1, 0)), (2 * SQRT2, None, 4.5 * SQRT2)),
    ("islands", ((0, 0, 0), (-1, -1, 0)), (SQRT2, None, 3 * SQRT2)),
]
GRAZING = [  # once turned, rounding decides
    ("box", ((5, 0.5, 1.5), (-1, 0, 0)), (4, (1, 0, 0), 6)),
    ("sphere", ((5, 1, 0), (-1, 0, 0)), (5, (0, 1, 0), 5)),
    ("rectangle", ((1, -4, 0), (0, 1, 0)), (3.5, (0, -1, 0), 4.5)),
    ("ring", ((-5, 2, 0), (1, 0, 0)), (2, (-1, 0, 0), 8)),
]
INSIDE = [
    ("box", ((0, 0, 0), (1, 0, 0)), 1),
    ("box", ((1, 0, 0), (1, 0, 0)), 0),
    ("box", ((1, 0, 0), (-1, 0, 0)), 2),
    ("sphere", ((0.5, 0, 0), (1, 0, 0)), 0.5),
    ("sphere", ((1, 0, 0), (1, 0, 0)), 0),
    ("sphere", ((1, 0, 0), (0, 1, 0)), 0),
    ("capsule", ((0, 0, 0), (0, 0, 1)), 2),
    ("capsule", ((0, 0, 2), (1, 0, 0)), 0),
    ("compound", ((0, 0, 0), (1, 0, 0)), 1.6),
    ("compound", ((1, 0, 0), (-1, 0, 0)), 2),
    ("circle", ((0, 0, 3), (0, 0, -1)), math.inf),
    ("own stadium", ((1, 0.3, 3), (0, 0, -1)), math.inf),
    ("circle", ((0, 0, 0), (1, 0, 1)), SQRT2),
    ("rectangle", ((0, 0, 0), (0, 0, 1)), math.inf),
    ("rectangle", ((0, 0, 0), (0, 1, 0)), 0.5),
    ("ring", ((2.5, 0, 0), (0, 0, 1)), math.inf),
    ("ring", ((2.5, 0, 0), (-1, 0, 0)), 0.5),
    ("ring", ((2.5, 0, 0), (0, 1, 0)), 2),
    ("ring", ((3, 0, 0), (1, 0, 0)), 0),
    ("ring", ((-3, 2, 0), (1, 0, 0)), 6),
]


@pytest.mark.parametrize(
    ("motion", "name", "ray", "expected"),
    [
        *((Pose(), *case) for case in CLEAR + GRAZING),
        *((Pose((4, -5, 6), Euler(0, 0, 2)), *case) for case in CLEAR),
    ],
)
def test_by_hand(motion, name, ray, expected):
    """Where it enters, through which face, and where it leaves; and the same elsewhere."""
    collider = ALL[name]()
    collider.pose_offset = motion
    origin, direction = ray
    ray = Ray(motion.transform_point(origin), motion.transform_vector(direction))
    hit = collider.raycast(ray)
    if expected is None:
        assert hit is None
        return
    distance, normal, leaves = expected
    assert isinstance(hit, Hit)
    assert hit.collider is collider
    assert not hit.inside
    assert hit.distance == pytest.approx(distance)
    assert hit.exit_distance == pytest.approx(leaves)
    assert hit.point.isclose(ray.get_point(distance))
    if normal is not None:
        assert hit.normal.isclose(motion.transform_vector(normal))


@pytest.mark.parametrize(("name", "ray", "leaves"), INSIDE)
def test_from_inside_by_hand(name, ray, leaves):
    """The distance is 0, there is no normal; the surface counts as inside."""
    hit = ALL[name]().raycast(Ray(*ray))
    assert hit.inside
    assert hit.distance == 0
    assert hit.normal is None
    assert hit.point == Point(*ray[0])
    assert hit.exit_distance == pytest.approx(leaves, abs=1e-12)


@pytest.mark.parametrize("name", ["box", "sphere", "circle", "ring"])
def test_a_ray_that_starts_touching_from_outside_leaves_at_once(name):
    """Within the distance that counts as touching, distances stay at zero."""
    edge = 3 if name == "ring" else 1
    hit = ALL[name]().raycast(Ray((edge + 5e-10, 0, 0), (1, 0, 0)))
    assert (hit.inside, hit.distance, hit.exit_distance) == (True, 0.0, 0.0)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=30)
@given(pose=POSES, ray=RAYS)
def test_a_hit_is_where_the_ray_enters_and_leaves(name, pose, ray):
    """`contains` along the ray agrees: outside before, inside between, outside behind."""
    collider = ALL[name]()
    collider.pose_offset = pose
    hit = collider.raycast(ray)
    steps = np.linspace(0, 15, 200)
    points = np.asarray(ray.origin) + steps[:, np.newaxis] * np.asarray(ray.direction)
    within = collider.contains_points(points)
    if hit is None:
        assert not within.any()
        return
    assert hit.collider is collider
    assert hit.inside is collider.contains(ray.origin)
    assert 0 <= hit.distance <= hit.exit_distance
    assert hit.point.isclose(ray.get_point(hit.distance))
    assert collider.contains(hit.point)
    margin = 1e-6
    assert not within[steps < hit.distance - margin].any()
    assert within[(steps > hit.distance + margin) & (steps < hit.exit_distance - margin)].all()
    assert collider.contains(ray.get_point(hit.exit_distance))
    if hit.inside:
        assert hit.normal is None
    else:
        assert hit.normal.length == pytest.approx(1)
        assert hit.normal.dot(ray.direction) < 1e-6


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=30)
@given(pose=POSES, origin=TRIPLES, seed=st.integers(0, 2**32 - 1))
def test_a_ray_aimed_at_a_point_inside_hits(name, pose, origin, seed):
    """At that point or before."""
    collider = ALL[name]()
    places = np.random.default_rng(seed).uniform(-3, 3, (500, 3))
    place = places[collider.contains_points(places)][0]
    pose = Pose(pose.position, Euler(0, 0, pose.orientation.to_euler().yaw))
    collider.pose_offset = pose
    target = pose.transform_point(place)
    reach = target.distance(origin)
    assume(math.hypot(target.x - origin[0], target.y - origin[1]) > 1e-2)
    hit = collider.raycast(Ray(origin, target - Point(*origin)))
    assert hit is not None
    assert hit.distance <= reach + 1e-6


def test_walls_are_hit_from_both_sides_and_end_on():
    wall = GeometryCollider(shapely.LineString([(0, -1), (0, 1)]))
    for origin, direction in (((-2, 0.5, 0), (1, 0, 0)), ((2, 0.5, 0), (-1, 0, 0))):
        hit = wall.raycast(Ray(origin, direction))
        assert (hit.distance, hit.exit_distance) == (2, 2)
        assert hit.normal == -Vector3(*direction)
    end_on = wall.raycast(Ray((0, -4, 0), (0, 1, 0)))
    assert (end_on.distance, end_on.exit_distance) == (3, 5)
    assert end_on.normal == Vector3(0, -1, 0)
    assert wall.raycast(Ray((-2, 1.01, 0), (1, 0, 0))) is None


@pytest.mark.parametrize("yaw", np.linspace(0, 7, 40))
def test_no_ray_slips_through_a_corner(yaw):
    """Aimed at the vertices of a polygon from outside, at any angle."""
    pose = Pose((1, 2, 0), Euler(0, 0, yaw))
    collider = GeometryCollider(RING, pose_offset=pose)
    for corner in ((3, 2, 0), (-3, 2, 0), (-3, -2, 0), (3, -2, 0)):
        at = pose.transform_point(corner)
        away = pose.transform_point(np.multiply(corner, 3))
        hit = collider.raycast(Ray(away, at - away))
        assert hit is not None
        assert hit.point.isclose(at, abs_tol=1e-6)


def test_hits_are_ordered_by_distance():
    """The nearest of several colliders is found by `min`, the order by `sorted`."""
    ray = Ray((-5, 0, 0), (1, 0, 0))
    far, near = SphereCollider(1), BoxCollider(6, 1, 1)
    hits = [far.raycast(ray), near.raycast(ray)]
    assert min(hits).collider is near
    assert max(hits).collider is far
    assert [hit.distance for hit in sorted(hits)] == [2, 4]


@given(data=st.data())
def test_the_first_piece_in_a_geometry_is_that_of_shapely(data):
    """A ray across rings and lines enters and leaves as the same line of shapely does."""
    turn, shift = data.draw(st.floats(0.0, 6.0)), data.draw(st.floats(-9.7, 9.7))
    area = shapely.Point(0, 0).buffer(10) - shapely.Point(1, 0).buffer(7)
    area = area.union(shapely.Point(1, 0).buffer(3))
    ours = GeometryCollider(area, pose_offset=Pose((5, -2, 0), Euler(0, 0, turn)))
    moved = affinity.translate(affinity.rotate(area, turn, (0, 0), use_radians=True), 5, -2)
    line = shapely.LineString([(-15, -2 + shift), (30, -2 + shift)])
    pieces = shapely.get_parts(shapely.intersection(moved, line))
    assume(all(piece.length > 1e-3 for piece in pieces))
    start, end = min((piece.bounds[0] + 15, piece.bounds[2] + 15) for piece in pieces)
    hit = ours.raycast(Ray((-15, -2 + shift, 0), (1, 0, 0)))
    assert hit.distance == pytest.approx(start, abs=1e-6)
    assert hit.exit_distance == pytest.approx(end, abs=1e-6)
    assert hit.normal.x < 0.0
    inside = ours.raycast(Ray((-15 + 0.5 * (start + end), -2 + shift, 0), (1, 0, 0)))
    assert (inside.inside, inside.distance) == (True, 0.0)
    assert inside.exit_distance == pytest.approx(0.5 * (end - start), abs=1e-6)

# SPDX-License-Identifier: Apache-2.0
"""2D colliders against each other, with shapely on world geometry as the judge."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shapely import affinity

from deepsim_colliders import CircleCollider, GeometryCollider, RectangleCollider
from deepsim_math import Euler, Pose

GAP = 1e-3  # nearer than this to touching, the judge's polygon for a circle may differ
ANGLES = st.one_of(
    st.integers(-4, 4).map(lambda n: n * math.pi / 4), st.floats(-4, 4).map(lambda x: round(x, 4))
)
PLACES = st.floats(-3, 3).map(lambda x: round(x, 4))
POSES = st.tuples(PLACES, PLACES, ANGLES)
SIZES = st.floats(0.2, 4).map(lambda x: round(x, 4))
SHAPES = {
    "ring": shapely.Polygon(
        [(-3, -2), (3, -2), (3, 2), (-3, 2)], [[(-2, -1), (2, -1), (2, 1), (-2, 1)]]
    ),
    "corner": shapely.Polygon([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)]),
    "islands": shapely.MultiPolygon([shapely.box(-3, -3, -1, -1), shapely.box(0.5, 0.5, 3, 3)]),
    "wall": shapely.LineString([(-2, 0), (0, 1), (2, 0)]),
    "walls": shapely.MultiLineString([[(-2, -1), (2, -1)], [(-2, 1), (2, 1)]]),
    "loop": shapely.LinearRing([(0, 0), (2, 0), (0, 2)]),
}


def posed(collider, pose):
    x, y, yaw = pose
    collider.pose_offset = Pose((x, y, 5.0), Euler(0, 0, yaw))
    return collider


def circle(size, other_size, pose):
    return posed(CircleCollider(size), pose), shapely.Point(pose[:2]).buffer(size, 512)


def rectangle(size, other_size, pose):
    area = shapely.box(-size / 2, -other_size / 2, size / 2, other_size / 2)
    return posed(RectangleCollider(size, other_size), pose), moved(area, pose)


def geometry(name):
    def make(size, other_size, pose):
        return posed(GeometryCollider(SHAPES[name]), pose), moved(SHAPES[name], pose)

    return make


def moved(shape, pose):
    x, y, yaw = pose
    turned = affinity.rotate(shape, yaw, origin=(0, 0), use_radians=True)
    return affinity.translate(turned, x, y)


def judged(shape, other, predicate):
    """Answer of shapely, where a little more or less of the shape would not change it."""
    with np.errstate(invalid="ignore"):  # stray flags of GEOS before 3.12
        expected = bool(predicate(shape, other))
        assume(expected == predicate(shape.buffer(GAP), other))
        if shape.area and other.area:
            assume(expected == predicate(shape.buffer(-GAP), other))
    return expected


MAKERS = {"circle": circle, "rectangle": rectangle, **{name: geometry(name) for name in SHAPES}}
PAIRS = [(a, b) for a in MAKERS for b in MAKERS]


@pytest.mark.parametrize(("first", "second"), PAIRS)
@settings(max_examples=10)
@given(a=POSES, b=POSES, sizes=st.tuples(SIZES, SIZES, SIZES, SIZES))
def test_intersects_as_shapely_does(first, second, a, b, sizes):
    """Both ways round, wherever rounding does not decide."""
    collider, shape = MAKERS[first](sizes[0], sizes[1], a)
    other, other_shape = MAKERS[second](sizes[2], sizes[3], b)
    expected = judged(shape, other_shape, shapely.intersects)
    assert collider.intersects(other) is expected
    assert other.intersects(collider) is expected


@pytest.mark.parametrize(("first", "second"), PAIRS)
@settings(max_examples=10)
@given(a=POSES, b=POSES, sizes=st.tuples(SIZES, SIZES, SIZES, SIZES))
def test_contains_as_shapely_does(first, second, a, b, sizes):
    """Also: what is contained intersects."""
    near = (a[0] + b[0] / 6, a[1] + b[1] / 6, b[2])
    collider, shape = MAKERS[first](sizes[0], sizes[1], a)
    other, other_shape = MAKERS[second](sizes[2] / 3, sizes[3] / 3, near)
    expected = judged(shape, other_shape, shapely.covers)
    assert collider.contains(other) is expected
    assert not expected or collider.intersects(other)


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=10)
@given(pose=POSES, sizes=st.tuples(SIZES, SIZES))
def test_a_collider_contains_and_intersects_itself(name, pose, sizes):
    """At every angle: containment is that of closed sets."""
    collider, _ = MAKERS[name](*sizes, pose)
    twin, _ = MAKERS[name](*sizes, pose)
    for other in (collider, twin):
        assert collider.contains(other)
        assert collider.intersects(other)


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=10)
@given(pose=POSES, sizes=st.tuples(SIZES, SIZES), seed=st.integers(0, 2**32 - 1))
def test_points_as_shapely_does(name, pose, sizes, seed):
    """One at a time and in batch; the boundary is tested apart."""
    collider, shape = MAKERS[name](*sizes, pose)
    points = np.random.default_rng(seed).uniform(-6, 6, (50, 3))
    points = points[shapely.distance(shape.boundary, shapely.points(points[:, :2])) > GAP]
    expected = shapely.intersects_xy(shape, points[:, 0], points[:, 1])
    assert np.array_equal(collider.contains_points(points), expected)
    assert np.array_equal(collider.contains_points(points[:, :2]), expected)
    assert [collider.contains(point) for point in points[:5]] == expected[:5].tolist()


@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=10)
@given(pose=POSES, sizes=st.tuples(SIZES, SIZES), seed=st.integers(0, 2**32 - 1))
def test_points_of_the_boundary_belong_to_the_collider(name, pose, sizes, seed):
    """At every angle: they are turned with the collider, which leaves them off by rounding."""
    collider, shape = MAKERS[name](*sizes, pose)
    lines = shape.boundary if shape.area else shape
    along = np.random.default_rng(seed).uniform(0, lines.length, 20)
    points = shapely.get_coordinates(shapely.line_interpolate_point(lines, along))
    if name == "circle":
        angles = np.random.default_rng(seed).uniform(0, 7, 20)
        points = np.stack([np.cos(angles), np.sin(angles)], -1) * collider.radius + pose[:2]
    assert collider.contains_points(points).all()
    assert all(collider.contains(point) for point in points[:5])


@pytest.mark.parametrize(
    ("outer", "inner", "inside"),
    [
        (CircleCollider(2), CircleCollider(1, pose_offset=Pose((1, 0, 0))), True),
        (CircleCollider(5), RectangleCollider(8, 6), True),
        (CircleCollider(4.999999), RectangleCollider(8, 6), False),
        (RectangleCollider(2, 2), CircleCollider(1), True),
        (GeometryCollider(shapely.box(-1, -1, 1, 1)), CircleCollider(1), True),
        (GeometryCollider(shapely.box(-1, -1, 1, 1)), CircleCollider(1.000001), False),
        (GeometryCollider(SHAPES["ring"]), CircleCollider(0.5), False),
        (
            GeometryCollider(SHAPES["ring"]),
            CircleCollider(0.5, pose_offset=Pose((2.5, 0, 0))),
            True,
        ),
        (GeometryCollider(SHAPES["wall"]), CircleCollider(0.5), False),
    ],
)
def test_touching_from_inside_is_contained(outer, inner, inside):
    assert outer.contains(inner) is inside


@settings(max_examples=10)
@given(roll=ANGLES, pitch=st.floats(-1.4, 1.4), yaw=st.floats(-3, 3), z=PLACES)
def test_2d_colliders_ignore_tilt_and_z(roll, pitch, yaw, z):
    """Only x, y and the direction of the forward axis count."""
    points = np.random.default_rng(0).uniform(-4, 4, (200, 3))
    for make in (lambda: RectangleCollider(4, 1), lambda: GeometryCollider(SHAPES["corner"])):
        tilted, level = make(), make()
        tilted.pose_offset = Pose((1, 2, z), Euler(roll, pitch, yaw))
        level.pose_offset = Pose((1, 2, 0), Euler(0, 0, yaw))
        assert np.array_equal(tilted.contains_points(points), level.contains_points(points))


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
def test_yaw_is_zero_while_the_forward_axis_is_vertical(pitch):
    collider = RectangleCollider(4, 1, pose_offset=Pose((0, 0, 0), Euler(0.3, pitch, 1.0)))
    assert collider.contains((2, 0.5))
    assert not collider.contains((0, 2))

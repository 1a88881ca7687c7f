# SPDX-License-Identifier: Apache-2.0
"""Ray and Plane."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from deepsim_math import Plane, Point, Ray, Vector3

NUMBERS = st.floats(-10, 10).map(lambda x: round(x, 6))
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
NON_ZERO = VECTORS.filter(lambda v: math.hypot(*v) > 1e-3)


def test_ray_keeps_a_unit_direction():
    ray = Ray((1, 2, 3), (0, 0, 5))
    assert ray.direction == Vector3.up()
    assert ray.origin == Point(1, 2, 3)
    assert ray.get_point(2) == Point(1, 2, 5)


def test_ray_without_direction_is_refused():
    with pytest.raises(ValueError, match="its length is zero"):
        Ray((1, 2, 3), (0, 0, 0))


@given(NON_ZERO, VECTORS, st.sampled_from([0.1, 1.0, 7.0]))
def test_scaling_the_equation_keeps_the_plane(normal, point, scale):
    distance = float(np.dot(normal, point))
    plane = Plane(normal, distance)
    assert plane.isclose(Plane(np.multiply(normal, scale), distance * scale))
    assert plane.isclose(Plane.from_point(normal, point))
    assert plane.normal.length == pytest.approx(1.0, abs=1e-15)
    assert plane.distance_to(point) == pytest.approx(0.0, abs=1e-9)


@given(VECTORS, VECTORS, VECTORS)
def test_plane_through_three_points(a, b, c):
    normal = np.cross(np.subtract(b, a), np.subtract(c, a))
    assume(np.linalg.norm(normal) > 1e-3)
    plane = Plane.from_points(a, b, c)
    for point in (a, b, c):
        assert plane.distance_to(point) == pytest.approx(0.0, abs=1e-6)
    assert plane.normal.dot(normal) > 0


def test_counter_clockwise_points_face_the_viewer():
    assert Plane.from_points((0, 0, 0), (1, 0, 0), (0, 1, 0)).normal == Vector3.up()


@pytest.mark.parametrize(
    "points",
    [((0, 0, 0), (1, 1, 1), (2, 2, 2)), ((1, 2, 3),) * 3, ((0, 0, 0), (1, 0, 0), (1, 0, 0))],
)
def test_points_on_a_line_are_refused(points):
    with pytest.raises(ValueError, match="three points on one line define no plane"):
        Plane.from_points(*points)


def test_plane_without_normal_is_refused():
    with pytest.raises(ValueError, match="its length is zero"):
        Plane((0, 0, 0), 1)


@given(NON_ZERO, NUMBERS, VECTORS)
def test_closest_point(normal, distance, point):
    plane = Plane(normal, distance)
    closest = plane.closest_point(point)
    assert plane.distance_to(closest) == pytest.approx(0, abs=1e-9)
    assert closest.distance(point) == pytest.approx(abs(plane.distance_to(point)), abs=1e-9)
    assert plane.flip().distance_to(point) == pytest.approx(-plane.distance_to(point), abs=1e-9)


@pytest.mark.parametrize(
    ("origin", "direction", "expected"),
    [
        ((0, 0, 3), (0, 0, -1), 2.0),
        ((0, 0, -1), (0, 0, 1), 2.0),
        ((0, 0, 3), (0, 0, 1), None),
        ((0, 0, -1), (0, 0, -1), None),
        ((0, 0, 3), (1, 0, 0), None),
        ((5, 5, 1), (1, 0, 0), 0.0),
        ((5, 5, 1), (0, 0, 1), 0.0),
        ((0, 0, 4), (4, 0, -3), 5.0),
    ],
)
def test_raycast(origin, direction, expected):
    """From either side, never backwards, never along the plane unless in it."""
    for plane in (Plane((0, 0, 1), 1), Plane((0, 0, 1), 1).flip()):
        assert plane.raycast(Ray(origin, direction)) == pytest.approx(expected)


def test_sides_of_a_plane():
    plane = Plane((0, 0, 2), 4)
    above, on, below = (1, 2, 3), (5, 6, 2), (0, 0, -1)
    assert [plane.which_side(point) for point in (above, on, below)] == [1, 0, -1]
    assert plane.flip().which_side(above) == -1
    assert plane.same_side(above, (0, 0, 9))
    assert plane.same_side(on, (0, 0, 2))
    assert not plane.same_side(above, below)
    assert not plane.same_side(above, on)

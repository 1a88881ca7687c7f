# SPDX-License-Identifier: Apache-2.0
"""lerp and lerp_angle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_math import (
    Color,
    Euler,
    Point,
    Pose,
    Quaternion,
    Twist,
    Vector3,
    lerp,
    lerp_angle,
    lerp_angle_rad,
    slerp,
)

NUMBERS = st.floats(-1e6, 1e6)
ANGLES = st.one_of(st.integers(-8, 8).map(lambda n: n * math.pi / 4), st.floats(-50, 50))


@given(NUMBERS, NUMBERS)
def test_lerp_is_exact_at_both_ends(a, b):
    assert lerp(a, b, 0.0) == a
    assert lerp(a, b, 1.0) == b
    ends = Vector3(a, b, a), Vector3(b, a, a)
    assert lerp(*ends, 0) == ends[0]
    assert lerp(*ends, 1) == ends[1]


@pytest.mark.parametrize(
    ("a", "b", "middle"),
    [
        (1.0, 3.0, 1.5),
        (Vector3(0, 1, 2), Vector3(4, 1, 0), Vector3(1, 1, 1.5)),
        (Point(0, 1, 2), Point(4, 1, 0), Point(1, 1, 1.5)),
        (Color(0, 0, 0, 1), Color(1, 0.5, 0, 0), Color(0.25, 0.125, 0, 0.75)),
        (Twist((4, 0, 0)), Twist((0, 4, 0)), Twist((3, 1, 0))),
    ],
)
def test_lerp_a_quarter_of_the_way(a, b, middle):
    assert lerp(a, b, 0.25) == middle


def test_lerp_of_arrays_broadcasts():
    way = lerp(np.zeros(3), np.array([1.0, 2.0, 4.0]), np.array([[0.0], [0.5], [1.0]]))
    assert way.tolist() == [[0, 0, 0], [0.5, 1, 2], [1, 2, 4]]


def test_lerp_goes_on_outside_the_ends():
    assert lerp(0.0, 2.0, -1.0) == -2.0
    assert lerp(Vector3(), Vector3(1, 0, 0), 3) == Vector3(3, 0, 0)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Quaternion(), Quaternion()),
        (Euler(), Euler()),
        (Pose(), Pose()),
        (Vector3(), Point()),
        (Vector3(), (1, 2, 3)),
    ],
)
def test_lerp_refuses_what_has_no_straight_line(a, b):
    with pytest.raises(TypeError, match=f"cannot lerp from {type(a).__name__}.*slerp"):
        lerp(a, b, 0.5)


@pytest.mark.parametrize(
    ("a", "b", "t", "expected"),
    [
        (0.0, math.pi / 2, 0.5, math.pi / 4),
        (math.radians(350), math.radians(10), 0.5, math.radians(360)),
        (math.radians(10), math.radians(350), 1.0, math.radians(-10)),
        (0.0, math.pi, 0.5, math.pi / 2),
        (0.0, -math.pi, 0.5, math.pi / 2),
        (math.pi, 0.0, 0.5, math.pi * 1.5),
        (1.0, 1.0 + 6 * math.pi, 0.5, 1.0),
    ],
)
def test_lerp_angle_by_hand(a, b, t, expected):
    assert lerp_angle(a, b, t) == pytest.approx(expected)
    assert lerp_angle(np.array([a]), b, t) == pytest.approx(expected)


@given(ANGLES, ANGLES, st.floats(0, 1))
def test_lerp_angle_is_short_and_arrives(a, b, t):
    assert abs(lerp_angle(a, b, 1.0) - a) <= math.pi + 1e-12
    assert math.remainder(lerp_angle(a, b, 1.0) - b, math.tau) == pytest.approx(0, abs=1e-12)
    assert lerp_angle(a, b, 0.0) == a
    assert lerp_angle_rad(a, b, t) == lerp_angle(a, b, t)


@pytest.mark.parametrize("wrong", [math.inf, -math.inf, math.nan])
def test_lerp_angle_of_no_angle_is_nan(wrong):
    assert math.isnan(lerp_angle(0.0, wrong, 0.5))
    assert np.isnan(lerp_angle(np.zeros(2), wrong, 0.5)).all()


UNITS = st.tuples(*[st.floats(-1, 1).map(lambda x: round(x, 3))] * 3).filter(
    lambda v: math.hypot(*v) > 0.1
)


def angle_between(a, b):
    a, b = a.normalized(), b.normalized()
    return 2 * math.atan2((a - b).length, (a + b).length)


@given(UNITS, UNITS, st.floats(0, 1))
def test_slerp_of_vectors_turns_at_constant_speed_and_keeps_the_lengths(a, b, t):
    """The angle to both ends, and the length, are shares of the whole."""
    a, b = Vector3(*a), Vector3(*b)
    part = slerp(a, b, t)
    assert part.length == pytest.approx((1 - t) * a.length + t * b.length)
    whole = angle_between(a, b)
    assert angle_between(a, part) == pytest.approx(t * whole, abs=1e-7)
    assert angle_between(part, b) == pytest.approx((1 - t) * whole, abs=1e-7)


@pytest.mark.parametrize(
    ("a", "b", "middle"),
    [
        ((2, 0, 0), (0, 4, 0), (3 / math.sqrt(2), 3 / math.sqrt(2), 0)),
        ((1, 0, 0), (-1, 0, 0), (0, 1, 0)),  # opposite: turns about up
        ((0, 0, 1), (0, 0, -1), (1, 0, 0)),  # opposite, along up: turns about left
        ((1, 0, 0), (3, 0, 0), (2, 0, 0)),
    ],
)
def test_slerp_of_vectors_by_hand(a, b, middle):
    assert slerp(Vector3(*a), Vector3(*b), 0.5).isclose(middle)


def test_slerp_of_a_vector_without_direction_is_refused():
    with pytest.raises(ValueError, match="its length is zero"):
        slerp(Vector3(), Vector3(1, 0, 0), 0.5)


def test_slerp_takes_rotations_in_every_form():
    way = slerp(Euler(), Euler(0, 0, 1), 0.5)
    assert way.isclose(slerp((0, 0, 0, 1), Quaternion.from_euler(0, 0, 1), 0.5))
    assert way.isclose(Quaternion.from_euler(0, 0, 0.5))

# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of Vector3 and Point, one value at a time."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_math import Point, Position, Quaternion, Vector3

NUMBERS = st.floats(-1e3, 1e3).map(lambda x: round(x, 6))
TRIPLES = st.tuples(NUMBERS, NUMBERS, NUMBERS)
NON_ZERO = TRIPLES.filter(lambda v: math.hypot(*v) > 1e-3)


@pytest.mark.parametrize("kind", [Vector3, Point])
@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (lambda v: -v, (-1, 2, -4)),
        (lambda v: 2 * v, (2, -4, 8)),
        (lambda v: v * 2.0, (2, -4, 8)),
        (lambda v: v * np.float32(2), (2, -4, 8)),
        (lambda v: np.float64(2) * v, (2, -4, 8)),
        (lambda v: np.int32(2) * v, (2, -4, 8)),
        (lambda v: v / 2, (0.5, -1, 2)),
        (lambda v: v / np.float64(2), (0.5, -1, 2)),
        (lambda v: v * v, (1, 4, 16)),
        (lambda v: v / v, (1, 1, 1)),
        (lambda v: v.rotate(Quaternion(0, 0, 1, 0)), (-1, 2, 4)),
    ],
)
def test_operators_that_keep_the_class(kind, operation, expected):
    assert operation(kind(1, -2, 4)) == kind(*expected)


@pytest.mark.parametrize(
    ("operation", "a", "b", "expected"),
    [
        (operator.add, Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(5, 7, 9)),
        (operator.sub, Vector3(1, 2, 3), Vector3(4, 5, 7), Vector3(-3, -3, -4)),
        (operator.add, Point(1, 2, 3), Vector3(4, 5, 6), Point(5, 7, 9)),
        (operator.add, Vector3(4, 5, 6), Point(1, 2, 3), Point(5, 7, 9)),
        (operator.sub, Point(1, 2, 3), Vector3(4, 5, 7), Point(-3, -3, -4)),
        (operator.sub, Point(1, 2, 3), Point(4, 5, 7), Vector3(-3, -3, -4)),
    ],
)
def test_sums_and_differences(operation, a, b, expected):
    assert operation(a, b) == expected


@pytest.mark.parametrize(
    ("operation", "a", "b"),
    [
        (operator.add, Point(), Point()),
        (operator.sub, Vector3(), Point()),
        (operator.mul, Vector3(), Point()),
        (operator.truediv, Vector3(), Point()),
        (operator.add, Vector3(), 1.0),
        (operator.add, 1.0, Vector3()),
        (operator.sub, 1.0, Vector3()),
        (operator.sub, Point(), (1, 2, 3)),
        (operator.truediv, 1.0, Vector3(1, 1, 1)),
        (operator.mul, Vector3(), "2"),
        (operator.mul, "2", Vector3()),
    ],
)
def test_meaningless_sums_are_refused(operation, a, b):
    with pytest.raises(TypeError, match=r"unsupported operand|can't multiply"):
        operation(a, b)


@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul, operator.truediv])
@pytest.mark.parametrize("array", [np.array([1.0, 2.0, 4.0]), np.full((5, 3), 2.0)])
def test_an_array_on_either_side_gives_an_array(operation, array):
    v = Vector3(1, 2, 4)
    assert np.array_equal(operation(array, v), operation(array, np.asarray(v)))
    assert np.array_equal(operation(v, array), operation(np.asarray(v), array))


def test_division_by_zero_is_that_of_floats():
    with pytest.raises(ZeroDivisionError):
        Vector3(1, 1, 1) / 0


def test_directions():
    """X forward, y left, z up; right-handed."""
    assert Vector3.forward().cross(Vector3.left()) == Vector3.up()
    assert Vector3.back() == -Vector3.forward()
    assert Vector3.right() == -Vector3.left()
    assert Vector3.down() == -Vector3.up()
    assert Vector3.zero() == Vector3()
    assert Vector3.one() == Vector3(1, 1, 1)


def test_lengths():
    v = Vector3(2, 3, 6)
    assert v.length == v.magnitude == 7.0
    assert v.sqr_magnitude == 49.0
    assert Point(1, 1, 1).distance((3, 4, 7)) == 7.0
    assert Vector3(3e200, 4e200, 0).length == pytest.approx(5e200)


@given(a=TRIPLES, b=TRIPLES)
def test_products_are_those_of_numpy(a, b):
    u = Vector3(*a)
    for other in (Vector3(*b), b, np.array(b)):
        assert u.dot(other) == pytest.approx(np.dot(a, b), abs=1e-6)
        assert np.asarray(u.cross(other)) == pytest.approx(np.cross(a, b), abs=1e-6)
        assert u.distance(other) == pytest.approx(np.linalg.norm(np.subtract(a, b)))


@given(v=TRIPLES, onto=NON_ZERO)
def test_projection(v, onto):
    """What is left over is at right angles, and the length of `onto` does not matter."""
    part = Vector3(*v).project(onto)
    rest = Vector3(*v) - part
    assert rest.dot(Vector3(*onto).normalized()) == pytest.approx(0.0, abs=1e-9 * 1e3)
    assert part.isclose(Vector3(*v).project(np.multiply(onto, 7.0)), abs_tol=1e-9)


@given(v=NON_ZERO)
def test_normalized(v):
    """The direction stays, the length is 1, and normalizing again changes nothing."""
    unit = Vector3(*v).normalized()
    assert unit.length == pytest.approx(1.0, abs=1e-15)
    assert (unit * Vector3(*v).length).isclose(v)
    assert unit.normalized() == unit


def test_zero_length_is_refused_with_the_value():
    zero = r"Vector3\(0.0, 0.0, 0.0\)"
    with pytest.raises(ValueError, match=f"cannot normalize {zero}: its length is zero"):
        Vector3().normalized()
    with pytest.raises(ValueError, match=zero):
        Vector3(1, 2, 3).project((0, 0, 0))


def test_non_finite_numbers_pass_through():
    assert (Vector3(math.inf, 1, 2) + Vector3.one()).x == math.inf
    assert math.isnan((Vector3(math.inf, 0, 0) - Vector3(math.inf, 0, 0)).x)
    assert Vector3(math.inf, 0, 0).length == math.inf
    assert math.isnan(Vector3(math.nan, 0, 0).normalized().y)


def test_methods_refuse_what_is_not_three_numbers():
    with pytest.raises(ValueError, match="a vector needs 3 numbers, got 2"):
        Vector3().dot((1, 2))
    with pytest.raises(TypeError, match="a vector needs 3 numbers, got 5"):
        Vector3().cross(5)
    with pytest.raises(TypeError, match="y must be a number, got 'b'"):
        Vector3().distance((1, "b", 2))


def test_the_paper_calls_a_point_position():
    assert Position is Point

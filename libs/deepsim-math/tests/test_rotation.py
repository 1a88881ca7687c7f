# SPDX-License-Identifier: Apache-2.0
"""Quaternion and Euler against scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from deepsim_math import Euler, Point, Quaternion, Vector3, quaternions

# Random floats alone never meet gimbal lock or opposite rotations.
ANGLES = st.one_of(
    st.integers(-8, 8).map(lambda n: n * math.pi / 4), st.floats(-7, 7).map(lambda x: round(x, 6))
)
EULERS = st.tuples(ANGLES, ANGLES, ANGLES)
NUMBERS = st.floats(-10, 10).map(lambda x: round(x, 6))
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
DIRECTIONS = st.one_of(
    VECTORS.filter(lambda v: math.hypot(*v) > 1e-3),
    st.sampled_from([(0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0), (1, 0, 0), (-1, 0, 0)]),
)
ROTATIONS = EULERS.map(lambda e: Quaternion.from_euler(*e))
LENGTHS = st.sampled_from([1.0, 1e-3, 2.0, -1.0, 500.0])


def scaled(q, length):
    return Quaternion(*(length * c for c in q))


def scipy_rotation(q):
    return Rotation.from_quat(np.asarray(q))


def angle_between(a, b):
    """Angle of the rotation from a to b [rad]."""
    return (scipy_rotation(a).inv() * scipy_rotation(b)).magnitude()


@given(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5), st.floats(-3.1, 3.1))
def test_to_euler_gives_back_the_angles_away_from_the_lock(roll, pitch, yaw):
    back = Quaternion.from_euler(roll, pitch, yaw).to_euler()
    assert list(back) == pytest.approx([roll, pitch, yaw], abs=1e-13)


@pytest.mark.parametrize("sign", [1, -1])
@given(roll=st.floats(-3, 3), yaw=st.floats(-3, 3))
def test_yaw_is_zero_at_gimbal_lock(sign, roll, yaw):
    assert Quaternion.from_euler(roll, sign * math.pi / 2, yaw).to_euler().yaw == 0.0


@given(ROTATIONS, LENGTHS)
def test_inverse(q, length):
    q = scaled(q, length)
    assert (q * q.inverse()).isclose(Quaternion.identity(), abs_tol=1e-12)
    assert (q.inverse() * q).isclose(Quaternion(), abs_tol=1e-12)


@given(ROTATIONS)
def test_conjugate_inverts_a_unit_quaternion(q):
    assert q.conjugate().isclose(q.inverse(), abs_tol=1e-12)


@given(ROTATIONS)
def test_orders(q):
    """W x y z and back."""
    assert Quaternion.from_wxyz(q.to_wxyz()) == q
    assert q.to_wxyz().tolist() == [q.w, q.x, q.y, q.z]


@given(DIRECTIONS, ANGLES)
def test_from_axis_angle(axis, angle):
    unit = np.asarray(axis) / np.linalg.norm(axis)
    expected = Rotation.from_rotvec(angle * unit)
    q = Quaternion.from_axis_angle(axis, angle)
    assert angle_between(q, expected.as_quat()) < 1e-7
    assert q.length == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    "matrix", [2 * np.eye(3), np.diag([1, 1, -1]), np.zeros((3, 3)), np.ones((3, 3))]
)
def test_what_is_no_rotation_matrix_is_refused(matrix):
    with pytest.raises(ValueError, match="not a rotation matrix"):
        Quaternion.from_matrix(matrix)


def test_matrix_shape():
    with pytest.raises(ValueError, match=r"shape \(3, 3\), got \(4, 4\)"):
        Quaternion.from_matrix(np.eye(4))


@given(DIRECTIONS, DIRECTIONS)
def test_look_rotation(forward, up):
    """Unit, faces forward, and the up side leans to `up` as far as it can."""
    q = Quaternion.look_rotation(forward, up)
    unit = Vector3(*forward).normalized()
    assert q.length == pytest.approx(1.0, abs=1e-12)
    assert q.rotate(Vector3.forward()).isclose(unit, abs_tol=1e-9)
    assert q.rotate(Vector3.left()).dot(Vector3(*up).normalized()) == pytest.approx(0, abs=1e-6)
    assert q.rotate(Vector3.up()).dot(up) >= -1e-6


@pytest.mark.parametrize(
    ("forward", "expected"),
    [
        ((1, 0, 0), Euler(0, 0, 0)),
        ((0, 3, 0), Euler(0, 0, math.pi / 2)),
        ((-1, 0, 0), Euler(0, 0, math.pi)),
        ((0, 0, 1), Euler(0, -math.pi / 2, 0)),
        ((0, 0, -1), Euler(0, math.pi / 2, 0)),
        ((1, 0, -1), Euler(0, math.pi / 4, 0)),
    ],
)
def test_look_rotation_by_hand(forward, expected):
    assert Quaternion.look_rotation(forward).to_euler().isclose(expected)


@given(ROTATIONS, st.floats(-2, 2))
def test_slerp_to_itself_stays(q, t):
    assert q.slerp(q, t).isclose(q, abs_tol=1e-12)
    assert q.slerp(-q, t).isclose(q, abs_tol=1e-12)


@pytest.mark.parametrize(
    "operation",
    [
        lambda q: q.normalized(),
        lambda q: q.inverse(),
        lambda q: q.rotate((1, 2, 3)),
        lambda q: q.to_euler(),
        lambda q: q.to_matrix(),
        lambda q: q.slerp(Quaternion(), 0.5),
        lambda q: Quaternion().slerp(q, 0.5),
    ],
)
def test_zero_length_is_refused_with_the_value(operation):
    with pytest.raises(ValueError, match=r"Quaternion\(0.0, 0.0, 0.0, 0.0\).*length is zero"):
        operation(Quaternion(0, 0, 0, 0))


@pytest.mark.parametrize("forward_and_up", [((0, 0, 0), (0, 0, 1)), ((1, 0, 0), (0, 0, 0))])
def test_look_rotation_refuses_zero_vectors(forward_and_up):
    with pytest.raises(ValueError, match="its length is zero"):
        Quaternion.look_rotation(*forward_and_up)


@given(st.floats(-9, 9), st.floats(-9, 9), st.floats(-9, 9))
def test_degrees(roll, pitch, yaw):
    """There and back by NumPy's factor; 90 degrees are a quarter turn to the last bit."""
    angles = np.rad2deg([roll, pitch, yaw])
    euler = Euler.degrees(*angles)
    assert np.asarray(euler) == pytest.approx([roll, pitch, yaw], rel=1e-15, abs=1e-300)
    assert euler.to_degrees() == pytest.approx(angles, rel=1e-15, abs=1e-300)
    assert Euler.degrees(yaw=90).yaw == math.pi / 2


def test_what_q_applies_to():
    """A rotation, a vector, a point, three numbers, and arrays with one of them per row."""
    q, v = Quaternion.from_euler(0.3, -0.2, 1.5), (1.0, 2.0, -3.0)
    expected = Rotation.from_quat(np.asarray(q))
    for value, kind in ((Vector3(*v), Vector3), (Point(*v), Point), (v, Vector3), ([*v], Vector3)):
        assert type(q @ value) is kind
        assert (q @ value).isclose(expected.apply(v))
    rows = np.random.default_rng(1).normal(size=(2, 5, 3))
    np.testing.assert_allclose(q @ rows, expected.apply(rows.reshape(-1, 3)).reshape(rows.shape))
    others = quaternions.from_euler(rows)
    flat = Rotation.from_quat(others.reshape(-1, 4))
    for found, product in ((q @ others, expected * flat), (others @ q, flat * expected)):
        found = found.reshape(-1, 4)
        signs = np.sign((found * product.as_quat()).sum(axis=1, keepdims=True))
        np.testing.assert_allclose(found * signs, product.as_quat(), atol=1e-15)
    with pytest.raises(ValueError, match=r"expected shape \(\.\.\., 3\), got \(2, 2\)"):
        q @ np.eye(2)
    with pytest.raises(TypeError, match="rotate a vector by q @ v"):
        q * Vector3()
    with pytest.raises(TypeError, match="unsupported operand"):
        q @ 2.0


def test_product_with_anything_else_is_refused():
    with pytest.raises(TypeError, match=r"unsupported operand|can't multiply"):
        Quaternion() * 2.0


def test_nan_passes_through():
    q = Quaternion(math.nan, 0, 0, 1)
    assert math.isnan(q.rotate(Vector3(1, 2, 3)).x)
    assert math.isnan(q.to_euler().roll)
    assert math.isnan(q.normalized().w)

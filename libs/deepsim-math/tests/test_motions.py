# SPDX-License-Identifier: Apache-2.0
"""Matrices, rotation vectors, orders of axes, means and twists, against scipy and matrices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from deepsim_math import Pose, Quaternion, Twist, Vector3, poses, quaternions, twists, vectors

ANGLES = st.one_of(
    st.integers(-4, 4).map(lambda n: n * math.pi / 4), st.floats(-3, 3).map(lambda x: round(x, 6))
)
TURNS = st.tuples(ANGLES, ANGLES, ANGLES).map(lambda e: Quaternion.from_euler(*e))
NUMBERS = st.floats(-10, 10).map(lambda x: round(x, 6))
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
POSES = st.builds(Pose, VECTORS, TURNS)
TWISTS = st.builds(Twist, VECTORS, st.tuples(ANGLES, ANGLES, ANGLES))
ORDERS = [
    a + b + c
    for axes in ("xyz", "XYZ")
    for a in axes
    for b in axes
    for c in axes
    if b not in (a, c)
]


def scipy_rotation(q):
    return Rotation.from_quat(np.asarray(q))


def generator(twist):
    """The 4 x 4 matrix whose exponential is the motion of a constant twist for one second."""
    (x, y, z), v = twist.angular, twist.linear
    return np.array([[0, -z, y, v.x], [z, 0, -x, v.y], [-y, x, 0, v.z], [0, 0, 0, 0]])


@given(POSES)
def test_pose_to_matrix_and_back(pose):
    """The matrix takes x, y, z, 1 to the parent frame; one and many agree."""
    matrix = pose.to_matrix()
    assert np.allclose(matrix @ [1, 2, 3, 1], [*pose.transform_point((1, 2, 3)), 1], atol=1e-12)
    assert matrix[3].tolist() == [0, 0, 0, 1]
    assert Pose.from_matrix(matrix).isclose(pose, abs_tol=1e-12)
    assert np.array_equal(poses.to_matrix([pose, pose])[1], matrix)
    assert np.allclose(poses.from_matrix([matrix, matrix])[1], Pose.from_matrix(matrix))


def test_matrices_that_are_no_rigid_motion_are_refused():
    """By the index of the first of them."""
    with pytest.raises(ValueError, match=r"shape \(4, 4\), got \(3, 3\)"):
        Pose.from_matrix(np.eye(3))
    scaled, projected = np.diag([2.0, 2.0, 2.0, 1.0]), np.eye(4)
    projected[3, 0] = 1.0
    for wrong, complaint in ((scaled, "not a rotation matrix"), (projected, "last row")):
        with pytest.raises(ValueError, match=complaint):
            Pose.from_matrix(wrong)
        with pytest.raises(ValueError, match=rf"{complaint}.* at index \(2,\)"):
            poses.from_matrix([np.eye(4), np.eye(4), wrong])


@given(TURNS)
def test_rotation_vector_and_axis_angle(q):
    """As scipy has them, and back."""
    vector = q.to_rotation_vector()
    assert vector.length <= math.pi + 1e-15
    there = Rotation.from_rotvec(np.asarray(vector)).as_quat()
    assert Quaternion(*there).isclose(q, abs_tol=1e-12)
    assert Quaternion.from_rotation_vector(vector).isclose(q, abs_tol=1e-12)
    axis, angle = q.to_axis_angle()
    assert axis.length == pytest.approx(1.0)
    assert Quaternion.from_axis_angle(axis, angle).isclose(q, abs_tol=1e-12)
    assert angle == pytest.approx(scipy_rotation(q).magnitude(), abs=1e-12)


@pytest.mark.parametrize("size", [0.0, 1e-200, 1e-160, 1e-12, 1e-3, 1.0, math.pi - 1e-9, math.pi])
def test_rotation_vectors_of_any_size(size):
    """Tiny ones keep their digits."""
    vector = Vector3(0.6 * size, 0.0, -0.8 * size)
    back = Quaternion.from_rotation_vector(vector).to_rotation_vector()
    assert back.isclose(vector, rel_tol=1e-14, abs_tol=1e-300)
    batch = quaternions.from_rotation_vector([vector, vector])
    assert np.allclose(quaternions.to_rotation_vector(batch)[1], vector, rtol=1e-14, atol=1e-300)
    assert np.allclose(
        batch[0], Rotation.from_rotvec(np.asarray(vector)).as_quat(), rtol=1e-14, atol=0
    )


@given(TURNS, TURNS)
def test_angle_to(a, b):
    expected = (scipy_rotation(a).inv() * scipy_rotation(b)).magnitude()
    assert a.angle_to(b) == pytest.approx(expected, abs=1e-12)
    assert a.angle_to(Quaternion(*(-3 * c for c in b))) == pytest.approx(expected, abs=1e-12)
    assert quaternions.angle_to([a], b)[0] == pytest.approx(expected, abs=1e-12)


def test_angle_of_vectors_is_accurate_at_both_ends():
    assert Vector3(1, 0, 0).angle_to((1, 1e-9, 0)) == pytest.approx(1e-9, rel=1e-12)
    assert Vector3(1e200, 0, 0).angle_to((-1e-200, 0, 0)) == math.pi
    assert vectors.angle_to([1, 0, 0], [[0, 2, 0], [1, 1, 0]]).tolist() == pytest.approx(
        [math.pi / 2, math.pi / 4]
    )
    with pytest.raises(ValueError, match="length is zero"):
        Vector3().angle_to((1, 0, 0))


@pytest.mark.parametrize("order", ORDERS)
@given(angles=st.tuples(ANGLES, ANGLES, ANGLES))
def test_any_order_of_axes(order, angles):
    """From angles as scipy does; back to angles of the same rotation, in their ranges."""
    q = Quaternion.from_angles(order, angles)
    assert q.isclose(Quaternion(*Rotation.from_euler(order, angles).as_quat()), abs_tol=1e-12)
    back = q.to_angles(order)
    assert Quaternion.from_angles(order, back).isclose(q, abs_tol=1e-12)
    low = 0.0 if order[0] == order[2] else -math.pi / 2
    assert low <= back[1] <= low + math.pi
    assert all(-math.pi < angle <= math.pi for angle in back)
    batch = quaternions.to_angles(order, quaternions.from_angles(order, [angles] * 5))
    assert quaternions.angle_to(quaternions.from_angles(order, batch), q).max() < 1e-12


def test_the_order_xyz_is_euler():
    q = Quaternion(0.1, 0.2, 0.3, 0.9)
    assert q.to_angles("xyz") == tuple(q.to_euler())
    assert q.yaw == q.to_euler().yaw == Pose(orientation=q).yaw


@pytest.mark.parametrize("order", ["xxy", "xYz", "xy", "abc", "", None])
def test_orders_that_are_none(order):
    with pytest.raises(ValueError, match="order must be three of xyz"):
        Quaternion.from_angles(order, (1, 2, 3))
    with pytest.raises(ValueError, match="order must be three of xyz"):
        quaternions.to_angles(order, [0, 0, 0, 1])


@given(TWISTS)
def test_exp_is_that_of_matrices(twist):
    """The screw motion of a constant twist; log is its inverse within half a turn."""
    pose = Pose.exp(twist)
    assert np.allclose(pose.to_matrix(), expm(generator(twist)), atol=1e-9)
    assert np.allclose(poses.exp([twist] * 4)[3], pose, atol=1e-12)
    if twist.angular.length < math.pi - 1e-6:
        assert pose.log().isclose(twist, abs_tol=1e-8)
        assert np.allclose(poses.log([pose] * 4)[3], twist, atol=1e-8)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.2999, 0.3001, 3.1])
def test_exp_and_log_on_both_sides_of_their_series(angle):
    twist = Twist((1, 2, 3), (0.6 * angle, 0, 0.8 * angle))
    assert np.allclose(Pose.exp(twist).to_matrix(), expm(generator(twist)), rtol=0, atol=3e-14)
    assert Pose.exp(twist).log().isclose(twist, rel_tol=0, abs_tol=3e-14)


@given(POSES, POSES, st.floats(0, 1))
def test_interpolate(a, b, t):
    """A straight line and a turn at constant speed; one and many agree."""
    middle = a.interpolate(b, t)
    assert middle.position.isclose((1 - t) * np.asarray(a.position) + t * np.asarray(b.position))
    assert middle.orientation == a.orientation.slerp(b.orientation, t)
    np.testing.assert_allclose(poses.interpolate([a] * 5, b, t)[4], middle, atol=1e-12)


@given(POSES, TWISTS, VECTORS)
def test_transform_twist_is_the_adjoint(pose, twist, v):
    """Every point of the body keeps its velocity, whichever frame speaks of it."""
    moved = pose.transform_twist(twist)
    expected = pose.transform_vector(twist.velocity_at(v))
    assert moved.velocity_at(pose.transform_point(v)).isclose(expected, abs_tol=1e-9)
    conjugated = pose.to_matrix() @ generator(twist) @ pose.inverse().to_matrix()
    assert np.allclose(generator(moved), conjugated, atol=1e-9)
    assert pose.inverse_transform_twist(moved).isclose(twist, abs_tol=1e-9)
    np.testing.assert_allclose(poses.transform_twists([pose], twist)[0], moved, atol=1e-12)
    np.testing.assert_allclose(poses.inverse_transform_twists(pose, [moved])[0], twist, atol=1e-9)
    turned = twist.rotate(pose.orientation)
    assert turned.linear.isclose(pose.orientation.rotate(twist.linear), abs_tol=1e-12)
    assert turned.angular == moved.angular
    np.testing.assert_allclose(twists.rotate(pose.orientation, [twist])[0], turned)
    np.testing.assert_allclose(twists.velocity_at([twist], v)[0], twist.velocity_at(v))


def test_arithmetic_of_twists():
    a, b = Twist((1, 2, 3), (4, 5, 6)), Twist((6, 5, 4), (3, 2, 1))
    assert a + b == Twist((7, 7, 7), (7, 7, 7))
    assert a - b == Twist((-5, -3, -1), (1, 3, 5))
    assert 2 * a == a * np.float64(2) == a / 0.5 == a + a
    assert -a == a * -1
    for wrong in (lambda: a + 1, lambda: a - (1, 2), lambda: a * a, lambda: a / "2"):
        with pytest.raises(TypeError, match="unsupported operand"):
            wrong()


@given(TURNS, st.lists(st.tuples(ANGLES, ANGLES, ANGLES), min_size=1, max_size=5))
def test_mean_of_rotations(center, turns):
    """As scipy has it, whatever the signs of the quaternions."""
    rng = np.random.default_rng(len(turns))
    near = [center * Quaternion.from_euler(*(0.1 * a for a in turn)) for turn in turns]
    weights = rng.uniform(0.5, 2, len(near))
    expected = Rotation.from_quat(np.array(near)).mean(weights)
    mean = quaternions.mean(np.array(near) * rng.choice([-1, 1], (len(near), 1)), weights)
    assert quaternions.angle_to(mean, expected.as_quat()) < 1e-7
    places = rng.normal(size=(len(near), 3))
    pose = poses.mean(np.hstack([places, near]), weights)
    assert pose[:3] == pytest.approx(np.average(places, axis=0, weights=weights))
    assert quaternions.angle_to(pose[3:], expected.as_quat()) < 1e-7


def test_means_that_are_none():
    with pytest.raises(ValueError, match="n > 0"):
        quaternions.mean(np.empty((0, 4)))
    with pytest.raises(ValueError, match=r"negative, got -1.0 at index \(1,\)"):
        quaternions.mean([[0, 0, 0, 1]] * 2, [1, -1])
    with pytest.raises(ValueError, match="sum of weights"):
        quaternions.mean([[0, 0, 0, 1]] * 2, [0, 0])


def test_random_rotations_are_spread_evenly():
    """Their matrices have mean zero; the same seed gives the same rotations."""
    q = quaternions.random(np.random.default_rng(1), (100, 200))
    assert q.shape == (100, 200, 4)
    assert np.allclose(np.linalg.norm(q, axis=-1), 1)
    assert np.abs(quaternions.to_matrix(q).mean(axis=(0, 1))).max() < 0.02
    one = Quaternion.random(np.random.default_rng(1))
    assert np.allclose(one, q[0, 0])
    assert quaternions.random(np.random.default_rng(1), 3).shape == (3, 4)


@given(TURNS, st.floats(-2, 2))
def test_power(q, t):
    expected = Rotation.from_rotvec(t * np.asarray(q.to_rotation_vector()))
    if q.angle_to(Quaternion()) < math.pi - 1e-6:
        assert (q**t).angle_to(Quaternion(*expected.as_quat())) < 1e-9


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda: Pose() * Pose(), "write a @ b"),
        (lambda: Quaternion() * Vector3(), r"q\.rotate\(v\)"),
    ],
)
def test_wrong_operators_name_the_right_one(wrong, hint):
    with pytest.raises(TypeError, match=hint):
        wrong()


def test_products_with_matrices():
    """On either side."""
    assert (np.eye(3) @ Vector3(1, 2, 3)).tolist() == [1, 2, 3]
    assert (Vector3(1, 2, 3) @ np.eye(3)).tolist() == [1, 2, 3]
    assert abs(Vector3(3, 4, 0)) == 5.0


def test_normalizing_what_cannot_be_squared():
    for size in (1e200, 1e-200):
        assert Quaternion(0, 0, 0, size).normalized() == Quaternion()

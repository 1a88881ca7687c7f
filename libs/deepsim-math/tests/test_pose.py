# SPDX-License-Identifier: Apache-2.0
"""Pose as a rigid motion."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_math import Euler, Point, Pose, Quaternion, Vector3

NUMBERS = st.floats(-10, 10).map(lambda x: round(x, 6))
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
POSES = st.builds(
    lambda position, angles, length: Pose(
        position, [length * c for c in Quaternion.from_euler(*angles)]
    ),
    VECTORS,
    VECTORS,
    st.sampled_from([1.0, 1.0, 2.0, -1.0]),
)


def matrix(pose):
    """Homogeneous (4, 4) matrix of a pose."""
    result = np.eye(4)
    result[:3, :3] = pose.orientation.to_matrix()
    result[:3, 3] = pose.position
    return result


@given(POSES)
def test_inverse(pose):
    assert (pose @ pose.inverse()).isclose(Pose(), abs_tol=1e-10)
    assert (pose.inverse() @ pose).isclose(Pose(), abs_tol=1e-10)


@given(POSES, VECTORS)
def test_points_and_vectors(pose, v):
    """Points turn and move, vectors turn only; the inverse methods undo both."""
    point = pose.transform_point(v)
    assert type(point) is Point
    assert np.allclose(point, (matrix(pose) @ [*v, 1])[:3], atol=1e-10)
    assert pose.inverse_transform_point(point).isclose(v, abs_tol=1e-10)
    vector = pose.transform_vector(Vector3(*v))
    assert type(vector) is Vector3
    assert np.allclose(vector, matrix(pose)[:3, :3] @ v, atol=1e-10)
    assert pose.inverse_transform_vector(vector).isclose(v, abs_tol=1e-10)


def test_directions():
    pose = Pose((9, 9, 9), Euler(0, 0, math.pi / 2))
    assert pose.forward.isclose((0, 1, 0))
    assert pose.left.isclose((-1, 0, 0))
    assert pose.up.isclose((0, 0, 1))


def test_the_default_is_the_identity():
    assert Pose().transform_point((1, 2, 3)) == Point(1, 2, 3)


def test_the_orientation_is_kept_as_given():
    assert Pose(orientation=(0, 0, 0, 5)).orientation == Quaternion(0, 0, 0, 5)


@given(POSES, VECTORS, POSES)
def test_what_a_pose_transforms(pose, v, other):
    """A pose, a point, a vector, three numbers, and arrays with one of them per row."""
    assert pose @ Point(*v) == pose @ v == pose @ [*v] == pose.transform_point(v)
    assert pose @ Vector3(*v) == pose.transform_vector(v)
    assert type(pose @ Vector3(*v)) is Vector3
    corners = np.array([[v, (1, 2, 3)], [(0, 0, 0), (3, 0, -1)]], float)
    moved = corners @ matrix(pose)[:3, :3].T + matrix(pose)[:3, 3]
    np.testing.assert_allclose(pose @ corners, moved, atol=1e-9)
    rows = np.array([other, Pose(v)])
    for found, product in (
        (pose @ rows, [matrix(pose) @ matrix(other), matrix(pose) @ matrix(Pose(v))]),
        (rows @ pose, [matrix(other) @ matrix(pose), matrix(Pose(v)) @ matrix(pose)]),
    ):
        assert found.shape == (2, 7)
        for row, expected in zip(found, product):
            np.testing.assert_allclose(matrix(Pose.from_array(row)), expected, atol=1e-9)


def test_what_a_pose_does_not_transform():
    with pytest.raises(TypeError, match="unsupported operand"):
        Pose() @ 3
    with pytest.raises(ValueError, match=r"expected shape \(\.\.\., 3\), got \(4, 4\)"):
        Pose() @ np.eye(4)
    with pytest.raises(ValueError, match=r"expected shape \(\.\.\., 7\), got \(4, 4\)"):
        np.eye(4) @ Pose()
    with pytest.raises(TypeError, match="write a @ b"):
        Pose() * Pose()


@pytest.mark.parametrize(
    "operation",
    [
        lambda pose: pose.inverse(),
        lambda pose: pose @ Pose(),
        lambda pose: pose.transform_point((1, 2, 3)),
        lambda pose: pose.inverse_transform_vector((1, 2, 3)),
        lambda pose: pose.forward,
    ],
)
def test_zero_orientation_is_refused(operation):
    with pytest.raises(ValueError, match=r"Quaternion\(.*length is zero"):
        operation(Pose((1, 2, 3), (0, 0, 0, 0)))

# SPDX-License-Identifier: Apache-2.0
"""A hundred thousand random rotations against scipy, half of them at multiples of 45 degrees."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from deepsim_math import poses, quaternions

COUNT = 100_000


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(7)


@pytest.fixture(scope="module")
def angles(rng):
    """Roll, pitch, yaw."""
    turns = rng.integers(-4, 5, (COUNT, 3)) * (math.pi / 4)
    return np.where(rng.random((COUNT, 1)) < 0.5, turns, rng.uniform(-4, 4, (COUNT, 3)))


@pytest.fixture(scope="module")
def pairs(angles, rng):
    """Two rotations per row, of any length."""
    a = quaternions.from_euler(angles) * rng.uniform(0.1, 10, (COUNT, 1))
    b = quaternions.from_euler(rng.permutation(angles)) * rng.uniform(0.1, 10, (COUNT, 1))
    return a, b


def assert_same_rotations(q, rotation, tolerance=1e-14):
    """Up to the sign, as unit quaternions."""
    q, expected = quaternions.normalize(q), rotation.as_quat()
    difference = np.minimum(np.abs(q - expected).max(axis=1), np.abs(q + expected).max(axis=1))
    assert difference.max() < tolerance


def test_from_euler(angles):
    assert_same_rotations(quaternions.from_euler(angles), Rotation.from_euler("xyz", angles))


def test_to_euler_gives_angles_of_the_same_rotation(pairs):
    q, _ = pairs
    found = quaternions.to_euler(q)
    assert_same_rotations(q, Rotation.from_euler("xyz", found), 1e-13)
    assert np.abs(found[:, 1]).max() <= math.pi / 2


def test_products(pairs):
    a, b = pairs
    product = Rotation.from_quat(a) * Rotation.from_quat(b)
    assert_same_rotations(quaternions.multiply(a, b), product)


def test_rotated_vectors(pairs, rng):
    q, _ = pairs
    v = rng.normal(size=(COUNT, 3))
    expected = Rotation.from_quat(q).apply(v)
    np.testing.assert_allclose(quaternions.rotate(q, v), expected, rtol=0, atol=1e-13)
    one = Rotation.from_quat(q[0]).apply(v)
    np.testing.assert_allclose(quaternions.rotate(q[0], v), one, rtol=0, atol=1e-13)


def test_slerp(pairs, rng):
    """Except within a millionth of half a turn, where the two ways are equally short."""
    a, b = pairs
    between = Rotation.from_quat(a).inv() * Rotation.from_quat(b)
    keep = between.magnitude() < math.pi - 1e-6
    a, b, t = a[keep], b[keep], rng.random(keep.sum())
    ends = Rotation.from_quat(np.stack([a, b], axis=1).reshape(-1, 4))
    expected = Slerp(np.arange(2 * len(a)), ends)(2 * np.arange(len(a)) + t)
    part = quaternions.slerp(a, b, t)
    assert_same_rotations(part, expected, 1e-9)
    assert np.abs(np.linalg.norm(part, axis=1) - 1).max() < 1e-14


def test_matrices(pairs):
    q, _ = pairs
    matrices = Rotation.from_quat(q).as_matrix()
    np.testing.assert_allclose(quaternions.to_matrix(q), matrices, rtol=0, atol=1e-14)
    assert_same_rotations(quaternions.from_matrix(matrices), Rotation.from_quat(q), 1e-13)


def test_compositions(pairs, rng):
    """Against the product of 4 x 4 matrices."""
    a, b = (np.hstack([rng.normal(size=(COUNT, 3)), q]) for q in pairs)

    def matrices(rows):
        result = np.tile(np.eye(4), (len(rows), 1, 1))
        result[:, :3, :3] = Rotation.from_quat(rows[:, 3:]).as_matrix()
        result[:, :3, 3] = rows[:, :3]
        return result

    expected = matrices(a) @ matrices(b)
    np.testing.assert_allclose(matrices(poses.compose(a, b)), expected, rtol=0, atol=1e-13)
    back = matrices(poses.relative(a, poses.compose(a, b)))
    np.testing.assert_allclose(back, matrices(b), rtol=0, atol=1e-12)

# SPDX-License-Identifier: Apache-2.0
"""What is no sequence of numbers is refused; float32 is kept beside plain numbers and values."""

from __future__ import annotations

import numpy as np
import pytest

from deepsim_math import Pose, Quaternion, Vector3, poses, quaternions, vectors

MASKED = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])


@pytest.mark.parametrize(
    "wrong",
    [
        MASKED,
        np.array(["1", "2", "3"]),
        np.array([1j, 2, 3]),
        {1.0, 2.0, 3.0},
        frozenset([1.0, 2.0, 3.0]),
        {1: 1, 2: 2, 3: 3},
        "123",
    ],
    ids=lambda wrong: type(wrong).__name__,
)
def test_no_sequence_of_numbers(wrong):
    """By the values and by the batch functions."""
    for read in (Vector3.from_array, Pose, vectors.length):
        with pytest.raises(TypeError, match=r"numbers|masked"):
            read(wrong)


def test_float32_is_kept_beside_numbers_sequences_and_values():
    """Only arrays decide."""
    single = np.ones((5, 4), np.float32)
    assert quaternions.slerp(single, single, 0.5).dtype == np.float32
    assert quaternions.multiply(single, [0, 0, 0, 1]).dtype == np.float32
    points = np.ones((5, 3), np.float32)
    assert quaternions.rotate(Quaternion(), points).dtype == np.float32
    assert quaternions.look_rotation(points).dtype == np.float32
    assert poses.transform_points(Pose((1, 2, 3)), points).dtype == np.float32
    assert quaternions.slerp(single, single, np.float64(0.5)).dtype == np.float64


def test_errors_name_the_row():
    for count in (4, 40):
        q = np.ones((count, 4))
        q[2] = 0
        with pytest.raises(ValueError, match=r"a quaternion at index \(2,\) has zero length"):
            quaternions.inverse(q)


def test_matrices_of_nan_give_nan_without_a_warning():
    q = quaternions.from_matrix([np.eye(3), np.full((3, 3), np.nan)])
    assert q[0].tolist() == [0, 0, 0, 1]
    assert np.isnan(q[1]).all()

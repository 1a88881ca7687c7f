# SPDX-License-Identifier: Apache-2.0
"""Stereo depth: the geometry of two cameras is the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepsim_sync import stereo_depth


@given(st.floats(0.3, 60.0), st.floats(5.0, 2000.0), st.floats(0.01, 0.5))
def test_a_plain_wall_is_as_far_as_a_sixteenth_of_a_pixel_tells(depth, focal, baseline):
    """Its disparity is off by at most half of that; farther away there is nothing."""
    exact = focal * baseline / depth
    wall = np.full((3, 50), depth)
    found = stereo_depth(wall, wall, focal, baseline)
    shown = found.disparity > 0.0
    inside = np.arange(50) >= exact + 0.5
    np.testing.assert_array_equal(shown[:, inside], exact > 1.0 / 32.0)
    assert not shown[:, np.arange(50) < exact - 0.5].any()
    np.testing.assert_allclose(found.disparity[shown], exact, atol=1.0 / 32.0 + 1e-9)
    np.testing.assert_allclose(found.depth[shown], focal * baseline / found.disparity[shown])
    assert np.isinf(found.depth[~shown]).all()


def test_what_an_edge_hides_from_the_right_camera_has_no_depth():
    """A near post at columns 10..13 hides 4 columns of the wall, left of it in this picture."""
    left, right = np.full((1, 24), 9.6), np.full((1, 24), 9.6)
    left[0, 10:14] = 2.0  # disparity 6, and of the wall 1.25
    right[0, 4:8] = 2.0
    found = stereo_depth(left, right, 100.0, 0.12)
    assert found.depth[0, 10:14] == pytest.approx(2.0)
    hidden = np.flatnonzero(np.isinf(found.depth[0]))
    np.testing.assert_array_equal(hidden, [0, 5, 6, 7, 8])


def test_nothing_has_no_disparity():
    sky = np.full((2, 3), np.inf)
    found = stereo_depth(sky, sky, 10.0, 0.1)
    assert not found.disparity.any()
    assert np.isinf(found.depth).all()


@pytest.mark.parametrize(
    ("right", "focal", "message"),
    [
        (np.ones((2, 3)), 1.0, r"one shape \(h, w\), got \(2, 2\), \(2, 3\)"),
        (np.ones((2, 2)), 0.0, "focal and baseline must be > 0, got 0"),
    ],
)
def test_pictures_that_do_not_fit_are_refused(right, focal, message):
    with pytest.raises(ValueError, match=message):
        stereo_depth(np.ones((2, 2)), right, focal, 0.1)

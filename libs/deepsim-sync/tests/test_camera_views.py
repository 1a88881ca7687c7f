# SPDX-License-Identifier: Apache-2.0
"""Free cameras that follow a model or orbit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_math import Euler, Pose
from deepsim_sync import CameraView


def seen(view: CameraView, point: tuple[float, float, float]) -> np.ndarray:
    """Returns the pixel that shows a point of the world."""
    x, y, depth = view.intrinsic @ (view.extrinsic_cv @ np.array([*point, 1.0]))
    return np.array([x, y]) / depth


def test_what_a_camera_follows_stays_in_its_place_in_the_picture() -> None:
    """While the model moves on the ground; its motion up and down shows."""
    view = CameraView(Pose((-3.0, 0.5, 1.2), Euler(0.0, 0.3, 0.1)), follows="car")
    before = seen(view.standing(0.0), (0.1, 0.2, 0.3))
    after = seen(view.standing(7.0, (5.0, -4.0)), (5.1, -3.8, 0.3))
    raised = seen(view.standing(7.0, (5.0, -4.0)), (5.1, -3.8, 0.5))
    assert after == pytest.approx(before)
    assert raised[1] < before[1] - 5


def test_a_camera_that_orbits_looks_at_its_axis_from_all_sides() -> None:
    """Counter-clockwise from above, at the same height; after a full turn it is where it began."""
    view = CameraView(Pose((-3.0, 0.0, 2.0), Euler(0.0, 0.4, 0.0)), orbit_rate=math.pi / 2)
    places = [view.standing(time, (1.0, 1.0)).pose.position for time in range(5)]
    expected = [(-2, 1, 2), (1, -2, 2), (4, 1, 2), (1, 4, 2), (-2, 1, 2)]
    np.testing.assert_allclose(places, expected, atol=1e-12)
    pixels = [seen(view.standing(time, (1.0, 1.0)), (1.0, 1.0, 0.7)) for time in range(5)]
    np.testing.assert_allclose(pixels, [pixels[0]] * 5)

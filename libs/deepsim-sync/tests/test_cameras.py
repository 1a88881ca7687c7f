# SPDX-License-Identifier: Apache-2.0
"""Free cameras that follow a model or orbit; views and mounts that cannot be are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest

from deepsim_math import Euler, Pose
from deepsim_sync import CameraMount, CameraView


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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"horizontal_fov": 0.0}, "horizontal_fov must lie in"),
        ({"horizontal_fov": 3.2}, "horizontal_fov must lie in"),
        ({"width": 0}, "0 x 240"),
        ({"height": -1}, "320 x -1"),
    ],
)
def test_a_camera_view_needs_an_opening_and_pixels(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CameraView(Pose(), **options)


def test_a_checked_mount_has_a_unit_quaternion() -> None:
    mount = CameraMount(Pose((1, 2, 3), (0, 0, 3, 4)), 1.0).checked("eye")
    assert mount == CameraMount(Pose((1, 2, 3), (0, 0, 0.6, 0.8)), 1.0)


@pytest.mark.parametrize(
    ("mount", "message"),
    [
        (
            CameraMount(Pose(), 0.0),
            r"horizontal_fov of camera 'eye' must lie in \(0, pi\) rad, got 0",
        ),
        (CameraMount(Pose(), math.pi), "horizontal_fov of camera 'eye'"),
        (CameraMount(Pose(), math.nan), "horizontal_fov of camera 'eye'"),
        (CameraMount(Pose((math.inf, 0, 0)), 1.0), "pose of camera 'eye' must be finite"),
        (CameraMount(Pose((0, 0, 0), (0, 0, 0, 0)), 1.0), "a quaternion that is not zero"),
    ],
)
def test_an_unfit_mount_is_refused_by_name(mount: CameraMount, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mount.checked("eye")

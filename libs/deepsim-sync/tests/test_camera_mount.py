# SPDX-License-Identifier: Apache-2.0
"""A camera is mounted by a pose and an angle of view that can be."""

from __future__ import annotations

import math

import pytest

from deepsim_math import Pose
from deepsim_sync import CameraMount


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

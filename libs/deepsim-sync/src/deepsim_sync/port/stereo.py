# SPDX-License-Identifier: Apache-2.0
"""Depth from the disparity of a stereo pair of cameras."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

STEP = 1.0 / 16.0
"""Resolution of disparities [pixels], as in common block matchers."""
_AGREE = 1.0  # largest difference between the disparities of the two cameras [pixels]


class StereoPicture(NamedTuple):
    """The measurement of a stereo pair, for each pixel of the left camera.

    >>> stereo_depth([[4.0] * 4], [[4.0] * 4], focal=100.0, baseline=0.08).depth
    array([[inf, inf,  4.,  4.]])
    """

    disparity: NDArray[np.float64]
    """Shift to the left in the right camera's picture, (height, width) [pixels]; 0 for none."""
    depth: NDArray[np.float64]
    """Depth along the optical axis from the disparity, (height, width) [m]; inf for none."""


def stereo_depth(left: ArrayLike, right: ArrayLike, focal: float, baseline: float) -> StereoPicture:
    """Returns the measurement of a stereo pair, given the exact depths of its two cameras.

    A surface at depth z has the disparity focal * baseline / z, rounded to 1/16 pixel, so that
    distant depths are coarse. It is measured where the right camera sees it too, which is where the
    disparities of both agree within a pixel, but not where it is hidden from the right camera or
    outside its picture. Brightness plays no role, so that plain surfaces are measured as well.

    >>> stereo_depth([[5.0] * 5], [[5.0] * 5], focal=100.0, baseline=0.1).disparity
    array([[0., 0., 2., 2., 2.]])

    Args:
        left: Depths along the optical axis, (height, width) [m]; inf for none.
        right: Depths of a camera with the same lens, `baseline` to the right.
        focal: Focal length [pixels], `CameraView.intrinsic[0, 0]`.
        baseline: Distance between the cameras [m], > 0.

    Raises:
        ValueError: The pictures differ in shape, or a length is not > 0.
    """
    here, there = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if here.ndim != 2 or here.shape != there.shape:
        raise ValueError(
            f"depths of both cameras must have one shape (h, w), got {here.shape}, {there.shape}"
        )
    if not (focal > 0.0 and baseline > 0.0):
        raise ValueError(f"focal and baseline must be > 0, got {focal:g} and {baseline:g}")
    disparity, other = focal * baseline / here, focal * baseline / there
    column = np.rint(np.arange(here.shape[1]) - disparity).astype(np.intp)
    seen = np.take_along_axis(other, np.maximum(column, 0), axis=1)
    rounded = np.rint(disparity / STEP) * STEP
    found = (column >= 0) & (np.abs(seen - disparity) <= _AGREE) & (rounded > 0.0)
    depth = np.full(here.shape, np.inf)
    np.divide(focal * baseline, rounded, out=depth, where=found)
    return StereoPicture(np.where(found, rounded, 0.0), depth)

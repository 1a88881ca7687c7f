# SPDX-License-Identifier: Apache-2.0
"""Depth by the disparity of a stereo pair of cameras."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

STEP = 1.0 / 16.0
"""[pixels] Disparities are multiples of it, as those of common block matchers."""
_AGREE = 1.0  # [pixels] between what the two cameras say about a surface


class StereoPicture(NamedTuple):
    """The view of the left camera."""

    disparity: NDArray[np.float64]
    """(height, width) by how many pixels the right camera has it farther left; 0 for nothing."""
    depth: NDArray[np.float64]
    """(height, width) along the optical axis [m], as that disparity says; inf for nothing."""


def stereo_depth(left: ArrayLike, right: ArrayLike, focal: float, baseline: float) -> StereoPicture:
    """Returns the measurement of a stereo pair, from the depths of its cameras.

    A surface at depth z has a disparity of focal * baseline / z, rounded to 1/16 pixel: far away,
    depths are coarse. It counts only where the right camera sees the same surface, within a pixel
    of disparity: not beside an edge that hides it from one camera, nor outside of the other
    picture. Brightness plays no part, so that plain surfaces count.

    Example::

        left, right = (world.measure(f"eyes::link::{side}").depth for side in ("left", "right"))
        stereo_depth(left, right, view.intrinsic[0, 0], baseline=0.1).depth

    Args:
        left: (height, width) depths along the optical axis [m], inf for nothing.
        right: The same from `baseline` farther right, with the same lens.
        focal: Focal length [pixels], `CameraView.intrinsic[0, 0]`.
        baseline: Between the cameras [m], > 0.

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

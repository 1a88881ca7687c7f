# SPDX-License-Identifier: Apache-2.0
"""Pictures of landscapes as heights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .description import Heightmap
from .errors import ModelFormatError
from .pictures import picture_pixels

_FORMATS = ("PNG", "JPEG")  # Gazebo takes all others for elevation models


def heightmap_heights(heightmap: Heightmap) -> NDArray[np.float64]:
    """Returns the heights of a landscape at its pixels, from 8 bits of grey as in Gazebo 11.

    The brightest pixel is as high as the heightmap's size says, whatever its brightness. Of colours
    blue counts, the first channel in Gazebo's memory. 16 bits count in full, of which Gazebo takes
    the lower 8. It needs the extra ``deepsim-spawn[images]``.

    Returns:
        (n, n) [m] above the heightmap's position. Row 0 is the lower edge of the picture, at the
        least y, column 0 its left edge, at the least x; the outer pixels lie on the edges.

    Raises:
        ModelFormatError: The file is an elevation model, cannot be read, is not a square of 2^k + 1
            pixels a side, as Gazebo requires, or is larger than 16 million pixels; or the extra is
            not installed.
    """
    file = str(heightmap.path)
    if not heightmap.is_picture:
        raise ModelFormatError(
            "elevation models are not read: a heightmap needs a .png or .jpg picture", file=file
        )
    pixels = picture_pixels(heightmap.path, _FORMATS, "heightmaps")
    rows, columns, _ = pixels.shape
    if rows != columns or rows < 2 or (rows - 1) & (rows - 2):
        raise ModelFormatError(
            f"has {columns} x {rows} pixels, but a heightmap is a square of 2^k + 1 pixels a side: "
            "3, 5, 9 ... 129, 257, 513",
            file=file,
        )
    bright = pixels[::-1, :, -1].astype(np.float64)
    return np.asarray(bright * (heightmap.size.z / max(bright.max(), 1.0)))

# SPDX-License-Identifier: Apache-2.0
"""Pictures as landscapes; needs the extra ``deepsim-spawn[images]``."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .description.geometry import Heightmap
from .errors import ModelFormatError

_MOST_PIXELS = 2**24
_FORMATS = ("PNG", "JPEG")  # Gazebo reads all others as elevation models


def heightmap_heights(heightmap: Heightmap) -> NDArray[np.float64]:
    """Returns the heights of a landscape at its pixels.

    The brightest pixel gets the height in the heightmap's `size`, whatever its brightness. In a
    colour picture only the blue channel counts, as in Gazebo 11. In a 16-bit picture all bits
    count, whereas Gazebo uses the lower 8. Needs the extra ``deepsim-spawn[images]``.

    Returns:
        Heights (n, n) [m] above the heightmap's position. Row 0 is the lower edge of the picture
        (least y), column 0 its left edge (least x); the outer pixels lie on the edges.

    Raises:
        ModelFormatError: The file is an elevation model, cannot be read, is not a square with a
            side of 2^k + 1 pixels, as Gazebo requires, or has more than 16 million pixels; or the
            extra is not installed.
    """
    file = str(heightmap.path)
    if not heightmap.is_picture:
        raise ModelFormatError(
            "elevation models are not supported: a heightmap must be a .png or .jpg", file=file
        )
    pixels = _pixels(heightmap.path)
    rows, columns, _ = pixels.shape
    if rows != columns or rows < 2 or (rows - 1) & (rows - 2):
        raise ModelFormatError(
            f"a heightmap must be a square with a side of 2^k + 1 pixels (3, 5, 9 ... 257, 513), "
            f"got {columns} x {rows}",
            file=file,
        )
    bright = pixels[::-1, :, -1].astype(np.float64)
    return np.asarray(bright * (heightmap.size.z / max(bright.max(), 1.0)))


def _pixels(path: Path) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Returns colours (height, width, 3), or grey (height, width, 1) of 16 bits, top row first."""
    file = str(path)
    try:
        import PIL.Image  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise ModelFormatError(
            "heightmaps need an extra: pip install 'deepsim-spawn[images]'", file=file
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", PIL.Image.DecompressionBombWarning)
            picture = PIL.Image.open(path, formats=_FORMATS)
        with picture:
            if picture.width * picture.height > _MOST_PIXELS:
                raise ValueError(
                    f"expected <= {_MOST_PIXELS} pixels, got {picture.width} x {picture.height}"
                )
            if picture.mode.startswith("I"):  # 16 bits, which Pillow would cut off at 255
                return np.asarray(picture).astype(np.uint16)[:, :, None]
            return np.asarray(picture.convert("RGB"), dtype=np.uint8)
    except Exception as error:  # Pillow raises different errors for each format
        raise ModelFormatError(f"cannot be read as a picture: {error}", file=file) from error

# SPDX-License-Identifier: Apache-2.0
"""Pictures of walls as rectangles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .description import Image
from .errors import ModelFormatError
from .pictures import picture_pixels

_FORMATS = ("PNG", "PPM", "JPEG", "BMP", "GIF")  # PPM is PGM too, in which maps are kept
_MOST_RECTANGLES = 2**14

_Bools = NDArray[np.bool_]
_Ints = NDArray[np.int64]


def image_rectangles(image: Image) -> NDArray[np.float64]:
    """Returns the ground plan of an image: rectangles that touch but do not overlap.

    It needs the extra ``deepsim-spawn[images]``. Transparency does not count.

    Returns:
        (n, 4) least x and y, largest x and y [m] in the image's frame; n is 0 if no pixel is dark.

    Raises:
        ModelFormatError: The file cannot be read, is larger than 16 million pixels or gives more
            than 16384 rectangles, or the extra is not installed.
    """
    solid = _halved(_brightness(image) <= image.threshold, image.granularity)
    by_rows, by_columns = _rectangles(solid), _rectangles(solid.T)[:, [1, 0, 3, 2]]
    fewer = min(by_rows, by_columns, key=len)
    if len(fewer) > _MOST_RECTANGLES:
        raise ModelFormatError(
            f"is a picture of {len(fewer)} rectangles, more than {_MOST_RECTANGLES}: "
            f"raise <granularity>, which is {image.granularity}",
            file=str(image.path),
        )
    return np.asarray(fewer * image.scale, dtype=np.float64)


def _brightness(image: Image) -> NDArray[np.uint8]:
    """Returns the mean of red, green and blue (height, width), the lowest row first."""
    pixels = picture_pixels(image.path, _FORMATS, "images")
    if pixels.dtype == np.uint16:
        bright = pixels[:, :, 0].astype(np.int64) >> 8
    else:
        bright = pixels.sum(axis=2, dtype=np.int64) // 3
    return bright[::-1].astype(np.uint8)


def _halved(solid: _Bools, granularity: int) -> _Bools:
    """Returns parts of at most so many pixels, each solid if one of its pixels is.

    The parts are those of Gazebo's `MapShape`: the lower half of an odd number is the smaller one.
    """
    if granularity == 1:
        return solid
    height, width = solid.shape
    counts = np.pad(solid.astype(np.int64), ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    corners = np.zeros((height + 1, width + 1), dtype=np.int64)
    parts = np.array([[0, 0, width, height]])
    while len(parts):
        x, y, w, h = parts.T
        right, top = x + w, y + h
        filled = counts[top, right] - counts[y, right] - counts[top, x] + counts[y, x]
        whole = (filled > 0) & ((w * h <= granularity) | (filled == w * h))
        for rows, columns, step in ((y, x, 1), (y, right, -1), (top, x, -1), (top, right, 1)):
            np.add.at(corners, (rows[whole], columns[whole]), step)
        x, y, w, h = parts[(filled > 0) & ~whole].T
        left, low = w // 2, h // 2
        parts = np.concatenate(
            [
                np.column_stack([x, y, left, low]),
                np.column_stack([x + left, y, w - left, low]),
                np.column_stack([x, y + low, left, h - low]),
                np.column_stack([x + left, y + low, w - left, h - low]),
            ]
        )
    return np.asarray(corners.cumsum(0).cumsum(1)[:height, :width] > 0)


def _rectangles(solid: _Bools) -> _Ints:
    """Runs along the rows, equal ones of neighbouring rows as one: (n, 4) x, y to x, y."""
    edges = np.diff(np.pad(solid, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    order = np.lexsort((rows, ends, starts))
    rows, starts, ends = rows[order], starts[order], ends[order]
    first = np.ones(len(rows), dtype=np.bool_)
    first[1:] = (np.diff(starts) != 0) | (np.diff(ends) != 0) | (np.diff(rows) != 1)
    last = np.append(first[1:], True)[: len(rows)]
    return np.column_stack([starts[first], rows[first], ends[first], rows[last] + 1])

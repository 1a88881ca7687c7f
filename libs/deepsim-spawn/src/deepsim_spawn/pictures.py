# SPDX-License-Identifier: Apache-2.0
"""Pictures as pixels, walls and landscapes; needs the extra ``deepsim-spawn[images]``."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .description.geometry import Heightmap, Image
from .errors import ModelFormatError

_MOST_PIXELS = 2**24
_MOST_RECTANGLES = 2**14
_WALLS = ("PNG", "PPM", "JPEG", "BMP", "GIF")  # Pillow's PPM includes PGM, the format of maps
_LANDSCAPES = ("PNG", "JPEG")  # Gazebo reads all others as elevation models

_Bools = NDArray[np.bool_]
_Ints = NDArray[np.int64]


def picture_pixels(
    path: Path, formats: tuple[str, ...], shape: str
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Returns the pixels of a picture, top row first; transparency is ignored.

    Args:
        path: The file.
        formats: Accepted formats, by Pillow's names.
        shape: What the picture is used for, as a plural noun for messages, such as ``heightmaps``.

    Returns:
        Red, green and blue (height, width, 3), or grey (height, width, 1) of a 16-bit picture.

    Raises:
        ModelFormatError: The file cannot be read or has more than 16 million pixels, or the extra
            ``deepsim-spawn[images]`` is not installed.
    """
    file = str(path)
    try:
        import PIL.Image  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise ModelFormatError(
            f"{shape} need an extra: pip install 'deepsim-spawn[images]'", file=file
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", PIL.Image.DecompressionBombWarning)
            picture = PIL.Image.open(path, formats=formats)
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


def image_rectangles(image: Image) -> NDArray[np.float64]:
    """Returns the ground plan of an image as rectangles that touch but do not overlap.

    Transparency is ignored. Needs the extra ``deepsim-spawn[images]``.

    Returns:
        (n, 4) least x and y, largest x and y [m] in the image's frame; n is 0 if no pixel is dark.

    Raises:
        ModelFormatError: The file cannot be read, has more than 16 million pixels or yields more
            than 16384 rectangles; or the extra is not installed.
    """
    solid = _halved(_brightness(image) <= image.threshold, image.granularity)
    by_rows, by_columns = _rectangles(solid), _rectangles(solid.T)[:, [1, 0, 3, 2]]
    fewer = min(by_rows, by_columns, key=len)
    if len(fewer) > _MOST_RECTANGLES:
        raise ModelFormatError(
            f"an image must have <= {_MOST_RECTANGLES} rectangles, got {len(fewer)}: "
            f"raise <granularity>, which is {image.granularity}",
            file=str(image.path),
        )
    return np.asarray(fewer * image.scale, dtype=np.float64)


def _brightness(image: Image) -> NDArray[np.uint8]:
    """Returns the mean of red, green and blue (height, width), lowest row first."""
    pixels = picture_pixels(image.path, _WALLS, "images")
    if pixels.dtype == np.uint16:
        bright = pixels[:, :, 0].astype(np.int64) >> 8
    else:
        bright = pixels.sum(axis=2, dtype=np.int64) // 3
    return bright[::-1].astype(np.uint8)


def _halved(solid: _Bools, granularity: int) -> _Bools:
    """Merges pixels into parts of at most `granularity` pixels, solid if any pixel in them is.

    The parts are those of Gazebo's `MapShape`: when an odd number is halved, the half with the
    lower coordinates is the smaller one.
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
    """Returns rectangles (n, 4) of solid pixels: least x and y, largest x and y.

    Each is a run of pixels in a row, merged with equal runs in the rows beside it.
    """
    edges = np.diff(np.pad(solid, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    order = np.lexsort((rows, ends, starts))
    rows, starts, ends = rows[order], starts[order], ends[order]
    first = np.ones(len(rows), dtype=np.bool_)
    first[1:] = (np.diff(starts) != 0) | (np.diff(ends) != 0) | (np.diff(rows) != 1)
    last = np.append(first[1:], True)[: len(rows)]
    return np.column_stack([starts[first], rows[first], ends[first], rows[last] + 1])


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
    pixels = picture_pixels(heightmap.path, _LANDSCAPES, "heightmaps")
    rows, columns, _ = pixels.shape
    if rows != columns or rows < 2 or (rows - 1) & (rows - 2):
        raise ModelFormatError(
            f"a heightmap must be a square with a side of 2^k + 1 pixels (3, 5, 9 ... 257, 513), "
            f"got {columns} x {rows}",
            file=file,
        )
    bright = pixels[::-1, :, -1].astype(np.float64)
    return np.asarray(bright * (heightmap.size.z / max(bright.max(), 1.0)))

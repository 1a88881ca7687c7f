# SPDX-License-Identifier: Apache-2.0
"""Pictures of heightmaps and textures."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_spawn.description.height_grid import MOST_HEIGHTS
from deepsim_spawn.errors import ModelFormatError

MOST_PIXELS = MOST_HEIGHTS
"""Limit of the pixels of a picture."""
TEXTURES = ("PNG", "JPEG", "BMP", "TGA")
"""Formats of textures, as Pillow names them."""


def check_picture(path: Path) -> None:
    """Checks the format and size of a texture, without reading its pixels.

    Raises:
        ModelFormatError: As `read_picture`.
    """
    with _opened(path, TEXTURES) as picture:
        _check_size(picture, str(path))


def read_picture(
    path: Path, formats: tuple[str, ...] = TEXTURES
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Returns colours (height, width, 3), or grey (height, width, 1) of 16 bits, top row first.

    Raises:
        ModelFormatError: The file cannot be read, has another format, or has more than 16 million
            pixels; or the extra for pictures is not installed.
    """
    with _opened(path, formats) as picture:
        return pixels_of(picture, str(path))


def pixels_of(picture: Any, file: str) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Returns the pixels of a picture that Pillow has opened; see `read_picture`."""
    _check_size(picture, file)
    try:
        if picture.mode.startswith("I"):  # 16 bits, which Pillow would cut off at 255
            return np.asarray(picture).astype(np.uint16)[:, :, None]
        return np.asarray(picture.convert("RGB"), dtype=np.uint8)
    except Exception as error:  # Pillow raises different errors for each format
        raise ModelFormatError(f"cannot be read as a picture: {error}", file=file) from error


def _opened(path: Path, formats: tuple[str, ...]) -> Any:
    file = str(path)
    try:
        import PIL.Image  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise ModelFormatError(
            "pictures need an extra: pip install --find-links dist 'deepsim-spawn[images]'",
            file=file,
        ) from None
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise ModelFormatError("cannot be read as a picture: it is not a regular file", file=file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", PIL.Image.DecompressionBombWarning)
            return PIL.Image.open(path, formats=formats)
    except Exception as error:  # Pillow raises different errors for each format
        raise ModelFormatError(f"cannot be read as a picture: {error}", file=file) from error


def _check_size(picture: Any, file: str) -> None:
    width, height = picture.size
    if width * height > MOST_PIXELS:
        problem = f"expected <= {MOST_PIXELS} pixels, got {width} x {height}"
        raise ModelFormatError(f"cannot be read as a picture: {problem}", file=file)

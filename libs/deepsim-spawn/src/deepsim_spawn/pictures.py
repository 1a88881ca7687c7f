# SPDX-License-Identifier: Apache-2.0
"""Picture files as numbers."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .errors import ModelFormatError

_MOST_PIXELS = 2**24


def picture_pixels(
    path: Path, formats: tuple[str, ...], shape: str
) -> NDArray[np.uint8] | NDArray[np.uint16]:
    """Returns the pixels of a picture, the upper row first.

    It needs the extra ``deepsim-spawn[images]``. Transparency does not count.

    Args:
        path: The file.
        formats: Accepted formats, by the names of Pillow.
        shape: What the picture is for, in the plural, for messages.

    Returns:
        Red, green and blue (height, width, 3), or grey (height, width, 1) of a picture of 16 bits.

    Raises:
        ModelFormatError: The file cannot be read or is larger than 16 million pixels, or the extra
            is not installed.
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
                    f"{picture.width} x {picture.height} pixels are more than {_MOST_PIXELS}"
                )
            if picture.mode.startswith("I"):  # 16 bits, which Pillow would cut off at 255
                return np.asarray(picture).astype(np.uint16)[:, :, None]
            return np.asarray(picture.convert("RGB"), dtype=np.uint8)
    except Exception as error:  # each format of Pillow has errors of its own
        raise ModelFormatError(f"cannot be read as a picture: {error}", file=file) from error

# SPDX-License-Identifier: Apache-2.0
"""Colours in the form that batches of meshes take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def linear_bytes(colors: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Returns sRGB colours as linear light, which the renderer takes for instances of a batch.

    The formula is that of IEC 61966-2-1.

    Args:
        colors: (..., 3) sRGB, 0..1.

    Returns:
        (..., 3), 0..255.
    """
    linear = np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
    return np.asarray(np.rint(255.0 * np.clip(linear, 0.0, 1.0)), dtype=np.uint8)

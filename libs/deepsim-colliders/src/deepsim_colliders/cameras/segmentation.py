# SPDX-License-Identifier: Apache-2.0
"""Picture of what a camera sees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Segmentation(NamedTuple):
    """What each pixel shows; row 0 is the upper one, column 0 the left one."""

    ids: NDArray[np.int32]
    """Number of the collider in the set; -1 for none. Shape (height, width)."""

    depth: NDArray[np.float64]
    """Distance along the view's axis [m], as of depth cameras; infinite for none."""

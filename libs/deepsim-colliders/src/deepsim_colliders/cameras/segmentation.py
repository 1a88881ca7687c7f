# SPDX-License-Identifier: Apache-2.0
"""Picture of what a camera sees."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Segmentation(NamedTuple):
    """Collider and distance in each pixel; row 0 is the top, column 0 the left.

    >>> from deepsim_colliders import ColliderSet, SphereCollider
    >>> from deepsim_math import Frustum, Pose
    >>> camera = Frustum(0.1, 10.0, 1.0, 1.0, Pose((-5, 0, 0)))
    >>> ColliderSet([SphereCollider(1.0)]).segmentation(camera, 3, 3).ids.tolist()
    [[-1, -1, -1], [-1, 0, -1], [-1, -1, -1]]
    """

    ids: NDArray[np.int32]
    """Number of the collider in the set; -1 for none. Shape (height, width)."""

    depth: NDArray[np.float64]
    """Distance along the view's axis [m], as of depth cameras; infinite for none."""

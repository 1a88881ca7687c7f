# SPDX-License-Identifier: Apache-2.0
"""What the 3D colliders share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Point, Pose, Vector3

from ._frames import Frame3D, Triple
from ._shape import Shape


class Collider3D(Shape):
    """Collider in space."""

    dimensions = 3

    def _make_frame(self, pose: Pose) -> Frame3D:
        return Frame3D(pose)

    def _point(self, values: Any) -> Triple:
        if not isinstance(values, (Point, Vector3)):
            values = Point.from_array(values)
        return values.x, values.y, values.z

    def _refuse_array(self, points: NDArray[np.float64]) -> None:
        if points.shape[-1:] != (3,):
            raise ValueError(f"points must have shape (..., 3), got {points.shape}")

# SPDX-License-Identifier: Apache-2.0
"""What the 2D colliders share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Point, Pose, Vector3

from ._frames import Frame2D, Pair
from ._shape import Shape


class Collider2D(Shape):
    """Collider on the ground: it knows x, y and yaw of its pose, and ignores every z.

    In 3D it is as if it had walls without end up and down: a ray meets it where the ray's shadow on
    the ground does. The yaw is that of the forward axis of the pose, seen from above; other tilt
    changes nothing. While the forward axis is vertical, the yaw is 0.
    """

    dimensions = 2

    def _make_frame(self, pose: Pose) -> Frame2D:
        return Frame2D(pose)

    def _point(self, values: Any) -> Pair:
        if not isinstance(values, (Point, Vector3)):
            row = list(values) if hasattr(values, "__len__") and len(values) == 2 else None
            values = Point.from_array([*row, 0.0] if row else values)
        return values.x, values.y

    def _refuse_array(self, points: NDArray[np.float64]) -> None:
        if points.shape[-1:] not in ((2,), (3,)):
            raise ValueError(f"points must have shape (..., 2) or (..., 3), got {points.shape}")

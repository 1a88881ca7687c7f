# SPDX-License-Identifier: Apache-2.0
"""The pinhole model, from pixels to directions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import CameraView

Array = NDArray[np.float64]


class Lens:
    """The position of a view and the directions of its pixels, in the world frame.

    Attributes:
        position: Position, (3,) [m].
        forward: Unit vector of the optical axis, (3,).
        left: Unit vector towards the left edge of the picture, (3,).
        up: Unit vector towards the upper edge of the picture, (3,).
        half_width: Half the width of the picture at depth 1 m [m].
        half_height: Half the height of the picture at depth 1 m [m].
        pixel: Side of a pixel at depth 1 m [m]; pixels are square.
    """

    def __init__(self, view: CameraView) -> None:
        self.position: Array = np.array(view.pose.position)
        self.forward: Array = np.array(view.pose.forward)
        self.left: Array = np.array(view.pose.left)
        self.up: Array = np.array(view.pose.up)
        self.half_width = math.tan(view.horizontal_fov / 2)
        self.pixel = 2 * self.half_width / view.width
        self.half_height = self.pixel * view.height / 2

    def rays(self, columns: Array, rows: Array) -> Array:
        """Returns the directions of pixels, (3, n), with length 1 along the optical axis.

        Args:
            columns: Pixels from the left edge, (n,); the centre of the first pixel is 0.5.
            rows: Pixels from the upper edge, (n,).
        """
        leftward = np.outer(self.left, self.half_width - columns * self.pixel)
        upward = np.outer(self.up, self.half_height - rows * self.pixel)
        return leftward + upward + self.forward[:, None]

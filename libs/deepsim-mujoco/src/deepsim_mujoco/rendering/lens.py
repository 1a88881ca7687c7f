# SPDX-License-Identifier: Apache-2.0
"""A pinhole: from pixels to directions."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import CameraView

Array = NDArray[np.float64]


class Lens:
    """The position of a view and the directions of its pixels, in the world frame.

    Attributes:
        position: (3,) [m].
        forward: (3,) unit vector of the optical axis.
        left: (3,) unit vector towards the left edge of the picture.
        up: (3,) unit vector towards the upper edge of the picture.
        half_width: Half the width of the picture at depth 1.
        half_height: Half the height of the picture at depth 1.
        pixel: Size of a pixel at depth 1; pixels are square.
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
        """Returns (3, n) directions, of length 1 along the axis: multiples of them are depths.

        Args:
            columns: (n,) pixels from the left edge; the centre of the first pixel is 0.5.
            rows: (n,) pixels from the upper edge.
        """
        leftward = np.outer(self.left, self.half_width - columns * self.pixel)
        upward = np.outer(self.up, self.half_height - rows * self.pixel)
        return leftward + upward + self.forward[:, None]

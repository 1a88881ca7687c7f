# SPDX-License-Identifier: Apache-2.0
"""A camera that needs no OpenGL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco
from deepsim_mujoco.rendering.lens import Lens
from deepsim_sync import CameraView

from .tracer import Tracer

_BLOCK = 32_768  # rays at a time: more would not fit into the caches


class RayCamera:
    """Casts a ray through the middle of each pixel.

    The same state gives the same bytes. Edges are hard. Of several translucent geoms behind one
    another the nearest is seen, and they throw no shadow. The only textures are the sky and the
    checker of planes.
    """

    def render(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        view: CameraView,
        near: float,
        far: float,
    ) -> NDArray[np.uint8]:
        """Returns a picture of the present state; see :class:`Camera`."""
        lens = Lens(view)
        tracer = Tracer(model, data, lens, near, far)
        picture = np.empty((view.height * view.width, 3), np.uint8)
        for start in range(0, len(picture), _BLOCK):
            pixels = np.arange(start, min(start + _BLOCK, len(picture)))
            rows, columns = np.divmod(pixels, view.width)
            colours = tracer.colours(lens.rays(columns + 0.5, rows + 0.5))
            picture[pixels] = np.rint(255 * colours.T)
        return picture.reshape(view.height, view.width, 3)

    def close(self) -> None:
        """Does nothing; the camera holds no resources."""

# SPDX-License-Identifier: Apache-2.0
"""A camera that needs no OpenGL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco
from deepsim_sync import CameraView

from .bundle import compact_order
from .lens import Lens
from .tracer import Tracer

_ROUGH = 0.08  # neighbours that differ by more, of 0..1, get more rays
_EXTRA_RAYS = [(0.36, 0.12), (-0.29, 0.26), (-0.07, -0.38)]  # [pixels] from the first, centred


class RayCamera:
    """Casts rays and shades what they hit with NumPy.

    The same state gives the same bytes. Surfaces are matt. Shadows come from the strongest light
    that casts them; of several translucent things behind one another the nearest is seen, and
    they throw no shadow. Of textures only the sky and the checker of planes are drawn. A mesh
    takes longer than all other shapes together.
    """

    def render(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        view: CameraView,
        near: float,
        far: float,
    ) -> NDArray[np.uint8]:
        """A picture of the present state; see :class:`Camera`."""
        tracer = Tracer(model, data, Lens(view), near, far)
        order = compact_order(view.width, view.height)
        rows, columns = np.divmod(order, view.width) + np.array(0.5)
        colours = tracer.colours(columns, rows)
        picture = np.empty((3, view.height, view.width), np.float32)
        picture.reshape(3, -1)[:, order] = colours
        rough = np.flatnonzero(_rough(picture).reshape(-1)[order])
        if rough.size:
            x, y = np.array(_EXTRA_RAYS).T
            more = tracer.colours(
                (columns[rough, None] + x).reshape(-1), (rows[rough, None] + y).reshape(-1)
            ).reshape(3, -1, len(x))
            smooth = (colours[:, rough] + more.sum(axis=2)) / (1 + len(x))
            picture.reshape(3, -1)[:, order[rough]] = smooth
        return np.rint(picture * 255).astype(np.uint8).transpose(1, 2, 0).copy()

    def close(self) -> None:
        """Nothing is held."""


def _rough(picture: NDArray[np.float32]) -> NDArray[np.bool_]:
    """(height, width) the pixels of a (3, height, width) picture on either side of an edge."""
    rough = np.zeros(picture.shape[1:], np.bool_)
    across = (np.abs(picture[:, :, 1:] - picture[:, :, :-1]) > _ROUGH).any(axis=0)
    rough[:, 1:] |= across
    rough[:, :-1] |= across
    down = (np.abs(picture[:, 1:] - picture[:, :-1]) > _ROUGH).any(axis=0)
    rough[1:] |= down
    rough[:-1] |= down
    return rough

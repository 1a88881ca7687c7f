# SPDX-License-Identifier: Apache-2.0
"""The frames of links."""

from __future__ import annotations

from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_sync import World
from deepsim_viewer.scene.frame import Frame


class Axes:
    """Axes x, y, z in red, green and blue at the frames of all links.

    Args:
        scene: The scene of the browser.
        offsets: (w, 3) where the worlds stand [m].
    """

    label = "Frames"

    def __init__(self, scene: viser.SceneApi, offsets: NDArray[np.float64]) -> None:
        self._scene, self._offsets = scene, offsets
        self._handle: Any = None

    def read(self, world: World, shown: int) -> None:
        """Reads nothing: poses are in the frame."""

    def show(self, frame: Frame, numbers: None) -> None:
        """Draws the axes."""
        positions = (frame.poses[..., :3] + self._offsets[:, None]).reshape(-1, 3)
        turns = frame.poses[..., [6, 3, 4, 5]].reshape(-1, 4)
        handle = self._handle
        if handle is not None and len(handle.batched_positions) == len(positions):
            handle.batched_positions = positions.astype(np.float32)
            handle.batched_wxyzs = turns.astype(np.float32)
            return
        self.hide()
        self._handle = self._scene.add_batched_axes(
            "/marks/axes", turns, positions, axes_length=0.2, axes_radius=0.006
        )

    def hide(self) -> None:
        """Removes the axes."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

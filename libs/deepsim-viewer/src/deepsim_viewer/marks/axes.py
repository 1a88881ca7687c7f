# SPDX-License-Identifier: Apache-2.0
"""The frames of links and the names of models."""

from __future__ import annotations

from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_sync import SCOPE
from deepsim_viewer.scene.frame import Frame
from deepsim_viewer.scene.instances import Layout

from .mark import Mark


class Axes(Mark):
    """Axes x, y, z in red, green and blue at the frames of all links."""

    label = "Frames"

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


_MOST = 200


class Labels(Mark):
    """Labels with the names of models, at most 200 over all worlds."""

    label = "Names"

    def __init__(self, scene: viser.SceneApi, offsets: NDArray[np.float64]) -> None:
        super().__init__(scene, offsets)
        self._layout: Layout | None = None
        self._handles: list[tuple[int, int, Any]] = []

    def show(self, frame: Frame, numbers: None) -> None:
        """Draws the names."""
        if frame.layout is not self._layout:
            self.hide()
            self._layout = frame.layout
            cells = [
                (world, row, name)
                for world in range(len(self._offsets))
                for row, name in enumerate(frame.entities.models)
                if SCOPE not in name
            ]
            self._handles = [
                (world, row, self._scene.add_label(f"/marks/labels/{world}/{row}", name))
                for world, row, name in cells[:_MOST]
            ]
        for world, row, handle in self._handles:
            handle.position = frame.models[world, row, :3] + self._offsets[world]

    def hide(self) -> None:
        """Removes the names."""
        for _, _, handle in self._handles:
            handle.remove()
        self._handles, self._layout = [], None

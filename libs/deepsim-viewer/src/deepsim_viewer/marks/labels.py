# SPDX-License-Identifier: Apache-2.0
"""The names of models."""

from __future__ import annotations

from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_sync import SCOPE, World
from deepsim_viewer.scene.frame import Frame
from deepsim_viewer.scene.layout import Layout

_MOST = 200


class Labels:
    """The names of the first models of each world, at most 200 in all.

    Args:
        scene: The scene of the browser.
        offsets: (w, 3) where the worlds stand [m].
    """

    label = "Names"

    def __init__(self, scene: viser.SceneApi, offsets: NDArray[np.float64]) -> None:
        self._scene, self._offsets = scene, offsets
        self._layout: Layout | None = None
        self._handles: list[tuple[int, int, Any]] = []

    def read(self, world: World, shown: int) -> None:
        """Reads nothing: poses are in the frame."""

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

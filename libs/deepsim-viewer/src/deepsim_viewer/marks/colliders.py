# SPDX-License-Identifier: Apache-2.0
"""The collision shapes of links."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_viewer.scene.batches import Batches
from deepsim_viewer.scene.frame import Frame
from deepsim_viewer.scene.instances import Layout, collider_instances

from .mark import Mark

_COLOR = (1.0, 0.45, 0.1)
_OPACITY = 0.45


class Colliders(Mark):
    """The collision shapes of all links, drawn semi-transparent."""

    label = "Colliders"

    def __init__(self, scene: viser.SceneApi, offsets: NDArray[np.float64]) -> None:
        super().__init__(scene, offsets)
        self._layout: Layout | None = None
        self._batches: Batches | None = None
        self._colors = np.zeros((0, 0, 3))
        self._opacities = np.zeros((0, 0))

    def show(self, frame: Frame, numbers: None) -> None:
        """Draws the shapes."""
        if frame.layout is not self._layout:
            self.hide()
            self._layout = frame.layout
            instances = collider_instances(frame.layout.descriptions, frame.entities)
            cells = len(self._offsets), len(instances.surfaces)
            self._colors = np.broadcast_to(_COLOR, (*cells, 3))
            self._opacities = np.full(cells, _OPACITY)
            self._batches = Batches(
                self._scene,
                instances,
                self._painted(frame),
                self._offsets,
                lambda *_: None,
                name="/marks/colliders",
            )
        elif self._batches is not None:
            self._batches.update(self._painted(frame))

    def hide(self) -> None:
        """Removes the shapes."""
        if self._batches is not None:
            self._batches.remove()
        self._batches = self._layout = None

    def _painted(self, frame: Frame) -> Frame:
        return replace(frame, colors=self._colors, opacities=self._opacities)

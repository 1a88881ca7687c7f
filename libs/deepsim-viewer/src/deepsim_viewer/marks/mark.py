# SPDX-License-Identifier: Apache-2.0
"""The base class of marks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_sync import World
from deepsim_viewer.scene.frame import Frame


class Mark(ABC):
    """A kind of mark that is drawn in addition to the models, and costs nothing while it is off.

    Args:
        scene: The scene of the browser.
        offsets: (w, 3) positions of the worlds [m].

    Attributes:
        label: Name in the panel.
    """

    label: str

    def __init__(self, scene: viser.SceneApi, offsets: NDArray[np.float64]) -> None:
        self._scene, self._offsets = scene, offsets
        self._handle: Any = None

    def read(self, world: World, shown: int) -> Any:
        """Returns the data needed in addition to the frame, as new arrays.

        It is called in the world's thread.

        Args:
            world: The world.
            shown: Number of worlds to draw.
        """
        return None

    @abstractmethod
    def show(self, frame: Frame, numbers: Any) -> None:
        """Draws the marks, from the result of `read` and the frame of the same instant."""

    def hide(self) -> None:
        """Removes the marks."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None

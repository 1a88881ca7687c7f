# SPDX-License-Identifier: Apache-2.0
"""A kind of mark."""

from __future__ import annotations

from typing import Any, Protocol

from deepsim_sync import World
from deepsim_viewer.scene.frame import Frame


class Mark(Protocol):
    """Marks that are drawn beside the models; they cost nothing while they are off.

    Attributes:
        label: In the panel.
    """

    label: str

    def read(self, world: World, shown: int) -> Any:
        """Returns the numbers to be drawn, as new arrays; called in the world's thread.

        Args:
            world: The world.
            shown: How many of its W worlds are drawn.
        """
        ...

    def show(self, frame: Frame, numbers: Any) -> None:
        """Draws the numbers of `read` and the frame of the same instant."""
        ...

    def hide(self) -> None:
        """Removes all that was drawn."""
        ...

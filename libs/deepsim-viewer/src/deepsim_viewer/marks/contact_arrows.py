# SPDX-License-Identifier: Apache-2.0
"""The forces between links that touch."""

from __future__ import annotations

from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_sync import World
from deepsim_viewer.scene.frame import Frame

_PER_NEWTON = 0.01  # [m/N]
_SHORTEST, _LONGEST = 0.05, 1.0  # [m]


class ContactArrows:
    """An arrow at each point of contact: the force on the second link, 1 cm for each newton.

    Args:
        scene: The scene of the browser.
        offsets: (w, 3) where the worlds stand [m].
    """

    label = "Contacts"

    def __init__(self, scene: viser.SceneApi, offsets: NDArray[np.float64]) -> None:
        self._scene, self._offsets = scene, offsets
        self._handle: Any = None

    def read(self, world: World, shown: int) -> list[tuple[NDArray[np.float64], ...]]:
        """Returns the positions and forces of each world."""
        contacts = world.simulator.contacts
        if contacts is None:
            return []
        points = [contacts.read(number) for number in range(shown)]
        return [(each.position, each.force) for each in points]

    def show(self, frame: Frame, numbers: list[tuple[NDArray[np.float64], ...]]) -> None:
        """Draws the arrows."""
        self.hide()
        arrows = [
            _arrows(position + offset, force)
            for (position, force), offset in zip(numbers, self._offsets, strict=False)
        ]
        points = np.concatenate(arrows) if arrows else np.zeros((0, 2, 3))
        if len(points):
            self._handle = self._scene.add_arrows(
                "/marks/contacts",
                points.astype(np.float32),
                (230, 30, 60),
                shaft_radius=0.008,
                head_radius=0.02,
                head_length=0.04,
            )

    def hide(self) -> None:
        """Removes the arrows."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None


def _arrows(position: NDArray[np.float64], force: NDArray[np.float64]) -> NDArray[np.float64]:
    """Starts and ends (k, 2, 3) [m] of the forces that are not 0."""
    sizes = np.linalg.norm(force, axis=-1)
    acts = sizes > 1e-9
    lengths = np.clip(_PER_NEWTON * sizes[acts], _SHORTEST, _LONGEST)
    way = force[acts] / sizes[acts, None] * lengths[:, None]
    return np.stack([position[acts], position[acts] + way], axis=1)

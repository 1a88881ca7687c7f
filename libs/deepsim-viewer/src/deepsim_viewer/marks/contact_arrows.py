# SPDX-License-Identifier: Apache-2.0
"""The forces between touching links."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import World
from deepsim_viewer.scene.frame import Frame

from .mark import Mark

_PER_NEWTON = 0.01  # [m/N]
_SHORTEST, _LONGEST = 0.05, 1.0  # [m]


class ContactArrows(Mark):
    """Arrows of the force on the second link at each contact: 1 cm per newton, 5 cm to 1 m long."""

    label = "Contacts"

    def read(self, world: World, shown: int) -> list[tuple[NDArray[np.float64], ...]]:
        """Returns the contact points (k, 3) [m] and forces (k, 3) [N] of each shown world."""
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


def _arrows(position: NDArray[np.float64], force: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns starts and ends (k, 2, 3) [m] of the arrows of non-zero forces."""
    sizes = np.linalg.norm(force, axis=-1)
    acts = sizes > 1e-9
    lengths = np.clip(_PER_NEWTON * sizes[acts], _SHORTEST, _LONGEST)
    way = force[acts] / sizes[acts, None] * lengths[:, None]
    return np.stack([position[acts], position[acts] + way], axis=1)

# SPDX-License-Identifier: Apache-2.0
"""The first shape on each of many rays."""

from __future__ import annotations

import numpy as np

from deepsim_colliders._rows import Array, Index


class Nearest:
    """For each ray the nearest meeting so far; of equals, that with the lowest row."""

    def __init__(self, rays: int) -> None:
        self.distance: Array = np.full(rays, np.inf)
        self.row: Index = np.full(rays, -1)

    def add(self, ray: Index, row: Index, distance: Array) -> None:
        """Records more meetings, at distances that may be infinite."""
        while True:
            best, before = self.distance[ray], self.row[ray]
            closer = (distance < best) | ((distance == best) & (row < before))
            which = np.flatnonzero(closer)
            if not which.size:
                return
            ray, row, distance = ray[which], row[which], distance[which]
            # Of several for one ray, the last is kept; the others have their turn again.
            self.distance[ray], self.row[ray] = distance, row

# SPDX-License-Identifier: Apache-2.0
"""Which shape each of many rays meets first."""

from __future__ import annotations

import numpy as np

from ._rows import Array, Index, Rows


class Nearest:
    """For each ray the nearest meeting so far; of equals, that with the lowest collider."""

    def __init__(self, rows: Rows, rays: int) -> None:
        self._owner = rows.owner
        self.distance: Array = np.full(rays, np.inf)
        self.row: Index = np.full(rays, -1)

    def add(self, ray: Index, row: Index, distance: Array) -> None:
        """Take note of more meetings, at distances that may be infinite."""
        owner = self._owner
        while True:
            best, row_before = self.distance[ray], self.row[ray]
            closer = distance < best
            tie = (distance == best) & (row_before >= 0)
            if tie.any():
                closer |= tie & (owner[row] < owner[row_before])
            which = np.flatnonzero(closer)
            if not which.size:
                return
            ray, row, distance = ray[which], row[which], distance[which]
            # Of several for one ray, the last is kept; the others have their turn again.
            self.distance[ray], self.row[ray] = distance, row

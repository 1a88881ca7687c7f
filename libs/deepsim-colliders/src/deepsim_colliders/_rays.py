# SPDX-License-Identifier: Apache-2.0
"""Many rays as columns of arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._rows import Array, Index


class Rays(NamedTuple):
    """Rays of unit directions, of which each counts from `nearest` to `farthest`."""

    origins: Array
    """Shape (2 or 3, n), or (2 or 3, 1) when all start in one place."""
    directions: Array
    """Shape (2 or 3, n)."""
    nearest: Array
    """Shape (n,) [m]."""
    farthest: Array
    """Shape (n,) [m]."""

    @classmethod
    def read(
        cls, origins: Array, directions: Array, nearest: ArrayLike, farthest: ArrayLike
    ) -> tuple[Rays, tuple[int, ...]]:
        """Broadcast and check; also returns the leading shape.

        Raises:
            ValueError: when shapes do not fit, a direction has zero length or a distance is
                negative.
        """
        limits = [np.asarray(limit, dtype=np.float64) for limit in (nearest, farthest)]
        lead = np.broadcast_shapes(
            origins.shape[:-1], directions.shape[:-1], *(limit.shape for limit in limits)
        )
        if origins.shape[-1] != directions.shape[-1]:
            raise ValueError(
                f"origins and directions must have as many coordinates each, "
                f"got shapes {origins.shape} and {directions.shape}"
            )
        for name, limit in zip(("min_distance", "max_distance"), limits):
            if (limit < 0.0).any():
                raise ValueError(f"{name} must be >= 0 m, got {limit.min()}")
        lengths = np.sqrt(np.einsum("...d,...d->...", directions, directions))
        if not lengths.all():
            index = tuple(int(i) for i in np.argwhere(lengths == 0.0)[0])
            raise ValueError(f"the ray direction at index {index} has zero length")
        unit = directions / lengths[..., np.newaxis]
        columns = [_columns(rows, lead) for rows in (origins, unit)]
        rest = [np.broadcast_to(limit, lead).reshape(-1) for limit in limits]
        return cls(*columns, *rest), lead

    def flat(self, dimensions: int) -> Rays:
        """The same rays in as many coordinates; distances stay those in space."""
        return self._replace(
            origins=self.origins[:dimensions], directions=self.directions[:dimensions]
        )

    def take(self, which: Index) -> Rays:
        """Some of the rays. Origins may be one for all."""
        shared = self.origins.shape[1] == 1
        return Rays(
            self.origins if shared else self.origins[:, which],
            self.directions[:, which],
            self.nearest[which],
            self.farthest[which],
        )


def _columns(rows: Array, lead: tuple[int, ...]) -> Array:
    wide = np.broadcast_to(rows, (*lead, rows.shape[-1]))
    return np.ascontiguousarray(wide.reshape(-1, rows.shape[-1]).T)

# SPDX-License-Identifier: Apache-2.0
"""Many rays as columns of arrays, and the nearest shape on each ray."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from deepsim_colliders._borders import lengths

from .rows import Array, Index


class Rays(NamedTuple):
    """Rays with unit directions, each limited to distances from `nearest` to `farthest`."""

    origins: Array
    """Shape (2 or 3, n)."""
    directions: Array
    """Shape (2 or 3, n)."""
    nearest: Array
    """Shape (n,) [m]."""
    farthest: Array
    """Shape (n,) [m]."""

    @classmethod
    def read(
        cls,
        origins: Array,
        directions: Array,
        nearest: ArrayLike,
        farthest: ArrayLike,
        worlds: int | None = None,
    ) -> tuple[Rays, tuple[int, ...]]:
        """Checks rays, broadcasts their numbers and scales directions to length 1.

        Returns:
            The rays as columns, and the `leading_shape` of their array.

        Raises:
            ValueError: shapes do not match, a limit is negative, or a direction has zero length.
        """
        limits = [lengths(nearest, "min_distance"), lengths(farthest, "max_distance")]
        shapes = [origins.shape[:-1], directions.shape[:-1], *(limit.shape for limit in limits)]
        lead = leading_shape(shapes, worlds)
        if origins.shape[-1] != directions.shape[-1]:
            raise ValueError(
                f"origins and directions must have the same number of coordinates, "
                f"got shapes {origins.shape} and {directions.shape}"
            )
        unit = _unit(directions)
        finite = np.isfinite(origins)
        if not finite.all():  # rays without a finite origin meet nothing
            origins = np.where(finite.all(axis=-1, keepdims=True), origins, np.nan)
        columns = [_columns(rows, lead) for rows in (origins, unit)]
        rest = [np.broadcast_to(limit, lead).reshape(-1) for limit in limits]
        return cls(*columns, *rest), lead

    def flat(self, dimensions: int) -> Rays:
        """Returns the rays reduced to `dimensions` coordinates; distances remain those in 3D."""
        return self._replace(
            origins=self.origins[:dimensions], directions=self.directions[:dimensions]
        )

    def take(self, which: Index) -> Rays:
        """Returns the selected rays."""
        return Rays(
            self.origins[:, which],
            self.directions[:, which],
            self.nearest[which],
            self.farthest[which],
        )


def leading_shape(shapes: list[tuple[int, ...]], worlds: int | None) -> tuple[int, ...]:
    """Returns the common shape of an array of rays, without the axis of coordinates.

    With `worlds`, its first axis is that of the worlds.
    """
    if worlds is None:
        return np.broadcast_shapes(*shapes)
    axes = max(1, *map(len, shapes))
    try:
        return np.broadcast_shapes((worlds,) + (1,) * (axes - 1), *shapes)
    except ValueError:
        raise ValueError(
            f"a set of {worlds} worlds needs ({worlds}, ..., 3), or shapes that broadcast to it, "
            f"got the leading shapes {', '.join(map(str, shapes))}"
        ) from None


def _unit(directions: Array) -> Array:
    """Returns directions of any nonzero length, scaled to length 1."""
    with np.errstate(all="ignore"):
        lengths = np.sqrt(np.einsum("...d,...d->...", directions, directions))
        # The squares of these overflow or underflow.
        odd = ~((lengths > 1e-150) & (lengths < 1e150))
        if odd.any():
            scale = np.abs(directions).max(axis=-1)
            if not scale.all():
                index = tuple(int(i) for i in np.argwhere(scale == 0.0)[0])
                raise ValueError(f"the ray direction at index {index} has zero length")
            directions = np.where(
                odd[..., np.newaxis], directions / scale[..., np.newaxis], directions
            )
            lengths = np.sqrt(np.einsum("...d,...d->...", directions, directions))
        unit: Array = directions / lengths[..., np.newaxis]
    return unit


def _columns(rows: Array, lead: tuple[int, ...]) -> Array:
    wide = np.broadcast_to(rows, (*lead, rows.shape[-1]))
    return np.ascontiguousarray(wide.reshape(-1, rows.shape[-1]).T)


class Nearest:
    """The nearest shape of each ray so far; among equals, the one with the lowest row."""

    def __init__(self, rays: int) -> None:
        self.distance: Array = np.full(rays, np.inf)
        self.row: Index = np.full(rays, -1)

    def add(self, ray: Index, row: Index, distance: Array) -> None:
        """Records rays that meet rows at distances, which may be infinite."""
        while True:
            best, before = self.distance[ray], self.row[ray]
            closer = (distance < best) | ((distance == best) & (row < before))
            which = np.flatnonzero(closer)
            if not which.size:
                return
            ray, row, distance = ray[which], row[which], distance[which]
            # Of several for one ray the last is stored; the others are compared again.
            self.distance[ray], self.row[ray] = distance, row

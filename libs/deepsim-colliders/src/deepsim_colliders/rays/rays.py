# SPDX-License-Identifier: Apache-2.0
"""Many rays as columns of arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from deepsim_colliders._borders import numbers
from deepsim_colliders._rows import Array, Index


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
        cls,
        origins: Array,
        directions: Array,
        nearest: ArrayLike,
        farthest: ArrayLike,
        worlds: int | None = None,
    ) -> tuple[Rays, tuple[int, ...]]:
        """Broadcasts and checks arguments; also returns the leading shape, with `worlds` first.

        Raises:
            TypeError: when a distance is not a number.
            ValueError: when shapes do not fit, a direction has zero length or a distance is
                negative.
        """
        limits = [numbers(nearest, "min_distance"), numbers(farthest, "max_distance")]
        shapes = [origins.shape[:-1], directions.shape[:-1], *(limit.shape for limit in limits)]
        lead = leading_shape(shapes, worlds)
        if origins.shape[-1] != directions.shape[-1]:
            raise ValueError(
                f"origins and directions must have as many coordinates each, "
                f"got shapes {origins.shape} and {directions.shape}"
            )
        for name, limit in zip(("min_distance", "max_distance"), limits):
            if (limit < 0.0).any():
                index = tuple(int(i) for i in np.argwhere(limit < 0.0)[0])
                place = f" at index {index}" if index else ""
                raise ValueError(f"{name} must be >= 0 m, got {limit[index]}{place}")
        unit = _unit(directions)
        finite = np.isfinite(origins)
        if not finite.all():  # what starts nowhere meets nothing
            origins = np.where(finite.all(axis=-1, keepdims=True), origins, np.nan)
        columns = [_columns(rows, lead) for rows in (origins, unit)]
        rest = [np.broadcast_to(limit, lead).reshape(-1) for limit in limits]
        return cls(*columns, *rest), lead

    def flat(self, dimensions: int) -> Rays:
        """Returns the same rays in as many coordinates; distances stay those in space."""
        return self._replace(
            origins=self.origins[:dimensions], directions=self.directions[:dimensions]
        )

    def take(self, which: Index) -> Rays:
        """Returns some of the rays. Origins may be one for all."""
        shared = self.origins.shape[1] == 1
        return Rays(
            self.origins if shared else self.origins[:, which],
            self.directions[:, which],
            self.nearest[which],
            self.farthest[which],
        )


def leading_shape(shapes: list[tuple[int, ...]], worlds: int | None) -> tuple[int, ...]:
    """Returns the shape that all broadcast to, its first axis that of worlds if there is one.

    Raises:
        ValueError: when they do not fit.
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
    """Returns the directions of any length > 0 at length 1.

    Raises:
        ValueError: when one has zero length; names it.
    """
    with np.errstate(all="ignore"):
        lengths = np.sqrt(np.einsum("...d,...d->...", directions, directions))
        # Squares of these leave the range of float64.
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

# SPDX-License-Identifier: Apache-2.0
"""Bounding balls and boxes of the shapes of a set, and the pairs whose bounds meet."""

from __future__ import annotations

from functools import cached_property
from typing import Iterator

import numpy as np

from deepsim_colliders._rows import Array, Index, Rows
from deepsim_colliders.ray_batches.batch import Rays

from .balls import Balls
from .blocks import BLOCK, Pairs, collected
from .tree import Tree

# Up to this many shapes per world, comparing all of them is faster than opening a tree.
_FEW = 256

# Up to this many shapes per world, they are swept. At 1000 shapes that takes at most a quarter of a
# tree's time, but twice its time if all bounds overlap along the axis; at 4096, seven times.
_SWEPT = 1024


class Bounds:
    """Bounds of rows, which find the pairs that may meet, separately in each world.

    Points, rays and rows are numbered over all worlds, with equally many in each.
    """

    def __init__(self, rows: Rows, worlds: int, compiled: bool = False) -> None:
        self._rows = rows
        self._compiled = compiled
        self.worlds = worlds
        self.count = rows.owner.size // worlds

    @cached_property
    def balls(self) -> Balls:
        """Balls around the shapes."""
        rows = self._rows
        reach = (rows.reach + 2.0 * rows.touch) * (1.0 + 1e-9)
        return Balls(self._by_world(rows.center), reach.reshape(self.worlds, -1))

    @cached_property
    def boxes(self) -> tuple[Array, Array]:
        """Least and greatest coordinates of the shapes, (worlds, n, 3) [m]."""
        rows = self._rows
        with np.errstate(all="ignore"):
            span = np.einsum("in,ikn->kn", rows.half, np.abs(rows.axes))
            span += (rows.radius + 2.0 * rows.touch) * (1.0 + 1e-9)
            span += 1e-14 * np.abs(rows.center)
            lower, upper = rows.center - span, rows.center + span
        lost = ~np.isfinite(rows.center).all(axis=0)
        lower[:, lost], upper[:, lost] = np.inf, -np.inf
        return self._in_space(lower, -np.inf), self._in_space(upper, np.inf)

    @cached_property
    def tree(self) -> Tree:
        """Hierarchy of the boxes."""
        return Tree(*self.boxes)

    def overlapping(self, other: Bounds) -> Iterator[Pairs]:
        """Yields pairs of rows, one of each side, whose bounds overlap.

        If one side has a single world, it is compared with every world of the other side.
        """
        if self.count * other.count <= BLOCK:  # faster than a tree
            return collected(self.balls.overlapping(other.balls))
        worlds = max(self.worlds, other.worlds)
        lower, upper = (
            np.broadcast_to(side, (worlds, *side.shape[1:])).reshape(-1, 3) for side in self.boxes
        )
        world = np.repeat(np.arange(worlds), self.count)
        return self._around(other.tree, world if other.worlds > 1 else 0 * world, lower, upper)

    def among(self) -> Iterator[Pairs]:
        """Yields pairs of rows of the same world whose bounds overlap, lower number first."""
        if self._compiled and _FEW < self.count <= _SWEPT:
            # Imported here, because numba belongs to an extra.
            from .compiled_boxes import swept  # noqa: PLC0415

            yield from swept(*self.boxes)
            return
        for first, second in self.overlapping(self):
            once = np.flatnonzero(first < second)
            yield first[once], second[once]

    def around(self, points: Array) -> Iterator[Pairs]:
        """Yields pairs of points (worlds, p, dimensions) and rows whose bounds contain them."""
        if not self._compiled and self.count <= _FEW:
            return collected(self.balls.around(points))
        flat = np.ascontiguousarray(points.reshape(-1, points.shape[2]).T)
        flat = self._in_space(flat, 0.0).reshape(-1, 3)
        world = np.repeat(np.arange(self.worlds), points.shape[1])
        return self._around(self.tree, world, flat, flat)

    def along(self, rays: Rays) -> Iterator[Pairs]:
        """Yields pairs of a ray and a row whose bounds it meets.

        In 2D, the rays must have two coordinates.
        """
        count = rays.nearest.size // self.worlds
        if self.count <= _FEW:
            return collected(
                self.balls.along(self._by_world(rays.origins), self._by_world(rays.directions))
            )
        origins = self._in_space(rays.origins, 0.0).reshape(-1, 3)
        directions = self._in_space(rays.directions, 0.0).reshape(-1, 3)
        world = np.repeat(np.arange(self.worlds), count)
        return collected(self.tree.along(world, origins, directions, rays.nearest, rays.farthest))

    def _around(self, tree: Tree, world: Index, lower: Array, upper: Array) -> Iterator[Pairs]:
        if not self._compiled:
            return collected(tree.around(world, lower, upper))
        # Imported here, because numba belongs to an extra.
        from .compiled_boxes import overlapping  # noqa: PLC0415

        return overlapping(tree, world, lower, upper)

    def _by_world(self, columns: Array) -> Array:
        """Reshapes (dimensions, worlds * k) to (worlds, k, dimensions)."""
        return columns.T.reshape(self.worlds, -1, len(columns))

    def _in_space(self, columns: Array, flat: float) -> Array:
        """Reshapes (dimensions, worlds * k) to (worlds, k, 3), with z = `flat` in 2D."""
        rows = self._by_world(columns)
        space = np.empty((*rows.shape[:2], 3))
        space[..., : len(columns)] = rows
        space[..., len(columns) :] = flat
        return space

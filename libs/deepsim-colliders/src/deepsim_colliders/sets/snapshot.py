# SPDX-License-Identifier: Apache-2.0
"""The state of many colliders at one time, in each of many worlds, as arrays."""

from __future__ import annotations

from typing import Any, Iterator, Sequence, SupportsIndex, Tuple

import numpy as np
from numpy.typing import ArrayLike

from deepsim_colliders._borders import numbers
from deepsim_colliders._shape import BOX, Shape
from deepsim_colliders.collider import ALL_LAYERS, ORIGIN, Collider, layer_bits
from deepsim_math import Pose, poses

from .rows import Array, Flags, Index, Rays, Rows, frames

BLOCK = 1 << 15

Pairs = Tuple[Index, Index]

# Relative rounding error of a dozen products and sums of squared coordinates.
_ROUNDING = 3e-14


class Balls:
    """Bounding balls of the shapes of each world.

    Args:
        center: shape (worlds, n, dimensions) [m].
        reach: radii, shape (worlds, n) [m].
    """

    def __init__(self, center: Array, reach: Array) -> None:
        with np.errstate(all="ignore"):
            middle = 0.5 * (np.fmin.reduce(center, axis=1) + np.fmax.reduce(center, axis=1))
            self._middle = np.nan_to_num(middle)[:, np.newaxis]
            self.center, self.reach = center, reach
            local = center - self._middle
            square = (local * local).sum(axis=2) * (1.0 - _ROUNDING) - reach * reach
            ones = np.ones_like(square)
            # |p - c|^2 - r^2 is a product of one row for each side.
            self._right = np.stack([*(-2.0 * local).transpose(2, 0, 1), ones, square], axis=1)
            self._ahead = np.stack([*local.transpose(2, 0, 1), ones], axis=1)

    def around(self, points: Array) -> Iterator[Pairs]:
        """Yields pairs of points (worlds, p, dimensions) and shapes whose balls contain them."""
        with np.errstate(all="ignore"):  # values that are not finite are near nothing
            left = self._left(points)
            for world, some in self._blocks(points.shape[1]):
                near = left[world, some] @ self._right[world] <= 0.0
                yield self._where(near, world, some, points.shape[1])

    def along(self, origins: Array, directions: Array) -> Iterator[Pairs]:
        """Yields pairs of rays (worlds, r, dimensions) and shapes whose balls they touch.

        Directions may have any length, including zero.
        """
        # With w from the origin to a centre: w.w - (w.d)^2 <= r^2, or w.w <= r^2 for those behind.
        with np.errstate(all="ignore"):
            left = self._left(origins)
            lengths = np.sqrt((directions * directions).sum(axis=2, keepdims=True))
            unit = directions / np.where(lengths > 0.0, lengths, 1.0)
            behind = -(unit * (origins - self._middle)).sum(axis=2, keepdims=True)
            steps = np.concatenate([unit, behind], axis=2)
            for world, some in self._blocks(origins.shape[1]):
                ahead = steps[world, some] @ self._ahead[world]
                np.maximum(ahead, 0.0, out=ahead)
                np.multiply(ahead, ahead, out=ahead)
                near = left[world, some] @ self._right[world] <= ahead
                yield self._where(near, world, some, origins.shape[1])

    def overlapping(self, other: Balls) -> Iterator[Pairs]:
        """Yields pairs of shapes, one of each set, whose balls touch, world by world."""
        with np.errstate(all="ignore"):
            reach = self.reach[..., np.newaxis]
            local = self.center - other._middle
            square = (local * local).sum(axis=2, keepdims=True) * (1.0 - _ROUNDING) - reach * reach
            reach = np.broadcast_to(-2.0 * reach, square.shape)
            left = np.concatenate([local, np.ones_like(square), square, reach], axis=2)
            right = np.concatenate(
                [
                    other._right[:, :-2],
                    other._right[:, -1:],
                    other._right[:, -2:-1],
                    other.reach[:, np.newaxis],
                ],
                axis=1,
            )
            count = self.reach.shape[1]
            for world, some in other._blocks(count, len(self.reach)):
                ones = slice(0, 1) if len(left) == 1 else world
                others = slice(0, 1) if len(other.reach) == 1 else world
                near = ~(
                    left[ones, some] @ right[others] > 0.0
                )  # after an overflow, shapes may meet
                yield other._where(near, world, some, count)

    def nearest(
        self, points: Array, widths: Array, limits: Array, inner: Array, asked: Flags
    ) -> Iterator[Pairs]:
        """Yields pairs of a point and a shape that may be the one nearest to it.

        Args:
            points: middles of lines, shape (worlds, p, dimensions) [m].
            widths: half the lengths of the lines, shape (worlds, p) [m].
            limits: greatest distances of interest, shape (worlds, p) [m].
            inner: radii of balls inside the shapes; negative ones are of balls around them, of
                which some point belongs to the shape. Shape (worlds, n) [m].
            asked: shapes of interest, shape (worlds, n).
        """
        with np.errstate(all="ignore"):  # values that are not finite are near nothing
            for world, some in self._blocks(points.shape[1]):
                square: Array = 0.0  # type: ignore[assignment]  # becomes an array
                for axis in range(points.shape[2]):
                    side = points[world, some, np.newaxis, axis]
                    gap = side - self.center[world, np.newaxis, :, axis]
                    square = square + gap * gap
                far = np.sqrt(square)
                lower = far - self.reach[world, np.newaxis]
                lower -= widths[world, some, np.newaxis]
                use = asked[world, np.newaxis]
                upper = np.where(use, far - inner[world, np.newaxis], np.inf)
                upper = upper.min(axis=2, keepdims=True, initial=np.inf)
                upper += 1e-9 * np.abs(upper)
                near = use & (lower <= np.fmin(upper, limits[world, some, np.newaxis]))
                yield self._where(near, world, some, points.shape[1])

    def _left(self, points: Array) -> Array:
        local = points - self._middle
        square = (local * local).sum(axis=2, keepdims=True) * (1.0 - _ROUNDING)
        return np.concatenate([local, square, np.ones_like(square)], axis=2)

    def _blocks(self, count: int, worlds: int = 1) -> Iterator[tuple[slice, slice]]:
        """Yields slices of worlds and of points to compare with all shapes at once."""
        size, worlds = self.reach.shape[1], max(worlds, len(self.reach))
        step = max(1, BLOCK // max(size * count, 1))
        some = max(1, BLOCK // max(size, 1))
        for world in range(0, worlds, step):
            for start in range(0, count, some):
                yield slice(world, min(world + step, worlds)), slice(start, start + some)

    def _where(self, near: Flags, world: slice, some: slice, count: int) -> Pairs:
        size = near.shape[2]
        line, row = np.divmod(np.flatnonzero(near), size)  # faster than np.nonzero
        place, number = np.divmod(line, near.shape[1])
        place += world.start
        rows = row + (place * size if len(self.reach) > 1 else 0)
        return place * count + number + some.start, rows


def collected(parts: Iterator[Pairs]) -> Iterator[Pairs]:
    """Joins small parts into blocks that are worth the fixed cost of a further step."""
    waiting: list[Pairs] = []
    size = 0
    for part in parts:
        waiting.append(part)
        size += part[0].size
        if size >= BLOCK // 2:
            yield _joined(waiting)
            waiting, size = [], 0
    if size:
        yield _joined(waiting)


def _joined(parts: list[Pairs]) -> Pairs:
    if len(parts) == 1:
        return parts[0]
    first, second = zip(*parts)
    return np.concatenate(first), np.concatenate(second)


class Snapshot:
    """Rows of the shapes of colliders, world after world.

    Args:
        colliders: at least one collider.
        dimensions: dimensions of all of them.
        worlds: number of worlds.
        bases: poses of the sources (worlds, n, 7); by default read from the sources.
    """

    def __init__(
        self,
        colliders: Sequence[Collider],
        dimensions: int,
        worlds: int,
        bases: Array | None = None,
    ) -> None:
        self._colliders = colliders
        self._dimensions = dimensions
        self.worlds = worlds
        shapes = [shape for one in colliders for shape, _, _ in _placed(one)]
        owner = np.repeat(np.arange(len(colliders)), [len(_placed(one)) for one in colliders])
        solids = [shape._solid for shape in shapes]
        half = np.array([solid.half for solid in solids], dtype=np.float64).T
        radius = np.array([solid.radius for solid in solids])
        still = Rows(
            shapes=shapes,
            owner=owner,
            leaf=np.arange(len(shapes)),
            kind=np.array([solid.kind for solid in solids]),
            center=np.zeros_like(half),
            axes=np.zeros((dimensions, *half.shape)),
            half=half,
            radius=radius,
            reach=np.sqrt((half * half).sum(axis=0)) + radius,
            touch=np.array([shape._gap for shape in shapes]),
        )
        self._owner = owner
        self.count = owner.size
        self._still = still.take(np.tile(still.leaf, worlds)) if worlds > 1 else still
        self._seen: list[Any] = [None] * len(shapes)
        self._offsets = np.zeros((len(shapes), 7))
        self._read_state()
        if bases is None:
            self._read_bases()
        else:
            self._put(bases)

    def read(self) -> None:
        """Reads everything from the colliders."""
        self._read_state()
        self._read_bases()

    def _read_state(self) -> None:
        self._layers = np.array([one.layers for one in self._colliders])
        self._mask = np.array([one.mask for one in self._colliders])
        entries = [entry for one in self._colliders for entry in _placed(one)]
        self._enabled = np.array([enabled for _, _, enabled in entries])
        # Poses are immutable: the same object is the same pose.
        fresh = [k for k, (_, pose, _) in enumerate(entries) if pose is not self._seen[k]]
        if fresh:
            self._offsets[fresh] = [entries[k][1]._row() for k in fresh]
            self._seen = [pose for _, pose, _ in entries]

    def _read_bases(self) -> None:
        rows = np.array([Pose.from_array(one._base_now())._row() for one in self._colliders])
        self._put(np.broadcast_to(rows, (self.worlds, *rows.shape)))

    def place(self, bases: ArrayLike, axis: bool) -> None:
        """Sets the poses of the sources, (n, 7), or with `axis` also (worlds, n, 7)."""
        array = numbers(bases, "poses")
        shape = (len(self._colliders), 7)
        if array.shape != shape and not (axis and array.shape == (self.worlds, *shape)):
            worlds = f"({self.worlds}, {shape[0]}, 7) or " if axis else ""
            raise ValueError(
                f"poses must have shape {worlds}({shape[0]}, 7), one row for each collider, "
                f"got {array.shape}"
            )
        x, y, z, w = (array[..., column] == 0.0 for column in range(3, 7))
        zero = x & y & z & w
        if zero.any():
            index = ", ".join(str(i) for i in np.argwhere(zero)[0])
            raise ValueError(f"the quaternion of poses[{index}] has zero length")
        self._put(np.broadcast_to(array, (self.worlds, *shape)).copy())

    def _put(self, bases: Array) -> None:
        own = bases.take(self._owner, axis=1).reshape(-1, 7)
        if self._offsets[:, :6].any():
            offsets = np.tile(self._offsets, (self.worlds, 1))
            pose = poses.compose(own, offsets)
        else:  # no offsets; `own` is a copy
            pose = own
        self.live: Flags = np.tile(self._enabled, self.worlds)
        finite = np.isfinite(pose)
        if not finite.all():
            self.live &= finite.all(axis=1)
        lost = np.flatnonzero(~self.live)
        pose[lost, 3:] = 0.0, 0.0, 0.0, 1.0
        center, axes = frames(pose, self._dimensions)
        center[:, lost] = np.nan
        self.bases = bases
        self.all_rows = self._still._replace(center=center, axes=axes)
        self._balls: Balls | None = None

    @property
    def balls(self) -> Balls:
        """Balls around the shapes of each world."""
        if self._balls is None:
            rows = self.all_rows
            reach = (rows.reach + 2.0 * rows.touch) * (1.0 + 1e-9)
            self._balls = Balls(self._by_world(rows.center), reach.reshape(self.worlds, -1))
        return self._balls

    def _by_world(self, columns: Array) -> Array:
        """Reshapes (dimensions, worlds * k) to (worlds, k, dimensions)."""
        return columns.T.reshape(self.worlds, -1, len(columns))

    def pairs(self, other: Snapshot, *, once: bool) -> Iterator[tuple[Index, Index, Index]]:
        """Yields world, row and row of `other` of pairs that are enabled and near, and may meet.

        With `once`, `other` is this snapshot: a pair then counts once, and none with itself.
        """
        for code, j in collected(self.balls.overlapping(other.balls)):
            world, i = np.divmod(code, self.count)
            if self.worlds > 1:
                i = code
            ids, others = self.all_rows.owner[i], other.all_rows.owner[j]
            asked = self.live[i] & other.live[j]
            asked &= (self._layers[ids] & other._mask[others]) != 0
            asked &= (other._layers[others] & self._mask[ids]) != 0
            if once:  # parts of a collider are consecutive
                asked &= ids < others
            met = np.flatnonzero(asked)
            yield world[met], i[met], j[met]

    def around(self, points: Array, asked: Flags | None) -> Iterator[Pairs]:
        """Yields pairs of a point (worlds, p, dimensions) and an asked row that is near it."""
        return _of_rows(collected(self.balls.around(points)), asked)

    def along(self, rays: Rays, asked: Flags | None, radius: float = 0.0) -> Iterator[Pairs]:
        """Yields pairs of a ray and an asked row that is within `radius` [m] of being near it."""
        balls = self.balls
        if radius:
            balls = Balls(balls.center, balls.reach + radius)
        near = balls.along(self._by_world(rays.origins), self._by_world(rays.directions))
        return _of_rows(collected(near), asked)

    def nearest(
        self, points: Array, widths: Array, limits: Array, asked: Flags | None
    ) -> Iterator[Pairs]:
        """Yields pairs of a point and an enabled, asked row that may be nearest; see `Balls`."""
        rows = self.all_rows
        inner = np.where(rows.kind <= BOX, rows.half.min(axis=0) + rows.radius, -rows.reach)
        use = self.live if asked is None else self.live & asked
        shape = (self.worlds, -1)
        return collected(
            self.balls.nearest(points, widths, limits, inner.reshape(shape), use.reshape(shape))
        )

    def asked(self, mask: SupportsIndex) -> Flags | None:
        """Returns whether rows lie on a layer of `mask`; None if all layers count."""
        bits = layer_bits(mask, "mask")
        if bits == ALL_LAYERS:
            return None
        asked: Flags = (self._layers[self.all_rows.owner] & bits) != 0
        return asked


def _of_rows(pairs: Iterator[Pairs], asked: Flags | None) -> Iterator[Pairs]:
    """Yields the pairs whose row is asked; None stands for all."""
    for first, row in pairs:
        if asked is not None:
            some = np.flatnonzero(asked[row])
            first, row = first[some], row[some]
        yield first, row


def _placed(one: Collider) -> list[tuple[Shape, Pose, bool]]:
    """Returns a collider's shapes, their poses relative to the source, and enabled flags."""
    if isinstance(one, Shape):
        return [(one, one._offset, one._enabled)]
    return one._placed_shapes(ORIGIN)

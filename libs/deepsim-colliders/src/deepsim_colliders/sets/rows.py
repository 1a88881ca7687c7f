# SPDX-License-Identifier: Apache-2.0
"""Many shapes, and many rays, as columns of arrays for batch queries."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_colliders._borders import lengths
from deepsim_colliders._frames import Frame
from deepsim_colliders._shape import BOX
from deepsim_math import quaternions

Array = NDArray[np.float64]
Index = NDArray[np.intp]
Flags = NDArray[np.bool_]


class Rows(NamedTuple):
    """Shapes in the world frame; the last axis of each array is that of the shapes."""

    shapes: Sequence[Any]
    """The shapes that `leaf` refers to."""
    owner: Index
    """Number of the collider in its set; a compound owns several shapes."""
    leaf: Index
    """Index into `shapes`."""
    kind: Index
    """Kind of the `Solid`."""
    center: Array
    """Origins of the frames, shape (dimensions, n) [m]."""
    axes: Array
    """Unit axes of the frames, shape (dimensions, dimensions, n); the first index is the axis."""
    half: Array
    """Half lengths of the cores, shape (dimensions, n) [m]."""
    radius: Array
    """Distance by which shapes extend beyond their cores [m]."""
    reach: Array
    """Radius of the ball around the shape [m]."""
    touch: Array
    """Gap below which a point counts as touching [m]."""

    def take(self, which: Any) -> Rows:
        """Returns the shapes of a slice or of an index array, in that order."""
        columns: list[Any] = [
            column[..., which] if isinstance(which, slice) else column.take(which, axis=-1)
            for column in self[1:]
        ]
        return Rows(self.shapes, *columns)

    def special(self) -> list[tuple[Index, Any]]:
        """Returns the shapes that numbers do not define, with the numbers of their rows."""
        some = np.flatnonzero(self.kind > BOX)
        leaves = self.leaf[some]
        return [(some[leaves == leaf], self.shapes[leaf]) for leaf in np.unique(leaves)]

    def placed(self, number: int) -> Any:
        """Returns the shape of a row, fixed at the row's frame."""
        shape = self.shapes[self.leaf[number]]
        axes = self.axes[:, :, number].tolist()
        return shape._in(Frame(tuple(self.center[:, number].tolist()), tuple(map(tuple, axes))))

    def to_local(self, points: Any) -> list[Array]:
        """Transforms one point (dimensions, n) per shape from the world to its frame."""
        return self.turn_to_local([p - c for p, c in zip(points, self.center)])

    def turn_to_local(self, vectors: Any) -> list[Array]:
        """Rotates one vector per shape from the world to its frame."""
        # Written out, so that the result for a pair does not depend on how pairs are grouped.
        return [
            sum((v * a for v, a in zip(vectors[1:], axis[1:])), vectors[0] * axis[0])
            for axis in self.axes
        ]

    def to_world(self, points: Any) -> Array:
        """Transforms one point (dimensions, n) per shape from its frame to the world."""
        return self.turn_to_world(points) + self.center

    def turn_to_world(self, vectors: Any) -> Array:
        """Rotates one vector (dimensions, n) per shape from its frame to the world."""
        x, *rest = zip(vectors, self.axes)
        turned: Array = x[0] * x[1]
        for vector, axis in rest:
            turned += vector * axis
        return turned


def frames(poses: NDArray[Any], dimensions: int) -> tuple[Array, Array]:
    """Returns origins (dimensions, n) and axes (dimensions, dimensions, n) of poses (n, 7).

    In 2D the yaw is defined as in `frame_2d`.
    """
    center = np.ascontiguousarray(poses[:, :dimensions].T)
    if dimensions == 3:
        matrices = quaternions.to_matrix(poses[:, 3:])
        return center, np.ascontiguousarray(matrices.transpose(2, 1, 0))
    qx, qy, qz, qw = np.ascontiguousarray(poses[:, 3:].T)
    xw, yz = qx * qx + qw * qw, qy * qy + qz * qz
    size = xw + yz
    if not size.all():
        raise ValueError(f"the quaternion of pose {int(np.argmin(size != 0.0))} has zero length")
    # The forward axis, scaled by the square of the quaternion's length, which has no effect.
    x, y = xw - yz, 2.0 * (qx * qy + qw * qz)
    length = np.hypot(x, y)
    vertical = length < 1e-9 * size
    if vertical.any():
        x, y, length = (np.where(vertical, v, u) for u, v in ((x, 1.0), (y, 0.0), (length, 1.0)))
    x, y = x / length, y / length
    return center, np.array([[x, y], [-y, x]])


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

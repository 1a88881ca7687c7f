# SPDX-License-Identifier: Apache-2.0
"""Many shapes as columns of arrays, for batch queries."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

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

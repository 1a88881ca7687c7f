# SPDX-License-Identifier: Apache-2.0
"""Frustums against many points, spheres and boxes: the methods of Frustum in batch.

The first argument is a Frustum, or rows near, far, horizontal_fov, view_ratio, px, py, pz, qx, qy,
qz, qw of shape (..., 11), as `numpy.asarray` makes of a Frustum. Leading axes broadcast; `out`
receives the result. Sets are closed: what only touches is contained, and intersects.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _quaternion_formulas as rotations
from ._blocks import Formula, by_columns, decide, run
from ._box_in_view import box_inside, box_touches
from ._elementwise import cos, maximum, minimum, sin, sqrt, where
from ._value import Row

if TYPE_CHECKING:
    from ._typing import ArrayLike, BoolArray, FloatArray


def contains_points(
    frustum: ArrayLike, points: ArrayLike, out: BoolArray | None = None
) -> BoolArray:
    """Whether points (..., 3) lie inside or on the boundary, shape (...)."""
    return _decide(_contains_point, (_checked(frustum), points), (11, 3), out)


def contains_spheres(
    frustum: ArrayLike, centers: ArrayLike, radii: ArrayLike, out: BoolArray | None = None
) -> BoolArray:
    """Whether spheres with centres (..., 3) and radii (...) [m] lie inside entirely.

    Raises:
        ValueError: when a radius is negative.
    """
    _refuse_negative(radii, "radii")
    return _decide(_contains_sphere, (_checked(frustum), centers, radii), (11, 3, 0), out)


def contains_boxes(
    frustum: ArrayLike, poses: ArrayLike, sizes: ArrayLike, out: BoolArray | None = None
) -> BoolArray:
    """Whether boxes with poses (..., 7) of their centres and sizes (..., 3) lie inside entirely.

    Raises:
        ValueError: when a size is negative or a quaternion has zero length.
    """
    _refuse_negative(sizes, "sizes")
    return decide(by_columns(_contains_box), (_checked(frustum), poses, sizes), (11, 7, 3), out)


def intersects_spheres(
    frustum: ArrayLike, centers: ArrayLike, radii: ArrayLike, out: BoolArray | None = None
) -> BoolArray:
    """Whether spheres have a point in common with the frustum; exact, for culling.

    Raises:
        ValueError: when a radius is negative.
    """
    _refuse_negative(radii, "radii")
    return _decide(_intersects_sphere, (_checked(frustum), centers, radii), (11, 3, 0), out)


def intersects_boxes(
    frustum: ArrayLike, poses: ArrayLike, sizes: ArrayLike, out: BoolArray | None = None
) -> BoolArray:
    """Whether boxes have a point in common with the frustum; exact, for culling.

    Raises:
        ValueError: when a size is negative or a quaternion has zero length.
    """
    _refuse_negative(sizes, "sizes")
    return decide(by_columns(_intersects_box), (_checked(frustum), poses, sizes), (11, 7, 3), out)


def world_to_viewport_points(
    frustum: ArrayLike, points: ArrayLike, out: FloatArray | None = None
) -> FloatArray:
    """Project points (..., 3) to u, v, depth, shape (..., 3).

    u grows to the right and v upwards, both from 0 to 1 across the view and beyond it outside;
    depth [m] is measured along the view's axis. Points at or behind the camera have no place in
    the view: u and v are NaN, depth is zero or negative.
    """
    return run(_to_viewport, (_checked(frustum), points), (11, 3), 3, out)


def viewport_to_world_points(
    frustum: ArrayLike, points: ArrayLike, out: FloatArray | None = None
) -> FloatArray:
    """Take u, v, depth (..., 3) back to places in the world, shape (..., 3)."""
    return run(_from_viewport, (_checked(frustum), points), (11, 3), 3, out)


def viewport_points_to_rays(
    frustum: ArrayLike, points: ArrayLike, out: FloatArray | None = None
) -> FloatArray:
    """Rays ox, oy, oz, dx, dy, dz from the camera through u, v (..., 2), shape (..., 6).

    Directions are unit vectors. The pixel in `row` and `column` of an image has its centre at
    u = (column + 0.5) / width, v = 1 - (row + 0.5) / height.

    Raises:
        ValueError: when a u or v is outside [0, 1].
    """
    uv = np.asarray(points)
    if ((uv < 0.0) | (uv > 1.0)).any():
        raise ValueError(f"viewport points must be within [0, 1], got {uv.min()} to {uv.max()}")
    return run(_to_ray, (_checked(frustum), points), (11, 2), 6, out)


def _decide(
    formula: Formula, arguments: Sequence[ArrayLike], widths: Sequence[int], out: BoolArray | None
) -> BoolArray:
    return decide(by_columns(formula), arguments, widths, out, formula)


def _checked(frustum: ArrayLike) -> ArrayLike:
    """Refuse rows of numbers that are no frustums; a Frustum has been checked when it was made."""
    if isinstance(frustum, Row):
        return frustum
    rows = np.asarray(frustum)
    if rows.shape[-1:] != (11,):
        raise ValueError(f"expected a Frustum or shape (..., 11), got {rows.shape}")
    near, far, fov, ratio = (rows[..., i] for i in range(4))
    wrong = ~((near > 0.0) & (near < far) & (fov > 0.0) & (fov < math.pi) & (ratio > 0.0))
    if wrong.any():
        raise ValueError(
            "a frustum needs 0 < near < far, 0 < horizontal_fov < pi and view_ratio > 0, got "
            f"{rows[wrong][0, :4].tolist()}"
        )
    return rows


def _refuse_negative(values: ArrayLike, name: str) -> None:
    array = np.asarray(values)
    if (array < 0.0).any():
        raise ValueError(f"{name} must not be negative, got {array.min()}")


def _slopes(fov: Any, ratio: Any) -> tuple[Any, Any]:
    """How far the view spreads to the side and upwards, per metre ahead."""
    side = sin(fov) / (1.0 + cos(fov))  # tan(fov / 2), and exactly 1 at a right angle
    return side, ratio * side


def _local(pose: Sequence[Any], x: Any, y: Any, z: Any) -> Any:
    """Take points from the world to the frame of `pose`."""
    px, py, pz, qx, qy, qz, qw = pose
    return rotations.rotate(-qx, -qy, -qz, qw, x - px, y - py, z - pz)


def _contains_point(*c: Any) -> tuple[Any, ...]:
    near, far, fov, ratio, *pose = c[:11]
    side, rise = _slopes(fov, ratio)
    x, y, z = _local(pose, *c[11:])
    return ((near <= x) & (x <= far) & (abs(y) <= side * x) & (abs(z) <= rise * x),)


def _contains_sphere(*c: Any) -> tuple[Any, ...]:
    near, far, fov, ratio, *pose = c[:11]
    side, rise = _slopes(fov, ratio)
    x, y, z = _local(pose, *c[11:14])
    r = c[14]
    return (
        (near + r <= x)
        & (x + r <= far)
        & (abs(y) + r * sqrt(1.0 + side * side) <= side * x)
        & (abs(z) + r * sqrt(1.0 + rise * rise) <= rise * x),
    )


def _intersects_sphere(*c: Any) -> tuple[Any, ...]:
    # The cut through the frustum at depth d is a rectangle, and the squared distance to it is a
    # convex function of d, of four parabolas: whether y, z, both or none lie beyond the rectangle.
    # The lowest value at the lowest points of the four, kept within near and far, is the distance.
    near, far, fov, ratio, *pose = c[:11]
    side, rise = _slopes(fov, ratio)
    x, y, z = _local(pose, *c[11:14])
    y, z = abs(y), abs(z)
    square = math.inf
    for s, r in ((0.0, 0.0), (side, 0.0), (0.0, rise), (side, rise)):
        depth = (x + s * y + r * z) / (1.0 + s * s + r * r)
        depth = minimum(maximum(depth, near), far)
        beyond_y, beyond_z = maximum(y - side * depth, 0.0), maximum(z - rise * depth, 0.0)
        ahead = x - depth
        square = minimum(square, ahead * ahead + beyond_y * beyond_y + beyond_z * beyond_z)
    return (square <= c[14] * c[14],)


def _box_in_view(*c: Any) -> tuple[Any, ...]:
    """Near, far, slopes, and the box's centre, axes (rows of a matrix) and halves in the view."""
    near, far, fov, ratio, *pose = c[:11]
    center = _local(pose, *c[11:14])
    qx, qy, qz, qw = pose[3:]
    matrix = rotations.to_matrix(*rotations.multiply(-qx, -qy, -qz, qw, *c[14:18]))
    halves = tuple(0.5 * size for size in c[18:])
    return (near, far, *_slopes(fov, ratio), *center, *matrix, *halves)


def _contains_box(*c: Any) -> tuple[Any, ...]:
    return (box_inside(*_box_in_view(*c)),)


def _intersects_box(*c: Any) -> tuple[Any, ...]:
    return (box_touches(*_box_in_view(*c)),)


def _to_viewport(*c: Any) -> tuple[Any, ...]:
    side, rise = _slopes(c[2], c[3])
    depth, y, z = _local(c[4:11], *c[11:])
    ahead = where(depth > 0.0, depth, math.nan)
    return 0.5 - 0.5 * y / (side * ahead), 0.5 + 0.5 * z / (rise * ahead), depth


def _from_viewport(*c: Any) -> tuple[Any, ...]:
    side, rise = _slopes(c[2], c[3])
    px, py, pz = c[4:7]
    qx, qy, qz, qw, u, v, depth = c[7:]
    y, z = (1.0 - 2.0 * u) * side * depth, (2.0 * v - 1.0) * rise * depth
    x, y, z = rotations.rotate(qx, qy, qz, qw, depth, y, z)
    return px + x, py + y, pz + z


def _to_ray(*c: Any) -> tuple[Any, ...]:
    side, rise = _slopes(c[2], c[3])
    qx, qy, qz, qw, u, v = c[7:]
    y, z = (1.0 - 2.0 * u) * side, (2.0 * v - 1.0) * rise
    size = sqrt(1.0 + y * y + z * z)
    return (*c[4:7], *rotations.rotate(qx, qy, qz, qw, 1.0 / size, y / size, z / size))

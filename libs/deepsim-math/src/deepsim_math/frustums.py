# SPDX-License-Identifier: Apache-2.0
"""Tests of frustums against arrays of points, spheres and boxes: the methods of Frustum in batch.

The first argument is a Frustum, or its array form: rows near, far, horizontal_fov, view_ratio, px,
py, pz, qx, qy, qz, qw of shape (..., 11). Leading axes broadcast; `out` receives the result. Sets
are closed: touching counts as containing and as intersecting. A negative radius or size, or a
quaternion of zero length, raises ValueError.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ._blocks import decide, refuse, run
from .formulas import views as formulas
from .values.value import Row

if TYPE_CHECKING:
    from ._typing import ArrayLike, BoolArray, FloatArray


def contains_points(
    frustum: ArrayLike, points: ArrayLike, out: BoolArray | None = None
) -> BoolArray:
    """Returns whether points (..., 3) lie inside or on the boundary, shape (...)."""
    return decide(formulas.contains_point, (_checked(frustum), points), (11, 3), out)


def contains_spheres(
    frustum: ArrayLike, centers: ArrayLike, radii: ArrayLike, out: BoolArray | None = None
) -> BoolArray:
    """Returns whether spheres with centres (..., 3) and radii (...) [m] lie entirely inside."""
    _refuse_negative(radii, "radii")
    return decide(formulas.contains_sphere, (_checked(frustum), centers, radii), (11, 3, 0), out)


def contains_boxes(
    frustum: ArrayLike, poses: ArrayLike, sizes: ArrayLike, out: BoolArray | None = None
) -> BoolArray:
    """Returns whether boxes with poses (..., 7) of their centres and sizes (..., 3) lie inside."""
    _refuse_negative(sizes, "sizes")
    return decide(formulas.contains_box, (_checked(frustum), poses, sizes), (11, 7, 3), out)


def intersects_spheres(
    frustum: ArrayLike, centers: ArrayLike, radii: ArrayLike, out: BoolArray | None = None
) -> BoolArray:
    """Returns whether spheres share a point with the frustum: an exact culling test."""
    _refuse_negative(radii, "radii")
    return decide(formulas.intersects_sphere, (_checked(frustum), centers, radii), (11, 3, 0), out)


def intersects_boxes(
    frustum: ArrayLike, poses: ArrayLike, sizes: ArrayLike, out: BoolArray | None = None
) -> BoolArray:
    """Returns whether boxes share a point with the frustum: an exact culling test."""
    _refuse_negative(sizes, "sizes")
    return decide(formulas.intersects_box, (_checked(frustum), poses, sizes), (11, 7, 3), out)


def world_to_viewport_points(
    frustum: ArrayLike, points: ArrayLike, out: FloatArray | None = None
) -> FloatArray:
    """Projects points (..., 3) to u, v, depth, shape (..., 3).

    u grows to the right and v upwards, both from 0 to 1 within the view and beyond these
    limits outside it; depth [m] is measured along the view axis. For points at or behind the
    camera, u and v are NaN and depth is zero or negative.
    """
    return run(formulas.to_viewport, (_checked(frustum), points), (11, 3), 3, out, exact=False)


def viewport_to_world_points(
    frustum: ArrayLike, points: ArrayLike, out: FloatArray | None = None
) -> FloatArray:
    """Returns the world points (..., 3) that project to u, v, depth (..., 3)."""
    return run(formulas.from_viewport, (_checked(frustum), points), (11, 3), 3, out, exact=False)


def viewport_points_to_rays(
    frustum: ArrayLike, points: ArrayLike, out: FloatArray | None = None
) -> FloatArray:
    """Returns rays ox, oy, oz, dx, dy, dz from the camera through u, v (..., 2), shape (..., 6).

    Directions are unit vectors. The pixel in `row` and `column` of an image has its centre at
    u = (column + 0.5) / width, v = 1 - (row + 0.5) / height.

    Raises:
        ValueError: when a u or v is outside [0, 1].
    """
    uv = np.asarray(points)
    refuse(((uv < 0.0) | (uv > 1.0)).any(axis=-1), "viewport points must be within [0, 1]", uv)
    return run(formulas.to_ray, (_checked(frustum), points), (11, 2), 6, out, exact=False)


def _checked(frustum: ArrayLike) -> ArrayLike:
    """Returns `frustum`; raises ValueError for rows that are not valid frustums."""
    if isinstance(frustum, Row):
        return frustum
    rows = np.asarray(frustum)
    if rows.shape[-1:] != (11,):
        raise ValueError(f"expected a Frustum or shape (..., 11), got {rows.shape}")
    near, far, fov, ratio = (rows[..., i] for i in range(4))
    wrong = ~((near > 0.0) & (near < far) & (fov > 0.0) & (fov < math.pi) & (ratio > 0.0))
    refuse(
        wrong,
        "a frustum needs 0 < near < far, 0 < horizontal_fov < pi and view_ratio > 0",
        rows[..., :4],
    )
    return rows


def _refuse_negative(values: ArrayLike, name: str) -> None:
    refuse(np.asarray(values) < 0.0, f"{name} must not be negative", values)

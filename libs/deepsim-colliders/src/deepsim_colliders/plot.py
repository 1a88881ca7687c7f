# SPDX-License-Identifier: Apache-2.0
"""Drawings of colliders from above; needs matplotlib: ``pip install deepsim-colliders[plot]``."""

from __future__ import annotations

import math
from typing import Any, Iterable

import matplotlib.pyplot as plt
import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from deepsim_math import Pose

from ._shape import Shape
from .collider import Collider
from .collider_2d import Collider2D
from .convex.vectors import along
from .convex_collider import ConvexCollider
from .shapes.mesh import MeshCollider

_QUARTER = 32  # edges in a quarter of a circle: round enough for a screen


def top_view(colliders: Iterable[Collider], ax: Axes | None = None, **style: Any) -> Axes:
    """Draws the outlines of colliders at their current poses, seen from above.

    Disabled colliders are dashed; planes and colliders whose pose is not finite are left out.

    >>> from deepsim_colliders import BoxCollider, SphereCollider
    >>> ax = top_view([BoxCollider(4, 2, 1), SphereCollider(1)], alpha=0.5)
    >>> len(ax.patches)
    2

    Args:
        colliders: 2D or 3D colliders, or both.
        ax: axes to draw on; by default those of a new figure. x points to the right, y upwards, in
            metres and to the same scale.
        **style: options of `matplotlib.patches.PathPatch`, such as ``facecolor`` and ``alpha``.

    Returns:
        The axes, with one patch added for each collider.
    """
    if ax is None:
        ax = plt.subplots()[1]
    style = {"facecolor": "tab:blue", "edgecolor": "black", "alpha": 0.6, **style}
    for collider in colliders:
        base = Pose.from_array(collider._base_now())
        placed = collider._placed_shapes(base)
        outline = shapely.union_all([_from_above(shape, pose) for shape, pose, _ in placed])
        if not outline.is_empty:
            dashed = {} if any(enabled for _, _, enabled in placed) else {"linestyle": "--"}
            filled = outline.area > 0.0
            ax.add_patch(PathPatch(_path(outline), fill=filled, **{**style, **dashed}))
    ax.set_aspect("equal")
    ax.autoscale_view()
    return ax


def _from_above(shape: Shape, pose: Pose) -> shapely.Geometry:
    """Returns the outline of a shape in the world's x-y plane."""
    if not math.isfinite(sum(pose)):
        return shapely.Point()
    placed = shape._in(shape._make_frame(pose))
    if isinstance(placed, Collider2D):
        flat, width = placed._flat()
        return flat.buffer(width, _QUARTER) if width else flat
    if isinstance(placed, MeshCollider):
        shadows = shapely.polygons(placed._world().corners[:, :, :2])
        return shapely.union_all(shadows[shapely.area(shadows) > 0.0])
    if isinstance(placed, ConvexCollider):
        angles = np.linspace(0.0, 2.0 * math.pi, 4 * _QUARTER + 1)[:-1]
        around = [(math.cos(angle), math.sin(angle), 0.0) for angle in angles]
        rim = [along(placed._far_point(out), placed._rounding, out) for out in around]
        return shapely.MultiPoint([point[:2] for point in rim]).convex_hull
    return shapely.Point()  # a plane has no outline


def _path(outline: shapely.Geometry) -> Path:
    """Returns all lines of an outline, including holes; rings of polygons are closed."""
    areas = outline.area > 0.0
    lines = shapely.get_parts(outline.boundary if areas else outline)
    rings = [
        Path(shapely.get_coordinates(line), closed=bool(shapely.is_closed(line))) for line in lines
    ]
    return Path.make_compound_path(*rings)

# SPDX-License-Identifier: Apache-2.0
"""Ray casts against the shapes of one collider."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Sequence

from deepsim_math import Ray, Vector3

from ._crossings import Crossing
from .results import Hit

if TYPE_CHECKING:
    from ._shape import Shape
    from .collider import Collider


def first_hit(collider: Collider, ray: Ray) -> Hit | None:
    """Returns the first connected piece of a ray inside a collider."""
    if not isinstance(ray, Ray):
        raise TypeError(f"raycast needs a Ray, got {ray!r}; make one with Ray(origin, direction)")
    shapes = collider._live_shapes()
    origin, direction = collider._point(ray.origin), collider._point(ray.direction)
    first: Crossing | None = None
    for shape in shapes:
        crossing = shape._cross_here(origin, direction)
        if crossing and (first is None or crossing.start < first.start):
            first = crossing
    if first is None:
        return None
    end = first.end
    if len(shapes) > 1:
        end = _connected_end(shapes, origin, direction, end)
    if first.normal is None:
        return Hit(collider, first.start, ray.origin, None, end, True)
    x, y, *up = first.normal  # two numbers in the plane
    normal = Vector3(x, y, *(up or (0.0,)))
    return Hit(collider, first.start, ray.get_point(first.start), normal, end, False)


def _connected_end(shapes: Sequence[Shape], origin: Any, direction: Any, end: float) -> float:
    """Returns the distance at which a ray exits the connected shapes, if it exits one at `end`."""
    grown = True
    while grown and end < math.inf:
        grown = False
        for shape in shapes:
            place = tuple(o + end * d for o, d in zip(origin, direction))
            crossing = shape._cross_here(place, direction)
            # Leaving the same shape again, by touching or rounding, is not progress.
            least = shape._gap + 1e-12 * (math.hypot(*place) + end)
            if crossing and crossing.normal is None and crossing.end > least:
                end += crossing.end
                grown = True
    return end

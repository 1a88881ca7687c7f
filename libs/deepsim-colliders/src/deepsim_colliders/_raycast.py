# SPDX-License-Identifier: Apache-2.0
"""Ray casts against the shapes of one collider."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Iterator, Sequence

from deepsim_math import Ray, Vector3

from ._crossings import Crossing
from .results import Hit

if TYPE_CHECKING:
    from ._shape import Shape
    from .collider import Collider


def first_hit(collider: Collider, ray: Ray) -> Hit | None:
    """Returns the first connected piece of a ray inside a collider."""
    _refuse_no_ray(ray)
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
    return _hit(collider, ray, first, end)


def all_hits(collider: Collider, ray: Ray) -> list[Hit]:
    """Returns all connected pieces of a ray inside a collider, in order."""
    _refuse_no_ray(ray)
    shapes = collider._live_shapes()
    origin, direction = collider._point(ray.origin), collider._point(ray.direction)
    pieces = [piece for shape in shapes for piece in shape._crossings_here(origin, direction)]
    pieces.sort(key=lambda piece: piece.start)
    return [_hit(collider, ray, piece, piece.end) for piece in _joined(pieces)]


def _joined(pieces: Sequence[Crossing]) -> Iterator[Crossing]:
    """Yields pieces in order, merging those that overlap or touch."""
    if not pieces:
        return
    joined = pieces[0]
    for piece in pieces[1:]:
        if piece.start <= joined.end + 1e-12 * (1.0 + abs(joined.end)):
            joined = joined._replace(end=max(joined.end, piece.end))
        else:
            yield joined
            joined = piece
    yield joined


def _hit(collider: Collider, ray: Ray, piece: Crossing, end: float) -> Hit:
    inside = piece.normal is None
    normal = None if piece.normal is None else Vector3(*piece.normal)
    point = ray.origin if inside else ray.get_point(piece.start)
    return Hit(collider, piece.start, point, normal, end, inside)


def _refuse_no_ray(ray: Ray) -> None:
    if not isinstance(ray, Ray):
        raise TypeError(f"raycast needs a Ray, got {ray!r}; make one with Ray(origin, direction)")


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

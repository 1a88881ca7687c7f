# SPDX-License-Identifier: Apache-2.0
"""Shapes that are drawn as outlines and pulled up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .checks import finite, positive

Outline: TypeAlias = tuple[tuple[float, float], ...]
_Edge: TypeAlias = tuple[float, float, float, float]  # x and y of the lower end, of the upper end


@dataclass(frozen=True, slots=True)
class Polyline:
    """A flat shape in the plane z = 0 of its frame, pulled up along z.

    Attributes:
        outlines: Closed lines of at least three points [m, m], which do not cross; what lies inside
            an odd number of them is solid, so that one within another is a hole.
        height: From z = 0 up [m], > 0.
    """

    outlines: tuple[Outline, ...]
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "outlines", tuple(map(_checked, self.outlines)))
        if not self.outlines:
            raise ValueError("polyline needs an outline, got none")
        positive("polyline height [m]", self.height)

    def convex_parts(self) -> tuple[NDArray[np.float64], ...]:
        """The flat shape cut into convex polygons that only touch.

        A convex outline stays whole; all else is cut along x at the height of every point, which
        gives trapezoids.

        Returns:
            Polygons (k, 2) [m], counterclockwise.
        """
        if len(self.outlines) == 1 and _is_convex(self.outlines[0]):
            return (_counterclockwise(np.array(self.outlines[0])),)
        return tuple(_trapezoids(self.outlines))


def _checked(outline: Iterable[Iterable[float]]) -> Outline:
    points = tuple((float(x), float(y)) for x, y in outline)
    finite("polyline points [m]", *(number for point in points for number in point))
    if len(points) > 1 and points[0] == points[-1]:
        points = points[:-1]  # some files close the line themselves
    if len(set(points)) < 3:
        raise ValueError(f"polyline needs at least 3 points, got {len(set(points))}")
    (x0, y0), (x1, y1) = points[0], next(point for point in points if point != points[0])
    if all((x1 - x0) * (y - y0) == (y1 - y0) * (x - x0) for x, y in points):
        raise ValueError("polyline needs points that do not all lie on one line")
    return points


def _is_convex(outline: Outline) -> bool:
    """Whether it turns one way only, and once around."""
    sides = np.roll(outline, -1, axis=0) - np.array(outline)
    following = np.roll(sides, -1, axis=0)
    cross = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    turns = np.arctan2(cross, (sides * following).sum(axis=1))
    one_way = (cross >= 0.0).all() or (cross <= 0.0).all()
    return bool(one_way and abs(abs(turns.sum()) - 2.0 * math.pi) < 1e-6)


def _counterclockwise(polygon: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y = polygon.T
    area = x @ np.roll(y, -1) - y @ np.roll(x, -1)
    return polygon if area > 0.0 else polygon[::-1]


def _trapezoids(outlines: Iterable[Outline]) -> Iterator[NDArray[np.float64]]:
    edges: list[_Edge] = []
    for outline in outlines:
        for (x0, y0), (x1, y1) in zip(outline, (*outline[1:], outline[0]), strict=True):
            if y0 != y1:
                edges.append((x0, y0, x1, y1) if y0 < y1 else (x1, y1, x0, y0))
    for low, high in pairwise(sorted({y for _, y0, _, y1 in edges for y in (y0, y1)})):
        through = [edge for edge in edges if edge[1] <= low and edge[3] >= high]
        spans = sorted((_x(edge, low), _x(edge, high)) for edge in through)
        for (left, top_left), (right, top_right) in zip(spans[::2], spans[1::2], strict=True):
            yield np.array(
                [[left, low], [right, low], [top_right, high], [top_left, high]], dtype=np.float64
            )


def _x(edge: _Edge, y: float) -> float:
    """Where an edge is at a height; exactly its end where it ends there."""
    x0, y0, x1, y1 = edge
    if y == y1:
        return x1
    return x0 + (x1 - x0) * (y - y0) / (y1 - y0)

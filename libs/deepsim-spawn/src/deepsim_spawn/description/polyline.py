# SPDX-License-Identifier: Apache-2.0
"""Extruded outlines."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from deepsim_spawn.errors import ModelFormatError

from .checks import finite, positive

Outline: TypeAlias = tuple[tuple[float, float], ...]
_Floats: TypeAlias = NDArray[np.float64]

_MOST_PARTS = 2**14


@dataclass(frozen=True, slots=True)
class Polyline:
    """A flat shape in the plane z = 0 of its frame, extruded along z.

    >>> square = Polyline(outlines=(((0, 0), (2, 0), (2, 1), (0, 1)),), height=0.5)
    >>> len(square.convex_parts())
    1

    Attributes:
        outlines: Closed lines of at least three points [m, m] that do not cross. Points inside an
            odd number of outlines are solid: an outline within another one is a hole.
        height: Height above z = 0 [m], > 0.
    """

    outlines: tuple[Outline, ...]
    height: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "outlines", tuple(map(_checked, self.outlines)))
        if not self.outlines:
            raise ValueError("polyline needs at least one outline, got none")
        positive("polyline height [m]", self.height)

    def convex_parts(self) -> tuple[_Floats, ...]:
        """Returns the flat shape cut into touching convex polygons.

        A convex outline stays whole; others are cut along x from every point to the next edges,
        which gives trapezoids.

        Returns:
            Polygons (k, 2) [m], counterclockwise.

        Raises:
            ModelFormatError: There are more than 16384 parts.
        """
        if len(self.outlines) == 1 and _is_convex(self.outlines[0]):
            return (_counterclockwise(np.array(self.outlines[0])),)
        return tuple(_trapezoids(self.outlines))


def _checked(outline: Iterable[Iterable[float]]) -> Outline:
    points = tuple((float(x), float(y)) for x, y in outline)
    finite("polyline points [m]", *(number for point in points for number in point))
    if len(points) > 1 and points[0] == points[-1]:
        points = points[:-1]  # some files repeat the first point
    if len(set(points)) < 3:
        raise ValueError(f"polyline needs at least 3 points, got {len(set(points))}")
    (x0, y0), (x1, y1) = points[0], next(point for point in points if point != points[0])
    if all((x1 - x0) * (y - y0) == (y1 - y0) * (x - x0) for x, y in points):
        raise ValueError("polyline points must not all lie on one line")
    return points


def _is_convex(outline: Outline) -> bool:
    """Returns whether the outline turns in one direction only and makes one full turn."""
    sides = np.roll(outline, -1, axis=0) - np.array(outline)
    following = np.roll(sides, -1, axis=0)
    cross = sides[:, 0] * following[:, 1] - sides[:, 1] * following[:, 0]
    turns = np.arctan2(cross, (sides * following).sum(axis=1))
    one_way = (cross >= 0.0).all() or (cross <= 0.0).all()
    return bool(one_way and abs(abs(turns.sum()) - 2.0 * math.pi) < 1e-6)


def _counterclockwise(polygon: _Floats) -> _Floats:
    x, y = polygon.T
    area = x @ np.roll(y, -1) - y @ np.roll(x, -1)
    return polygon if area > 0.0 else polygon[::-1]


def _trapezoids(outlines: Iterable[Outline]) -> _Floats:
    """Returns trapezoids (n, 4, 2) that extend along x from every point to the next edges.

    Between the heights of two points, the passing edges are alternately left and right sides. A
    part continues while its two sides are neighbours, so that there are about as many parts as
    points; cutting at every height would give as many as the square of that number. Where outlines
    touch, two sides may meet again after a gap, which starts another part.
    """
    edges = _rising_edges(outlines)
    heights = np.unique(edges[:, 1::2])
    firsts = np.searchsorted(edges[:, 1], [*heights, np.inf])
    sides = np.zeros((_MOST_PARTS, 2), dtype=np.int64)  # left and right edge of each part
    spans = np.zeros((_MOST_PARTS, 2))  # lowest and highest y of each part
    part_of = np.zeros(len(edges), dtype=np.int64)  # the last part with this edge as left side
    passing = np.zeros(0, dtype=np.int64)
    count = 0
    for index, (low, high) in enumerate(pairwise(heights)):
        rising = np.arange(firsts[index], firsts[index + 1])
        passing = np.append(passing[edges[passing, 3] > low], rising)
        passing = passing[np.lexsort((_x(edges[passing], high), _x(edges[passing], low)))]
        pairs = passing.reshape(-1, 2)
        known = part_of[pairs[:, 0]]
        new = pairs[(sides[known] != pairs).any(axis=1) | (spans[known, 1] != low)]
        first, count = count, count + len(new)
        if count > _MOST_PARTS:
            raise ModelFormatError(
                f"a polyline must have <= {_MOST_PARTS} convex parts: give it fewer points"
            )
        part_of[new[:, 0]] = np.arange(first, count)
        sides[first:count] = new
        spans[first:count, 0] = low
        spans[part_of[pairs[:, 0]], 1] = high
    left, right = edges[sides[:count, 0]], edges[sides[:count, 1]]
    low, high = spans[:count].T
    x = [_x(left, low), _x(right, low), _x(right, high), _x(left, high)]
    return np.stack([np.stack(x, axis=1), np.stack([low, low, high, high], axis=1)], axis=2)


def _rising_edges(outlines: Iterable[Outline]) -> _Floats:
    """Returns the edges that are not level as rows (n, 4): lower x, y, upper x, y; lowest first."""
    edges = np.concatenate(
        [np.hstack([outline, np.roll(outline, -1, axis=0)]) for outline in outlines]
    )
    falls = edges[:, 1] > edges[:, 3]
    edges[falls] = edges[falls][:, [2, 3, 0, 1]]
    edges = edges[edges[:, 1] < edges[:, 3]]
    return edges[np.argsort(edges[:, 1], kind="stable")]


def _x(edges: _Floats, y: float | _Floats) -> _Floats:
    """Returns the x of each edge (n, 4) at the height y; it is exact at the ends."""
    x0, y0, x1, y1 = edges.T
    return np.asarray(np.where(y == y1, x1, x0 + (x1 - x0) * ((y - y0) / (y1 - y0))))

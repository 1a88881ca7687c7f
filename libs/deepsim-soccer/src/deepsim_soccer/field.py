# SPDX-License-Identifier: Apache-2.0
"""Markings, goals and boundary of the field, as lengths."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from .dialect import Dialect, find_dialect


class Line(NamedTuple):
    """A straight marking: from (x0, y0) to (x1, y1), the middle of the line [m], and its width."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float


@dataclass(frozen=True)
class Field:
    """The field of the middle-size league; x leads to the right goal, z up, origin at the centre.

    Lengths are in metres and, as in the rules of 2015, outer edges of lines are measured.
    """

    length: float = 18.0
    width: float = 12.0
    line: float = 0.125  # width of a line
    circle: float = 2.0  # radius of the centre circle
    centre_mark: float = 0.15  # diameter
    penalty_mark: float = 0.10  # diameter
    penalty_distance: float = 3.0  # of the mark from the goal line
    goal_area: float = 0.75  # depth; and from the inside of each post to its side
    penalty_area: float = 2.25  # ditto
    corner: float = 0.75  # radius of the corner arc
    margin: float = 1.5  # from the lines to the boundary
    boundary: float = 0.1  # height of the boundary: 8 to 15 cm
    goal_width: float = 2.0  # inside
    goal_height: float = 1.0  # inside
    goal_depth: float = 0.5
    post: float = 0.125  # side of posts and bar

    @classmethod
    def of(cls, dialect: str | Dialect) -> Field:
        """Returns the field of a dialect."""
        chosen = find_dialect(dialect)
        return cls(length=chosen.field_length, width=chosen.field_width)

    def restart_spots(self) -> list[tuple[float, float]]:
        """Returns the six virtual spots of restarts."""
        third = self.length / 3.0
        return [(x, y) for x in (-third, 0.0, third) for y in (-3.0, 3.0)]

    def ball_presets(self) -> list[tuple[float, float]]:
        """Returns the 13 places to which the published tools move the ball, 4 of them corners."""
        third, x, y = self.length / 3.0, self.length / 2.0 - 0.2, self.width / 2.0 - 0.2
        places = [(i * third, j * 3.0) for i in (-1.0, 0.0, 1.0) for j in (1.0, 0.0, -1.0)]
        return [*places, (x, y), (x, -y), (-x, y), (-x, -y)]

    def lines(self) -> Iterator[Line]:
        """Yields all straight markings; circles are polygons of 48 sides."""
        half = self.line / 2.0
        x, y = self.length / 2.0 - half, self.width / 2.0 - half
        yield from self._rectangle(-x, -y, x, y)
        yield Line(0.0, -y - half, 0.0, y + half, self.line)
        yield from self._arc(0.0, 0.0, self.circle - half, 0.0, 2.0 * math.pi, 48)
        for depth in (self.goal_area, self.penalty_area):
            reach = self.goal_width / 2.0 + depth - half
            inner = self.length / 2.0 - depth + half
            yield from self._rectangle(inner, -reach, x, reach)
            yield from self._rectangle(-x, -reach, -inner, reach)
        for number, (side_x, side_y) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
            start = math.pi + number * math.pi / 2.0
            centre = side_x * (x + half), side_y * (y + half)
            yield from self._arc(*centre, self.corner - half, start, start + math.pi / 2.0, 8)
        for mark_x in (-1.0, 1.0):
            middle = mark_x * (self.length / 2.0 - self.penalty_distance)
            mark = self.penalty_mark
            yield Line(middle - mark / 2.0, 0.0, middle + mark / 2.0, 0.0, mark)
        yield Line(-self.centre_mark / 2.0, 0.0, self.centre_mark / 2.0, 0.0, self.centre_mark)

    def _rectangle(self, x0: float, y0: float, x1: float, y1: float) -> Iterator[Line]:
        half = self.line / 2.0
        for y in (y0, y1):
            yield Line(x0 - half, y, x1 + half, y, self.line)
        for x in (x0, x1):
            yield Line(x, y0, x, y1, self.line)

    def _arc(
        self, x: float, y: float, radius: float, start: float, end: float, sides: int
    ) -> Iterator[Line]:
        step = (end - start) / sides
        points = [
            (x + radius * math.cos(start + i * step), y + radius * math.sin(start + i * step))
            for i in range(sides + 1)
        ]
        for (x0, y0), (x1, y1) in pairwise(points):
            yield Line(x0, y0, x1, y1, self.line)

# SPDX-License-Identifier: Apache-2.0
"""The dimensions of the field, its markings, and the places of robots at a kick-off."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .dialect import Dialect, find_dialect
from .skills.motion import Floats


class Line(NamedTuple):
    """A straight marking with a centre line from (x0, y0) to (x1, y1); all values in metres.

    Example:
        >>> next(Field().lines()).width
        0.125
    """

    x0: float
    y0: float
    x1: float
    y1: float
    width: float


@dataclass(frozen=True)
class Field:
    """The field of the middle-size league, in metres.

    The origin is at the centre; x points to the right goal, and z up. As in the rules of 2015,
    lengths are measured to the outer edges of the lines.

    Example:
        >>> field = Field.of("simatch")
        >>> field.length, field.width
        (22.0, 14.0)
    """

    length: float = 18.0
    width: float = 12.0
    line: float = 0.125  # width of a line
    circle: float = 2.0  # radius of the centre circle
    centre_mark: float = 0.15  # diameter
    penalty_mark: float = 0.10  # diameter
    penalty_distance: float = 3.0  # from the goal line to the penalty mark
    goal_area: float = 0.75  # depth, and distance from the inside of a post to the side line
    penalty_area: float = 2.25  # depth, and distance from the post, as for the goal area
    corner: float = 0.75  # radius of the corner arc
    margin: float = 1.5  # from the lines to the boundary
    boundary: float = 0.15  # its height, above a ball's centre; the rules allow 8 to 15 cm
    goal_width: float = 2.0  # between the posts
    goal_height: float = 1.0  # below the bar
    goal_depth: float = 0.5
    post: float = 0.125  # side of the square section of posts and bar

    @classmethod
    def of(cls, dialect: str | Dialect) -> Field:
        """Returns the field of a dialect, which is given by name or as a `Dialect`."""
        chosen = find_dialect(dialect)
        return cls(length=chosen.field_length, width=chosen.field_width)

    def restart_spots(self) -> list[tuple[float, float]]:
        """Returns the positions (x, y) [m] of the six restart spots."""
        third = self.length / 3.0
        return [(x, y) for x in (-third, 0.0, third) for y in (-3.0, 3.0)]

    def ball_presets(self) -> list[tuple[float, float]]:
        """Returns the 13 ball positions (x, y) [m] of the published tools, the corners last."""
        third, x, y = self.length / 3.0, self.length / 2.0 - 0.2, self.width / 2.0 - 0.2
        places = [(i * third, j * 3.0) for i in (-1.0, 0.0, 1.0) for j in (1.0, 0.0, -1.0)]
        return [*places, (x, y), (x, -y), (-x, y), (-x, -y)]

    def lines(self) -> Iterator[Line]:
        """Yields all markings as straight lines; a full circle consists of 48 lines."""
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


# Five spots from the published launch file, then six more, for a team that plays to the right.
_SPOTS = [
    (-8.5, 0.0),
    (-2.0, 1.0),
    (-2.0, -1.0),
    (-5.0, 2.0),
    (-5.0, -2.0),
    (-1.0, 3.5),
    (-1.0, -3.5),
    (-4.0, 0.0),
    (-6.5, 1.0),
    (-6.5, -1.0),
    (-4.0, 4.5),
]


def formation(robots: int, length: float = 18.0) -> Floats:
    """Returns the places of a team at a kick-off, (robots, 2) [m], in the team's frame.

    The first of two or more robots is the keeper. The published places, for a field of 18 m, are
    scaled to a field of `length` [m].
    """
    first = 1 if robots == 1 else 0
    return np.array(_SPOTS[first : first + robots]).reshape(-1, 2) * (length / 18.0, 1.0)


def starting_places(counts: Iterable[int], length: float) -> tuple[Floats, Floats]:
    """Returns places (N, 2) [m] and yaws (N,) [rad] of both teams at a kick-off.

    Args:
        counts: Number of robots of cyan and of magenta.
        length: Length of the field [m].
    """
    cyan, magenta = (formation(count, length) for count in counts)
    return np.concatenate([cyan, -magenta]), np.repeat([0.0, np.pi], [len(cyan), len(magenta)])

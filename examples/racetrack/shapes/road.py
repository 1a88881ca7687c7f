# SPDX-License-Identifier: Apache-2.0
"""What lies on the ground: the road, its lines and kerbs, the start, the posts of the gates."""

from __future__ import annotations

import math

import numpy as np
from examples.racetrack.centreline import WIDTH, Centreline
from examples.racetrack.gates import COUNT

from .solids import Solid, ribbon

_HALF = WIDTH / 2
_LINE = 0.05  # width of the white lines [m]
_KERB = 0.11  # width of the kerbs [m]
_DASH = 0.4  # length of a dash of the middle line, and of the gaps between, about [m]
_BEND = 0.22  # a bend sharper than this has a kerb on its inner side [1/m]
_SQUARES = 10  # of the start line, across the road

_LINE_HEIGHT, _MARK_HEIGHT = (0.001, 0.006), (0.001, 0.009)  # on the asphalt, that is 4 mm thick


class _Road:
    def __init__(self) -> None:
        self.course = Centreline()

    def strip(
        self, right: float, left: float, start: float, end: float, z: tuple[float, float]
    ) -> Solid:
        """A piece of the course between two offsets and two distances [m]."""
        along = np.linspace(start, end, max(2, int((end - start) / 0.1)))
        edges = [self.course.point(along, offset) for offset in (right, left)]
        return ribbon(edges[0], edges[1], z, closed=False)

    def ring(self, right: float, left: float, z: tuple[float, float]) -> Solid:
        """The whole course between two offsets."""
        along = np.linspace(0.0, self.course.length, 240, endpoint=False)
        return ribbon(self.course.point(along, right), self.course.point(along, left), z, True)

    def lines(self) -> list[Solid]:
        """White lines at both edges, and dashes in the middle."""
        edges = [
            self.ring(-_HALF, -_HALF + _LINE, _LINE_HEIGHT),
            self.ring(_HALF - _LINE, _HALF, _LINE_HEIGHT),
        ]
        count = round(self.course.length / (2 * _DASH))
        starts = np.arange(count) * self.course.length / count
        return edges + [
            self.strip(-0.02, 0.02, start, start + _DASH, _LINE_HEIGHT) for start in starts
        ]

    def kerbs(self) -> tuple[list[Solid], list[Solid]]:
        """The red and the white pieces of the kerbs, beside the road in its bends."""
        pieces: tuple[list[Solid], list[Solid]] = [], []
        size = self.course.length / (2 * round(self.course.length / 0.5))
        for number, start in enumerate(np.arange(0.0, self.course.length - size / 2, size)):
            before, after = (self.course.heading(start + way) for way in (-0.5, size + 0.5))
            bend = math.remainder(after - before, math.tau) / (size + 1.0)
            if abs(bend) > _BEND:
                right, left = sorted(math.copysign(x, bend) for x in (_HALF, _HALF + _KERB))
                piece = self.strip(right, left, start, start + size, (0.0, 0.012))
                pieces[number % 2].append(piece)
        return pieces

    def chequers(self) -> list[Solid]:
        """The white squares of the start line, in two rows."""
        width, start = WIDTH / _SQUARES, self.course.length / 8
        return [
            self.strip(
                -_HALF + (2 * n + row) * width,
                -_HALF + (2 * n + row + 1) * width,
                start + row * width,
                start + (row + 1) * width,
                _MARK_HEIGHT,
            )
            for row in (0, 1)
            for n in range(_SQUARES // 2)
        ]

    def gates(self) -> list[Solid]:
        """A post on either side of each gate."""
        spacing = self.course.length / COUNT
        posts = []
        for middle in np.arange(COUNT) * spacing:
            for right, left in ((-_HALF - 0.25, -_HALF - 0.2), (_HALF + 0.2, _HALF + 0.25)):
                posts.append(self.strip(right, left, middle - 0.025, middle + 0.025, (0.0, 0.3)))
        return posts


def track() -> dict[str, list[Solid]]:
    """Everything, by the name of the visual."""
    road = _Road()
    red, white = road.kerbs()
    return {
        "asphalt": [road.ring(-_HALF, _HALF, (0.0, 0.004))],
        "lines": road.lines(),
        "kerbs_red": red,
        "kerbs_white": white,
        "chequers": road.chequers(),
        "gates": road.gates(),
    }

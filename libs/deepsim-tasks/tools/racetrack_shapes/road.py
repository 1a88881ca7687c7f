# SPDX-License-Identifier: Apache-2.0
"""The solids on the ground: the road, its lines and kerbs, the start, the posts of the gates."""

from __future__ import annotations

import math

import numpy as np

from deepsim_tasks.racetrack.course import GATES, WIDTH, Course

from .solids import Solid, ribbon

_COURSE = Course()
_HALF = WIDTH / 2
_LINE = 0.05  # width of the white lines [m]
_KERB = 0.11  # width of the kerbs [m]
_DASH = 0.4  # length of a dash of the middle line, and of the gaps between, about [m]
_BEND = 0.22  # a bend sharper than this has a kerb on its inner side [1/m]
_SQUARES = 10  # of the start line, across the road
_LINE_HEIGHT, _MARK_HEIGHT = (0.001, 0.006), (0.001, 0.009)  # on the asphalt, that is 4 mm thick


def track() -> dict[str, list[Solid]]:
    """Returns everything, by the name of the visual."""
    red, white = _kerbs()
    return {
        "asphalt": [_ring(-_HALF, _HALF, (0.0, 0.004))],
        "lines": _lines(),
        "kerbs_red": red,
        "kerbs_white": white,
        "chequers": _chequers(),
        "gates": _gates(),
    }


def _strip(right: float, left: float, start: float, end: float, z: tuple[float, float]) -> Solid:
    """A piece of the road between two offsets and two distances [m]."""
    along = np.linspace(start, end, max(2, int((end - start) / 0.1)))
    return ribbon(_COURSE.point(along, right), _COURSE.point(along, left), z, closed=False)


def _ring(right: float, left: float, z: tuple[float, float]) -> Solid:
    """The whole road between two offsets [m]."""
    along = np.linspace(0.0, _COURSE.length, 240, endpoint=False)
    return ribbon(_COURSE.point(along, right), _COURSE.point(along, left), z, closed=True)


def _lines() -> list[Solid]:
    """White lines at both edges, and dashes in the middle."""
    edges = [(-_HALF, -_HALF + _LINE), (_HALF - _LINE, _HALF)]
    count = round(_COURSE.length / (2 * _DASH))
    starts = np.arange(count) * _COURSE.length / count
    dashes = [_strip(-0.02, 0.02, start, start + _DASH, _LINE_HEIGHT) for start in starts]
    return [_ring(*edge, _LINE_HEIGHT) for edge in edges] + dashes


def _kerbs() -> tuple[list[Solid], list[Solid]]:
    """The red and the white pieces of the kerbs, beside the road in its bends."""
    pieces: tuple[list[Solid], list[Solid]] = [], []
    size = _COURSE.length / (2 * round(_COURSE.length / 0.5))
    for number, start in enumerate(np.arange(0.0, _COURSE.length - size / 2, size)):
        before, after = (float(_COURSE.heading(start + way)) for way in (-0.5, size + 0.5))
        bend = math.remainder(after - before, math.tau) / (size + 1.0)
        if abs(bend) > _BEND:
            right, left = sorted(math.copysign(x, bend) for x in (_HALF, _HALF + _KERB))
            pieces[number % 2].append(_strip(right, left, start, start + size, (0.0, 0.012)))
    return pieces


def _chequers() -> list[Solid]:
    """The white squares of the start line, in two rows."""
    width, squares = WIDTH / _SQUARES, []
    for row in (0, 1):
        start = _COURSE.length / 8 + row * width
        for right in [-_HALF + (2 * n + row) * width for n in range(_SQUARES // 2)]:
            squares.append(_strip(right, right + width, start, start + width, _MARK_HEIGHT))
    return squares


def _gates() -> list[Solid]:
    """A post on either side of each gate."""
    middles = np.arange(GATES) * (_COURSE.length / GATES)
    sides = (-_HALF - 0.25, -_HALF - 0.2), (_HALF + 0.2, _HALF + 0.25)
    return [
        _strip(*side, middle - 0.025, middle + 0.025, (0.0, 0.3))
        for middle in middles
        for side in sides
    ]

# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ARG001 (all kinds have the same arguments)
"""Generators of terrain: functions that return the heights of one patch.

All take the lengths of the patch along x and y [m], the spacing of its samples [m], the difficulty
in 0..1 and a generator of random numbers, and return heights [m] at samples from edge to edge, with
rows along y and columns along x. The same arguments give the same heights. Options that are pairs
are values at difficulty 0 and 1; `functools.partial` sets them for `Terrain.generate`. In the
middle is a level square with sides `platform` [m], on which robots begin.

A step in height becomes a ramp between two samples: with a resolution of 0.05 m, an edge is 0.05 m
wide.

>>> patch = stairs((8.0, 8.0), 0.1, 1.0, np.random.default_rng(0))
>>> patch.shape, round(float(patch.max()), 2)
((81, 81), 2.3)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Floats: TypeAlias = NDArray[np.float64]
_Range: TypeAlias = tuple[float, float]

TerrainKind: TypeAlias = Callable[
    [tuple[float, float], float, float, np.random.Generator], NDArray[np.float64]
]
"""A generator: of size (x, y) [m], resolution [m], difficulty in 0..1, and random numbers."""

_FADE = 0.5  # width of the band in which roughness grows around a platform [m]


def flat(
    size: tuple[float, float], resolution: float, difficulty: float, rng: np.random.Generator
) -> _Floats:
    """Returns level ground at height 0."""
    return np.zeros_like(_Patch(size, resolution).inset)


def slopes(
    size: tuple[float, float],
    resolution: float,
    difficulty: float,
    rng: np.random.Generator,
    *,
    slope: _Range = (0.0, 0.4),
    platform: float = 2.0,
    down: bool = False,
) -> _Floats:
    """Returns a pyramid with smooth sides.

    Args:
        size: Lengths along x and y [m].
        resolution: Spacing of samples [m].
        difficulty: In 0..1.
        rng: Not used.
        slope: Rise per length.
        platform: Side of the level top [m].
        down: Whether it is a pit instead.
    """
    patch = _Patch(size, resolution)
    height = _between(slope, difficulty) * np.minimum(patch.inset, patch.inset_of(platform))
    return -height if down else height


def stairs(
    size: tuple[float, float],
    resolution: float,
    difficulty: float,
    rng: np.random.Generator,
    *,
    rise: _Range = (0.05, 0.23),
    tread: float = 0.3,
    platform: float = 2.0,
    down: bool = False,
) -> _Floats:
    """Returns a pyramid with stairs on four sides.

    Args:
        size: Lengths along x and y [m].
        resolution: Spacing of samples [m].
        difficulty: In 0..1.
        rng: Not used.
        rise: Height of a step [m].
        tread: Depth of a step [m].
        platform: Least side of the level top [m].
        down: Whether they lead down into a pit instead.
    """
    patch = _Patch(size, resolution)
    steps = np.floor(np.minimum(patch.inset, patch.inset_of(platform)) / tread + 1e-9)
    height = _between(rise, difficulty) * steps
    return -height if down else height


def boxes(
    size: tuple[float, float],
    resolution: float,
    difficulty: float,
    rng: np.random.Generator,
    *,
    height: _Range = (0.05, 0.25),
    sides: _Range = (0.5, 2.0),
    density: float = 0.5,
    platform: float = 2.0,
) -> _Floats:
    """Returns level ground with rectangular boxes and pits at random places.

    Args:
        size: Lengths along x and y [m].
        resolution: Spacing of samples [m].
        difficulty: In 0..1.
        rng: Draws places, sides and heights.
        height: Greatest height of boxes and depth of pits [m].
        sides: Least and greatest side of a box [m], at any difficulty.
        density: Boxes per area [1/m^2].
        platform: Side of the level square in the middle [m].
    """
    patch = _Patch(size, resolution)
    heights = np.zeros_like(patch.inset)
    count = round(density * size[0] * size[1])
    places = rng.uniform(-0.5, 0.5, (count, 2)) * size
    halves = rng.uniform(*sides, (count, 2)) / 2
    tops = _between(height, difficulty) * rng.uniform(-1.0, 1.0, count)
    for (x, y), (half_x, half_y), top in zip(places, halves, tops, strict=True):
        heights[(np.abs(patch.x - x) <= half_x) & (np.abs(patch.y - y) <= half_y)] = top
    heights[patch.off_centre <= platform / 2] = 0.0
    return heights


def rubble(
    size: tuple[float, float],
    resolution: float,
    difficulty: float,
    rng: np.random.Generator,
    *,
    height: _Range = (0.02, 0.2),
    stone: float = 0.25,
    platform: float = 1.0,
) -> _Floats:
    """Returns rough ground: random heights at a wide spacing, joined by straight lines.

    Args:
        size: Lengths along x and y [m].
        resolution: Spacing of samples [m].
        difficulty: In 0..1.
        rng: Draws the heights.
        height: Distance from the lowest to the highest point [m].
        stone: Spacing of the random heights [m].
        platform: Side of the level square in the middle [m], around which roughness grows.
    """
    patch = _Patch(size, resolution)
    across, along = (np.arange(0.0, length + stone, stone) - length / 2 for length in size)
    drawn = rng.uniform(-0.5, 0.5, (len(along), len(across))) * _between(height, difficulty)
    rows = np.array([np.interp(patch.x[0], across, row) for row in drawn])
    lines = [np.interp(patch.y[:, 0], along, column) for column in rows.T]
    return np.ascontiguousarray(np.array(lines).T) * patch.fade(platform)


def waves(
    size: tuple[float, float],
    resolution: float,
    difficulty: float,
    rng: np.random.Generator,
    *,
    height: _Range = (0.0, 0.4),
    length: float = 2.0,
    platform: float = 1.0,
) -> _Floats:
    """Returns smooth waves along x and y.

    Args:
        size: Lengths along x and y [m].
        resolution: Spacing of samples [m].
        difficulty: In 0..1.
        rng: Not used.
        height: Distance from the lowest to the highest point [m].
        length: Distance of crests along x, and along y [m].
        platform: Side of the level square in the middle [m], around which waves grow.
    """
    patch = _Patch(size, resolution)
    turn = 2.0 * np.pi / length
    wave = np.sin(turn * patch.x) + np.sin(turn * patch.y)
    return _between(height, difficulty) / 4.0 * wave * patch.fade(platform)


def gaps(
    size: tuple[float, float],
    resolution: float,
    difficulty: float,
    rng: np.random.Generator,
    *,
    width: _Range = (0.1, 0.7),
    ledge: float = 0.8,
    depth: float = 1.0,
    platform: float = 2.0,
) -> _Floats:
    """Returns square trenches around the middle, one outside of another.

    Args:
        size: Lengths along x and y [m].
        resolution: Spacing of samples [m].
        difficulty: In 0..1.
        rng: Not used.
        width: Width of a trench [m].
        ledge: Width of the level ground between two trenches [m].
        depth: Depth of a trench [m].
        platform: Side of the level square in the middle [m].
    """
    patch = _Patch(size, resolution)
    trench = _between(width, difficulty)
    outside = patch.off_centre - platform / 2 - 1e-9
    is_trench = (outside > 0.0) & (outside % (trench + ledge) < trench)
    return np.where(is_trench & (patch.inset > 0.0), -depth, 0.0)


def stepping_stones(
    size: tuple[float, float],
    resolution: float,
    difficulty: float,
    rng: np.random.Generator,
    *,
    side: _Range = (1.0, 0.4),
    gap: _Range = (0.1, 0.4),
    height: _Range = (0.0, 0.1),
    depth: float = 1.0,
    platform: float = 2.0,
) -> _Floats:
    """Returns square stones in a pit.

    Args:
        size: Lengths along x and y [m].
        resolution: Spacing of samples [m].
        difficulty: In 0..1.
        rng: Draws the heights of stones.
        side: Side of a stone [m].
        gap: Distance of two stones [m].
        height: Greatest height of a stone above and below 0 [m].
        depth: Depth of the pit [m].
        platform: Side of the level square in the middle [m].
    """
    patch = _Patch(size, resolution)
    stone = _between(side, difficulty)
    pitch = stone + _between(gap, difficulty)
    column, row = (
        np.floor(offsets / pitch + 1e-9).astype(np.int64)
        for offsets in (patch.x + size[0] / 2, patch.y + size[1] / 2)
    )
    tops = _between(height, difficulty) * rng.uniform(-1.0, 1.0, (row.max() + 1, column.max() + 1))
    on_stone = (patch.x + size[0] / 2 - column * pitch < stone - 1e-9) & (
        patch.y + size[1] / 2 - row * pitch < stone - 1e-9
    )
    heights = np.where(on_stone, tops[row, column], -depth)
    heights[patch.off_centre <= platform / 2] = 0.0
    return heights


class _Patch:
    """The samples of a patch, relative to its middle.

    Attributes:
        x: Along x [m], (1, columns).
        y: Along y [m], (rows, 1).
        inset: Distance of each sample from the nearest edge [m], (rows, columns).
        off_centre: The greater one of its distances from the middle along x and y [m].
    """

    def __init__(self, size: tuple[float, float], resolution: float) -> None:
        if not resolution > 0.0:
            raise ValueError(f"resolution must be > 0 m, got {resolution}")
        cells = [round(length / resolution) for length in size]
        if any(
            not count > 0 or abs(count * resolution - length) > 1e-6 * length
            for count, length in zip(cells, size, strict=True)
        ):
            raise ValueError(
                f"size must be multiples of the resolution {resolution} m, got {tuple(size)} m"
            )
        columns, rows = cells
        self._half = min(size) / 2
        self.x = np.linspace(-size[0] / 2, size[0] / 2, columns + 1)[None, :]
        self.y = np.linspace(-size[1] / 2, size[1] / 2, rows + 1)[:, None]
        self.inset = np.minimum(size[0] / 2 - np.abs(self.x), size[1] / 2 - np.abs(self.y))
        self.off_centre = np.maximum(np.abs(self.x), np.abs(self.y))

    def inset_of(self, platform: float) -> float:
        """Returns the inset of a square's sides in the middle [m]."""
        return max(self._half - platform / 2, 0.0)

    def fade(self, platform: float) -> _Floats:
        """Returns factors that are 0 on a square in the middle and 1 some way around it."""
        return np.clip((self.off_centre - platform / 2) / _FADE, 0.0, 1.0)


def _between(values: _Range, difficulty: float) -> float:
    low, high = values
    return low + difficulty * (high - low)

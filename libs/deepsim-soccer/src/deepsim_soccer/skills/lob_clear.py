# SPDX-License-Identifier: Apache-2.0
"""A lob that does not touch the bar: the ball has a radius, and the bar a depth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .motion import Floats

_SIDE = np.linspace(0.0, 0.5 * math.pi, 200)  # around a corner of the bar [rad]
_SPEEDS = np.linspace(0.02, 1.0, 99)  # horizontal speeds that are tried, of the largest


@dataclass(frozen=True)
class Bar:
    """The bar of a goal, a beam with a rectangular section.

    Attributes:
        height: Of its lower side above the ground [m].
        thickness: [m].
        depth: Along the kick; it ends at the goal line [m].
    """

    height: float = 1.0
    thickness: float = 0.125
    depth: float = 0.125


class Lob(NamedTuple):
    """Speeds of a lob, ahead and up, (...) [m/s], NaN where `possible` is false."""

    ahead: Floats
    up: Floats
    possible: NDArray[np.bool_]


def lob_clear(
    distance: ArrayLike,
    *,
    over: bool = False,
    bar: Bar | None = None,
    radius: float = 0.11,
    gravity: float = 9.81,
    clearance: float = 0.03,
    max_speed: float = 12.0,
) -> Lob:
    """Returns the slowest lob that passes under the bar, or over it, without touching it.

    A parabola clears the bar where the ball's centre stays outside the section of the bar, grown by
    radius and clearance. Under the bar, the ball reaches the goal line in flight. Of each
    horizontal speed the upward speeds that do are an interval: under the bar its middle is taken,
    over the bar its lower end.

    Args:
        distance: From the centre of the ball to the goal line, (...) [m].
        over: Whether the ball passes over the bar.
        bar: Its section; by the rules by default.
        radius: Of the ball, which lies on the ground [m].
        gravity: [m/s²].
        clearance: Least distance between ball and bar [m].
        max_speed: Largest speed of the kick [m/s].

    Returns:
        The lob; `possible` is false where no speed up to the largest clears the bar.

    Raises:
        ValueError: A length or speed is not positive.

    Example:
        >>> lob = lob_clear([2.0, 5.0, 50.0])
        >>> lob.possible
        array([ True,  True, False])
    """
    beam = bar or Bar()
    for name, value in (("radius", radius), ("gravity", gravity), ("max_speed", max_speed)):
        if not value > 0.0:
            raise ValueError(f"{name} must be > 0, got {value}")
    away = np.asarray(distance, np.float64)
    if not (away > beam.depth + radius + clearance).all():
        raise ValueError(
            f"distance must be > {beam.depth + radius + clearance} m, got {away.min()}"
        )
    ahead = np.broadcast_to(max_speed * _SPEEDS, (*away.shape, len(_SPEEDS)))
    bend = gravity / (2.0 * ahead * ahead)  # -a of equation (8)
    x, y = _outline(beam, radius + clearance, radius, over=over)
    # A centre at (x, y) is on the parabola of slope b = y / x + bend x at the start: equation (4).
    edge = away[..., None, None] + x
    slopes = y / edge + bend[..., None] * edge
    if over:
        slope = slopes.max(axis=-1)
        possible = slope > 0.0
    else:
        lowest, highest = bend * away[..., None], slopes.min(axis=-1)
        slope, possible = 0.5 * (lowest + highest), highest > lowest
    up = slope * ahead
    speed = np.sqrt(ahead * ahead + up * up)
    speed = np.where(possible & (speed <= max_speed), speed, np.inf)
    best = speed.argmin(axis=-1)[..., None]
    found = np.isfinite(np.take_along_axis(speed, best, axis=-1))
    chosen = [np.take_along_axis(value, best, axis=-1) for value in (ahead, up)]
    ahead, up = (np.where(found, value, np.nan)[..., 0] for value in chosen)
    return Lob(ahead, up, found[..., 0])


def _outline(bar: Bar, grown: float, radius: float, *, over: bool) -> tuple[Floats, Floats]:
    """Returns points of the lower or upper side of the grown section.

    x is from the goal line, y from the height of the centre of a ball that lies on the ground.
    """
    aside, across = grown * np.cos(_SIDE), grown * np.sin(_SIDE)
    x = np.concatenate([-bar.depth - aside, aside[::-1]])
    height = bar.height - radius + (bar.thickness if over else 0.0)
    y = height + (1.0 if over else -1.0) * np.concatenate([across, across[::-1]])
    return x, y

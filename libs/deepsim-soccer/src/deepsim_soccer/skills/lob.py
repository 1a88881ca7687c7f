# SPDX-License-Identifier: Apache-2.0
"""Lobs: a parabola through a point below the bar, as in Yao et al., 2015, or clear of the bar."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .motion import Floats, kick_direction


class Parabola(NamedTuple):
    """The flight y = a x² + b x + c of equation (4), relative to the ball at rest, in metres.

    Example:
        >>> flight = lob_parabola(speed=5.0, distance=4.0, height=0.8)
        >>> round(float(flight.height(4.0)), 2), round(float(flight.apex), 2)
        (0.8, 2.51)
    """

    a: Floats
    b: Floats
    c: Floats

    def height(self, x: ArrayLike) -> Floats:
        """Returns the height y at a distance x, (...) [m]."""
        away = np.asarray(x, np.float64)
        return np.asarray((self.a * away + self.b) * away + self.c)

    @property
    def apex(self) -> Floats:
        """The distance x of the highest point, -b / 2a, (...) [m]."""
        return np.asarray(-self.b / (2.0 * self.a))


def lob_speed_limit(distance: ArrayLike, height: ArrayLike, gravity: float = 9.8) -> Floats:
    """Returns the horizontal speed v_thres = d sqrt(g / 2h) of equation (12), (...) [m/s].

    Below this speed, the ball is past its highest point at the goal line, as equation (11) demands.

    Args:
        distance: Distance d from the ball to the goal line, (...) [m].
        height: Rise h of the ball at the goal line, (...) [m].
        gravity: g [m/s²].
    """
    rise = np.asarray(height, np.float64)
    return np.asarray(np.asarray(distance, np.float64) * np.sqrt(gravity / (2.0 * rise)))


def lob_parabola(
    speed: ArrayLike, distance: ArrayLike, height: ArrayLike, gravity: float = 9.8
) -> Parabola:
    """Returns the flight through (0, 0) and (d, h) at a horizontal speed: equations (4) to (8).

    Args:
        speed: Horizontal speed v_x, (...) [m/s].
        distance: Distance d, (...) [m].
        height: Height h, (...) [m].
        gravity: g [m/s²].
    """
    moved, away = np.asarray(speed, np.float64), np.asarray(distance, np.float64)
    bend = gravity / (2.0 * moved * moved)
    b = np.asarray(height, np.float64) / away + bend * away
    return Parabola(-bend * np.ones_like(b), b, np.zeros_like(b))


def lob(
    yaw: ArrayLike,
    distance: ArrayLike,
    height: ArrayLike,
    *,
    gravity: float = 9.8,
    share: float = 0.5,
    limit: float = np.inf,
) -> Floats:
    """Returns the velocity of a lob, (v_x D_x, v_x D_y, b v_x): equations (9) and (10).

    Args:
        yaw: Yaw of the robot, (...) [rad].
        distance: Distance d from the ball to the goal line along the kick, (...) [m].
        height: Rise h of the ball at the goal line, (...) [m].
        gravity: g [m/s²].
        share: Ratio of v_x to `lob_speed_limit`, below 1; one half in the published code.
        limit: Largest v_x [m/s].

    Returns:
        The velocity in the world frame, (..., 3) [m/s].

    Example:
        >>> lob(0.0, 4.57, 0.78).round(4)
        array([5.7271, 0.    , 4.8875])
    """
    speed = np.minimum(share * lob_speed_limit(distance, height, gravity), limit)
    rise = lob_parabola(speed, distance, height, gravity).b * speed
    direction = kick_direction(yaw)
    x, y = speed * direction[..., 0], speed * direction[..., 1]
    return np.stack([x, y, np.broadcast_to(rise, x.shape)], axis=-1)


_SIDE = np.linspace(0.0, 0.5 * math.pi, 200)  # angles around a corner of the bar [rad]
_SPEEDS = np.linspace(0.02, 1.0, 99)  # horizontal speeds to try, relative to the largest


@dataclass(frozen=True)
class Bar:
    """The bar of a goal, a beam with a rectangular section.

    Attributes:
        height: Height of its lower side above the ground [m].
        thickness: Vertical size [m].
        depth: Horizontal size across the goal line [m]; the far side is at the goal line.

    Example:
        >>> bool(lob_clear(5.0, bar=Bar(height=2.0), over=True).possible)
        True
    """

    height: float = 1.0
    thickness: float = 0.125
    depth: float = 0.125


class Lob(NamedTuple):
    """Horizontal and vertical speed of a lob, (...) [m/s]; NaN where `possible` is false.

    Example:
        >>> lob = lob_clear(50.0)
        >>> bool(lob.possible), float(lob.ahead)
        (False, nan)
    """

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

    The ball clears the bar if its centre stays outside the bar's cross-section, enlarged by the
    radius and the clearance; a lob under the bar also reaches the goal line in flight. For each
    horizontal speed, the suitable vertical speeds form an interval; its middle is used under the
    bar, and its lower end over the bar.

    Args:
        distance: Distance from the ball's centre to the goal line, (...) [m].
        over: Whether the ball passes over the bar.
        bar: Cross-section of the bar; by default as in the rules.
        radius: Radius of the ball, which lies on the ground [m].
        gravity: Gravity, downwards [m/s²].
        clearance: Least distance between ball and bar [m].
        max_speed: Largest speed of the kick [m/s].

    Returns:
        The lob; `possible` is false where no speed up to `max_speed` clears the bar.

    Raises:
        ValueError: `radius`, `gravity` or `max_speed` is not positive, or the ball is too close.

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
    """Returns x and y of points on the upper (`over`) or lower side of the grown section [m].

    x is measured from the goal line, y from the centre of a ball that lies on the ground.
    """
    aside, across = grown * np.cos(_SIDE), grown * np.sin(_SIDE)
    x = np.concatenate([-bar.depth - aside, aside[::-1]])
    height = bar.height - radius + (bar.thickness if over else 0.0)
    y = height + (1.0 if over else -1.0) * np.concatenate([across, across[::-1]])
    return x, y

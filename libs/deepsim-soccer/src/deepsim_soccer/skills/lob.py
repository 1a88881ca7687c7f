# SPDX-License-Identifier: Apache-2.0
"""The lob of Yao et al., 2015: a parabola through a point below the bar."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

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

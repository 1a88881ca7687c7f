# SPDX-License-Identifier: Apache-2.0
"""Speed profiles: accelerate, cruise, decelerate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .motion import Floats


class Profile(NamedTuple):
    """A trapezoidal profile of speed over time, from rest to rest.

    Example:
        >>> profile = trapezoid(10.0, max_speed=3.0, acceleration=2.0)
        >>> profile.speed([0.5, 2.0, 9.0]), round(float(profile.position(1.0)), 2)
        (array([1., 3., 0.]), 1.0)

    Attributes:
        acceleration: Acceleration a at the start, and deceleration at the end, (...) [m/s² or
            rad/s²].
        blend: Time t_b at which the acceleration ends, (...) [s].
        duration: Total time t_f, (...) [s].
    """

    acceleration: Floats
    blend: Floats
    duration: Floats

    def speed(self, time: ArrayLike) -> Floats:
        """Returns the speed at a time [s], (...) [m/s or rad/s]; 0 before and after the profile."""
        t = np.asarray(time, np.float64)
        left = np.minimum(np.minimum(t, self.blend), self.duration - t)
        return np.asarray(self.acceleration * np.maximum(left, 0.0))

    def position(self, time: ArrayLike) -> Floats:
        """Returns the distance travelled by a time [s], (...) [m or rad]."""
        t = np.clip(np.asarray(time, np.float64), 0.0, self.duration)
        first = np.minimum(t, self.blend)
        cruise = np.clip(t - self.blend, 0.0, self.duration - 2.0 * self.blend)
        last = np.maximum(t - (self.duration - self.blend), 0.0)
        way = 0.5 * first * first + self.blend * (cruise + last) - 0.5 * last * last
        return np.asarray(self.acceleration * way)


def trapezoid(distance: ArrayLike, max_speed: ArrayLike, acceleration: ArrayLike) -> Profile:
    """Returns the fastest profile over a distance: a trapezoid, or a triangle for a short distance.

    If v² < a D, t_b = v / a and t_f = (a D + v²) / (a v); otherwise t_b = sqrt(D / a) and
    t_f = 2 t_b.

    Args:
        distance: D >= 0, (...) [m or rad].
        max_speed: v > 0, (...) [m/s or rad/s].
        acceleration: a > 0, (...) [m/s² or rad/s²].

    Example:
        >>> profile = trapezoid(10.0, 3.0, 2.0)
        >>> float(profile.blend), round(float(profile.duration), 4)
        (1.5, 4.8333)
    """
    way, v = np.asarray(distance, np.float64), np.asarray(max_speed, np.float64)
    a = np.asarray(acceleration, np.float64)
    for name, value, bad in (
        ("distance must be >= 0", way, way < 0.0),
        ("max_speed must be > 0", v, v <= 0.0),
        ("acceleration must be > 0", a, a <= 0.0),
    ):
        if bad.any():
            raise ValueError(f"{name}, got {value.min()}")
    cruises = v * v < a * way
    blend = np.where(cruises, v / a, np.sqrt(way / a))
    duration = np.where(cruises, (a * way + v * v) / (a * v), 2.0 * blend)
    return Profile(a, np.asarray(blend), np.asarray(duration))


def next_speed(
    distance: ArrayLike,
    speed: ArrayLike,
    max_speed: float,
    acceleration: float,
    period: float,
    floor: float = 0.0,
) -> Floats:
    """Returns a trapezoidal profile's speed in the next control period, (...) [m/s or rad/s].

    From this speed, the body can still stop at the goal.

    Args:
        distance: Distance to the goal, >= 0, (...) [m or rad].
        speed: Current speed towards the goal, (...) [m/s or rad/s].
        max_speed: Cruising speed [m/s or rad/s].
        acceleration: Largest acceleration and deceleration [m/s² or rad/s²].
        period: Control period [s].
        floor: Least speed, except in the last period, which ends at the goal [m/s or rad/s].
    """
    way, now = np.asarray(distance, np.float64), np.asarray(speed, np.float64)
    lag = 0.5 * acceleration * period
    stopping = np.sqrt(2.0 * acceleration * way + lag * lag) - lag
    chosen = np.minimum(np.minimum(now + acceleration * period, max_speed), stopping)
    return np.asarray(np.minimum(np.maximum(chosen, floor), way / period))

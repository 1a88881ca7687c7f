# SPDX-License-Identifier: Apache-2.0
"""Motion of a robot: between frames, along speed profiles, and of its wheels."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def anywhere(mask: NDArray[np.bool_]) -> bool:
    """Returns whether any value is true; faster than `np.any` for small arrays."""
    return 1 in mask.tobytes()


def pair(x: Floats, y: Floats) -> Floats:
    """Returns two coordinates as one array, (..., 2); several times faster than `np.stack`."""
    both = np.empty((*np.broadcast(x, y).shape, 2))
    both[..., 0], both[..., 1] = x, y
    return both


def kick_direction(yaw: ArrayLike) -> Floats:
    """Returns D_Kw of equation (1), the unit vector of the kicker in the world frame, (..., 2)."""
    angle = np.asarray(yaw, np.float64)
    return pair(np.cos(angle), np.sin(angle))


def world_velocity(yaw: ArrayLike, velocity: ArrayLike) -> Floats:
    """Converts a velocity from the robot's frame to the world frame: V_x D_K + V_y (z x D_K).

    Args:
        yaw: Yaw of the robot, (...) [rad].
        velocity: V_x and V_y in the robot's frame, (..., 2) [m/s].

    Example:
        >>> world_velocity(np.pi / 2, [1.0, 0.0]).round(3)
        array([0., 1.])
    """
    angle, moved = np.asarray(yaw, np.float64), np.asarray(velocity, np.float64)
    c, s, x, y = np.cos(angle), np.sin(angle), moved[..., 0], moved[..., 1]
    return pair(c * x - s * y, c * y + s * x)


def body_velocity(yaw: ArrayLike, velocity: ArrayLike) -> Floats:
    """Converts a velocity from the world frame to the robot's; the inverse of `world_velocity`."""
    return world_velocity(-np.asarray(yaw, np.float64), velocity)


def wrap_angle(angle: ArrayLike) -> Floats:
    """Returns angles shifted by multiples of 2 pi into -pi .. pi, (...) [rad]."""
    turned = np.asarray(angle, np.float64)
    return np.asarray(turned - 2.0 * math.pi * np.round(turned / (2.0 * math.pi)))


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


# Arrays, because NumPy spends a third of a small operation's time on converting a float.
_HALF, _LEAST, _WHOLE, _ZERO = (np.array(number) for number in (0.5**0.5, 1e-12, 1.0, 0.0))
# Drive directions of the wheels: front left, rear left, rear right, front right.
_SIGNS = np.array([[_HALF, -_HALF], [_HALF, _HALF], [-_HALF, _HALF], [-_HALF, -_HALF]])


def wheel_speeds(velocity: ArrayLike, arm: float = 0.203) -> Floats:
    """Returns the rim speeds of the wheels, u_i = 0.707 (+-V_x +- V_y) - w L.

    Args:
        velocity: V_x, V_y [m/s] and w [rad/s] in the robot's frame, (..., 3).
        arm: Distance L from the robot's centre to each wheel [m].

    Returns:
        Speeds of the front left, rear left, rear right and front right wheel, (..., 4) [m/s];
        positive speeds turn the robot clockwise.
    """
    moved = np.asarray(velocity, np.float64)
    return np.asarray(np.add.reduce(moved[..., None, :] * _rims(arm, 0), axis=-1))


def body_from_wheels(wheels: ArrayLike, arm: float = 0.203) -> Floats:
    """Returns the V_x, V_y and w, (..., 3), that best fit rim speeds, (..., 4).

    This is the least-squares inverse of `wheel_speeds`.
    """
    u = np.asarray(wheels, np.float64)
    x = 0.5 * (_SIGNS[:, 0] * u).sum(axis=-1)
    y = 0.5 * (_SIGNS[:, 1] * u).sum(axis=-1)
    return np.stack([x, y, -u.sum(axis=-1) / (4.0 * arm)], axis=-1)


def limit_wheels(
    desired: ArrayLike,
    actual: ArrayLike,
    period: float,
    *,
    arm: float = 0.203,
    speed: float = 5.0,
    acceleration: float = 2.5,
    braking: float = 5.0,
) -> Floats:
    """Returns the velocity nearest to the desired one that the wheels can reach in a period.

    The desired velocity is scaled down to the wheels' top speed without changing its direction;
    then the change of velocity is scaled down until every wheel can follow it.

    Args:
        desired: Desired V_x, V_y [m/s] and w [rad/s] in the robot's frame, (..., 3).
        actual: Current V_x, V_y [m/s] and w [rad/s], (..., 3).
        period: Control period [s].
        arm: Distance from the robot's centre to each wheel [m].
        speed: Top speed of a wheel [m/s].
        acceleration: Largest acceleration of a wheel [m/s²].
        braking: Largest deceleration of a wheel, also when it reverses [m/s²].

    Returns:
        The reachable V_x, V_y [m/s] and w [rad/s], (..., 3).
    """
    wanted, now = np.broadcast_arrays(desired, actual)
    both = np.array([wanted.T, now.T], np.float64)
    reached = limited(both, arm, speed, acceleration * period, braking * period)
    return np.ascontiguousarray(reached.T)


def limited(
    both: Floats, arm: float, speed: float, speeding_up: float, slowing_down: float
) -> Floats:
    """Computes `limit_wheels` in a memory layout that is fast in NumPy for small numbers of robots.

    Args:
        both: Desired and actual V_x, V_y [m/s] and w [rad/s], (2, 3, ...); the desired values are
            overwritten.
        arm: Distance from the robot's centre to each wheel [m].
        speed: Top speed of a wheel [m/s].
        speeding_up: Largest gain of a wheel's speed [m/s].
        slowing_down: Largest loss of a wheel's speed, also when it reverses [m/s].

    Returns:
        The reachable V_x, V_y and w, (3, ...).
    """
    change: Floats = both[0]
    now: Floats = both[1]
    x, y, w = np.abs(change)
    fastest = _HALF * (x + y) + arm * w  # of the four wheels
    change /= np.maximum(fastest / speed, _WHOLE)
    change -= now
    rims = _rims(arm, both.ndim - 2) * both[:, None]  # (2, 4, 3, ...)
    faster, turning = np.add.reduce(rims, axis=2)
    allowed = np.where(faster * turning < _ZERO, slowing_down, speeding_up)
    share = np.minimum.reduce(allowed / np.maximum(np.abs(faster), _LEAST))
    change *= np.minimum(share, _WHOLE)
    change += now
    return change


@lru_cache(maxsize=64)
def _rims(arm: float, axes: int) -> Floats:
    """Returns rim speeds per unit of V_x, V_y and w: (4, 3), and `axes` more axes of length 1."""
    per_unit = np.concatenate([_SIGNS, np.full((4, 1), -arm)], axis=1)
    return per_unit.reshape(4, 3, *(axes * [1]))

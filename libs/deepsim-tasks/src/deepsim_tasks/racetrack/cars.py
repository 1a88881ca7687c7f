# SPDX-License-Identifier: Apache-2.0
"""Cars: a bicycle model acts on the chassis; the rest is physics."""

from __future__ import annotations

import numpy as np

from deepsim_math import quaternions

from .course import Floats

SIZE = (0.46, 0.31)  # length and breadth over the wheels [m]
WHEELBASE = 0.3  # [m]
MAX_STEERING = 0.5  # [rad]
MAX_SPEED = 3.0  # [m/s]
ACCELERATION = 4.0  # [m/s^2], at full throttle; brakes are twice as strong


def curvature(steering: Floats) -> Floats:
    """Returns the curvature [1/m] of the way of a bicycle, for steering -1 right .. 1 left."""
    return np.tan(np.multiply(steering, MAX_STEERING, dtype=np.float64)) / WHEELBASE


def drive(
    pose: Floats, twist: Floats, throttle: Floats, curvature: Floats, delta_time: float
) -> Floats:
    """Returns the twists (W, cars, 6) of cars whose tyres do not slip.

    Args:
        pose: (W, cars, 7).
        twist: (W, cars, 6) present twists.
        throttle: (W, cars) -1 brake .. 1 full.
        curvature: (W, cars) [1/m].
        delta_time: Duration of a tick [s].
    """
    frame = quaternions.to_matrix(pose[..., 3:])
    forward, up = frame[..., 0], frame[..., 2]
    linear, angular = twist[..., :3], twist[..., 3:]
    speed = (linear * forward).sum(axis=-1)
    push = throttle * np.where(throttle * speed < 0.0, 2.0 * ACCELERATION, ACCELERATION)
    speed = (speed + push * delta_time).clip(0.0, MAX_SPEED)
    rise = (linear * up).sum(axis=-1)
    spin = speed * curvature - (angular * up).sum(axis=-1)
    driven = np.empty_like(twist)
    driven[..., :3] = forward * speed[..., None] + up * rise[..., None]
    driven[..., 3:] = angular + up * spin[..., None]
    return driven

# SPDX-License-Identifier: Apache-2.0
"""Forces of a dribbler and a kicker on the ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from deepsim_soccer.skills.motion import Floats


@dataclass(frozen=True)
class Grip:
    """A dribbler that pulls the ball to its place, as a damped spring of limited force.

    Attributes:
        force: Largest of the dribbler [N].
        rate: Of the spring, w in F = m (w² d + 2 w v) [1/s]; ticks of at most 1 / w are stable.
    """

    force: float = 15.0
    rate: float = 15.0

    def pull(self, offset: Floats, velocity: Floats, mass: float) -> Floats:
        """Returns the force on the ball, (..., 2) [N].

        Args:
            offset: From the ball to its place at the robot, (..., 2) [m].
            velocity: Of that place, as the ball sees it, (..., 2) [m/s].
            mass: Of the ball [kg].
        """
        wanted = mass * (self.rate * self.rate * offset + 2.0 * self.rate * velocity)
        size = np.sqrt((wanted * wanted).sum(axis=-1))
        share = np.minimum(self.force / np.maximum(size, 1e-300), 1.0)
        return np.asarray(share[..., None] * wanted)


def impulse_force(change: ArrayLike, inertia: float, period: float) -> Floats:
    """Returns what changes a velocity by as much in a period: m dv / dt, or I dw / dt.

    Args:
        change: Of the velocity, (..., 3) [m/s], or of the spin [rad/s].
        inertia: Mass [kg], or moment of inertia [kg m²].
        period: For which it acts [s].
    """
    return np.asarray(change, np.float64) * (inertia / period)

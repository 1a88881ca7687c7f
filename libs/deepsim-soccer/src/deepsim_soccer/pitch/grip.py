# SPDX-License-Identifier: Apache-2.0
"""Models the force of a dribbler on the ball."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deepsim_soccer.skills.motion import Floats


@dataclass(frozen=True)
class Grip:
    """A dribbler that pulls the ball to its place like a damped spring of limited force.

    Attributes:
        force: Largest force of the dribbler [N].
        rate: Rate w of the spring [1/s], F = m (w² d + 2 w v); stable for ticks of up to 1 / w.

    Example:
        >>> grip = Grip(force=15.0)
        >>> grip.pull(np.array([1.0, 0.0]), np.zeros(2), mass=0.43)
        array([15.,  0.])
    """

    force: float = 15.0
    rate: float = 15.0

    def pull(self, offset: Floats, velocity: Floats, mass: float) -> Floats:
        """Returns the force on the ball, (..., 2) [N].

        Args:
            offset: Vector d from the ball to its place at the robot, (..., 2) [m].
            velocity: Velocity v of that place relative to the ball, (..., 2) [m/s].
            mass: Mass of the ball [kg].
        """
        wanted = mass * (self.rate * self.rate * offset + 2.0 * self.rate * velocity)
        size = np.sqrt((wanted * wanted).sum(axis=-1))
        share = np.minimum(self.force / np.maximum(size, 1e-300), 1.0)
        return np.asarray(share[..., None] * wanted)

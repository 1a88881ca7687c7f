# SPDX-License-Identifier: Apache-2.0
"""The base classes of drives of wheeled bases, which ramp a velocity and send it to the wheels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from deepsim_robots.joint_group import JointGroup
from deepsim_sync import WorldNumbers

from .controller import Drive, Floats, gains_of, hold


class Servos:
    """Some joints of a part, such as wheels or steering joints, with their gains.

    Args:
        joints: The joints of the part.
        names: Names of the chosen joints.
        damping: Damping of these joints; None for the robot's.
        stiffness: Stiffness of these joints; None for the robot's.
        held: Whether positions are controlled, rather than velocities.
    """

    def __init__(
        self,
        joints: JointGroup,
        names: Sequence[str],
        damping: ArrayLike | None,
        stiffness: ArrayLike | None = None,
        *,
        held: bool = False,
    ) -> None:
        self.joints = joints.some(names)
        self.gains = gains_of(self.joints, stiffness, damping, held=held)

    def reset(self, worlds: WorldNumbers) -> None:
        """Holds the joints at home, or at rest if they have no stiffness."""
        hold(self.joints, *self.gains, worlds)


class BaseDrive(Drive):
    """Commands the servos of a wheeled base for a velocity of the base, which may be ramped.

    Args:
        joints: The joints of the part.
        lower: Lowest velocity of the base, (k,).
        upper: Highest velocity of the base, (k,).
        acceleration: Largest change of each component per second; None for no limit.
        servos: All driven joints.

    Raises:
        ValueError: An acceleration is not > 0.
    """

    def __init__(
        self,
        joints: JointGroup,
        lower: ArrayLike,
        upper: ArrayLike,
        acceleration: ArrayLike | None,
        servos: Sequence[Servos],
    ) -> None:
        super().__init__(joints, lower, upper)
        self._servos = servos
        size = len(self.lower)
        self._acceleration: Floats | None = None
        if acceleration is not None:
            self._acceleration = np.broadcast_to(np.asarray(acceleration, np.float64), (size,))
            if not (self._acceleration > 0.0).all():
                raise ValueError(f"acceleration must be > 0, got {acceleration}")
        self._asked = self.remember("asked", size)
        self._velocity = self.remember("velocity", size)

    @property
    def velocity(self) -> Floats:
        """The velocity of the base that is currently commanded, (W, k); a new array."""
        return self._velocity.copy()

    def act(self, action: Floats, worlds: WorldNumbers) -> None:
        """Stores a velocity of the base; without ramps, commands it at once."""
        self._asked[worlds] = action
        if self._acceleration is None:
            self._velocity[worlds] = action
            self.send(action, worlds)

    def update(self, delta_time: float, worlds: WorldNumbers) -> None:
        """Moves the commanded velocity towards the action, if it is ramped."""
        if self._acceleration is None:
            return
        change = self._acceleration * delta_time
        now = self._velocity[worlds]
        now = now + np.clip(self._asked[worlds] - now, -change, change)
        self._velocity[worlds] = now
        self.send(now, worlds)

    def reset(self, worlds: WorldNumbers) -> None:
        """Stops the base, and holds its joints."""
        self._asked[worlds] = 0.0
        self._velocity[worlds] = 0.0
        for servo in self._servos:
            servo.reset(worlds)

    @abstractmethod
    def send(self, velocity: Floats, worlds: WorldNumbers) -> None:
        """Commands the servos for a velocity of the base, (w, k)."""


class LinearBaseDrive(BaseDrive):
    """The drive of a base with wheel rates that are linear in the base's velocity.

    Args:
        joints, lower, upper, acceleration: As for `BaseDrive`.
        wheels: The wheels.
        matrix: Matrix (n, k) that maps the k components of the base's velocity to the rates of the
            n wheels [rad/s].
    """

    def __init__(
        self,
        joints: JointGroup,
        lower: ArrayLike,
        upper: ArrayLike,
        acceleration: ArrayLike | None,
        wheels: Servos,
        matrix: ArrayLike,
    ) -> None:
        super().__init__(joints, lower, upper, acceleration, [wheels])
        self._wheels = wheels
        self._matrix = np.asarray(matrix, dtype=np.float64)

    def send(self, velocity: Floats, worlds: WorldNumbers) -> None:
        """Sets the rates of the wheels."""
        rates = np.einsum("wk,nk->wn", velocity, self._matrix)
        self._wheels.joints.put(worlds, target_velocity=rates)


def positive(**lengths: float) -> None:
    """Raises ValueError if a length, given by name, is not > 0 m."""
    for name, value in lengths.items():
        if not 0.0 < value < np.inf:
            raise ValueError(f"{name} must be > 0 m, got {value!r}")

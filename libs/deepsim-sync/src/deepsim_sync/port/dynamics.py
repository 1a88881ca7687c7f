# SPDX-License-Identifier: Apache-2.0
"""The capability to say how joints move links, and which efforts hold them."""

from __future__ import annotations

from typing import Mapping, Protocol, Sequence, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Dynamics(Protocol):
    """Jacobians and bias forces of all worlds at the present instant."""

    def jacobian(
        self, link: str, joints: Sequence[str], point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> NDArray[np.float64]:
        """Returns how fast a point of a link moves when joints do.

        Args:
            link: Name of the link.
            joints: Names of the k rows of the joints table.
            point: (3,) fixed to the link, in the link's frame [m]; or (W, 3).

        Returns:
            (W, 6, k), for a unit rate of each joint: the linear velocity of the point [m/s], then
            the angular velocity of the link [rad/s], in the world frame.

        Raises:
            UnknownEntityError: No link or joint has the name.
            ValueError: The point has another shape.
        """
        ...

    def bias_forces(self, joints: Sequence[str]) -> NDArray[np.float64]:
        """Returns the efforts that balance gravity, centrifugal and Coriolis forces.

        As ``feedforward`` they let a robot that rests keep its position. Springs, damping, friction
        and contacts are left out.

        Args:
            joints: Names of the k rows of the joints table.

        Returns:
            (W, k) [N m or N].

        Raises:
            UnknownEntityError: No joint has the name.
        """
        ...


class PoseSolver(Protocol):
    """Solves inverse kinematics step by step."""

    def next_positions(
        self,
        link: str,
        joints: Sequence[str],
        goals: NDArray[np.float64],
        worlds: NDArray[np.intp],
        positions: NDArray[np.float64],
        *,
        limits: tuple[NDArray[np.float64], NDArray[np.float64]],
        point: NDArray[np.float64],
        axes: int,
        step: float,
        damping: float,
    ) -> NDArray[np.float64]:
        """Returns joint positions one step nearer to poses, (w, k) [rad or m].

        Args:
            link: Name of the link.
            joints: Names of the k rows of the joints table that may move.
            goals: Poses of the point, (w, 7), world frame.
            worlds: The w worlds.
            positions: Of the joints, (w, k).
            limits: Least and largest positions, (k,) each.
            point: (3,) fixed to the link, in the link's frame [m].
            axes: 3 for positions, 6 for poses.
            step: Largest change of a joint, > 0.
            damping: > 0; larger is slower and calmer near singular poses.
        """
        ...


@runtime_checkable
class SolvingDynamics(Protocol):
    """Dynamics that have solvers of inverse kinematics, too."""

    @property
    def solvers(self) -> Mapping[str, PoseSolver]:
        """Those that are installed, by name."""
        ...

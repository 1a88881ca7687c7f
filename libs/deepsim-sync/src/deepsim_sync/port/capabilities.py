# SPDX-License-Identifier: Apache-2.0
"""Capabilities: snapshots, contact points, Jacobians and inverse kinematics."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Protocol, Sequence, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Snapshots(Protocol):
    """Capability of saving and restoring the physics of all worlds.

    >>> simulator = TableSimulator(timestep=0.5)
    >>> start = simulator.snapshots.get_state()
    >>> _ = simulator.step(3)
    >>> simulator.snapshots.set_state(start)
    >>> simulator.time
    array([0.])
    """

    def get_state(self) -> Any:
        """Returns all state that later physics depends on; the result can be pickled.

        It includes physics properties and camera mounts, but not the appearance of visuals and
        lights.
        """
        ...

    def set_state(self, state: Any) -> None:
        """Restores a state of this simulator, or of another one with the same entities.

        The physics continues from there as it did before, bit for bit.

        Raises:
            ValueError: The state belongs to other entities, or to another number of worlds.
        """
        ...


class ContactPoints(NamedTuple):
    """The contact points of one world at one instant, in no particular order.

    >>> up, down = np.array([[0.0, 0.0, 1.0]]), np.array([[0.0, 0.0, -1.0]])
    >>> points = ContactPoints(np.array([[0, 1]]), down, up, np.zeros(1), force=9.8 * up)
    >>> points.force.sum(axis=0)  # on the second link [N]
    array([0. , 0. , 9.8])
    """

    links: NDArray[np.intp]
    """Rows of the two links that touch, (k, 2); -1 for a geometry without a link."""
    position: NDArray[np.float64]
    """Contact point, (k, 3), in the world frame [m]."""
    normal: NDArray[np.float64]
    """Unit vector from the first link to the second, (k, 3), in the world frame."""
    depth: NDArray[np.float64]
    """Penetration depth, (k,) [m]; negative for a gap within the contact margin."""
    force: NDArray[np.float64]
    """Force of the first link on the second, (k, 3), in the world frame [N].

    It is computed for the next physics step, without the forces that are set on links.
    """


class Contacts(Protocol):
    """Capability of reading contact points.

    Example::

        simulator.contacts.read(world=0).force.sum(axis=0)  # [N]
    """

    def read(self, world: int = 0) -> ContactPoints:
        """Returns the contact points of one world at the present instant, as new arrays."""
        ...


class Dynamics(Protocol):
    """Jacobians and bias forces of all worlds at the present instant.

    Example::

        jacobian = simulator.dynamics.jacobian("arm::hand", joints)  # (W, 6, k)
        world.joints.select(joints).feedforward = simulator.dynamics.bias_forces(joints)

    Methods raise `UnknownEntityError` for an unknown link or joint.
    """

    def jacobian(
        self, link: str, joints: Sequence[str], point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> NDArray[np.float64]:
        """Returns the Jacobian of a point of a link.

        Args:
            link: Name of the link.
            joints: Names of the k rows of the joints table.
            point: Point fixed to the link, in the link's frame, (3,) or (W, 3) [m].

        Returns:
            Velocities per unit rate of each joint, (W, 6, k), in the world frame: linear velocity
            of the point [m/s], then angular velocity of the link [rad/s].

        Raises:
            ValueError: `point` has another shape.
        """
        ...

    def bias_forces(self, joints: Sequence[str]) -> NDArray[np.float64]:
        """Returns the efforts that balance gravity, centrifugal and Coriolis forces, (W, k).

        As ``feedforward`` they hold a robot at rest. Springs, damping, friction and contacts are
        not included. The unit is N m or N.
        """
        ...


class PoseSolver(Protocol):
    """Iterative solver of inverse kinematics."""

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
        """Returns joint positions that are one step closer to the goals, (w, k) [rad or m].

        Args:
            link: Name of the link.
            joints: Names of the k rows of the joints table that may move.
            goals: Desired poses of the point in the world frame, (w, 7).
            worlds: Numbers of the w worlds.
            positions: Present positions of the joints, (w, k) [rad or m].
            limits: Least and largest positions, (k,) each [rad or m].
            point: Point fixed to the link, in the link's frame, (3,) [m].
            axes: 3 to solve for positions, 6 for poses.
            step: Largest change of a joint's position, > 0 [rad or m].
            damping: Damping, > 0; larger values are slower and calmer near singular poses.
        """
        ...


@runtime_checkable
class SolvingDynamics(Protocol):
    """Dynamics that offer solvers of inverse kinematics."""

    @property
    def solvers(self) -> Mapping[str, PoseSolver]:
        """The installed solvers by name."""
        ...

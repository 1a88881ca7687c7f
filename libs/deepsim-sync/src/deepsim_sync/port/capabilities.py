# SPDX-License-Identifier: Apache-2.0
"""Capabilities of an engine: snapshots, contact points, Jacobians and inverse kinematics."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Protocol, Sequence, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Snapshots(Protocol):
    """Saves and restores the physics of all worlds."""

    def get_state(self) -> Any:
        """Returns everything that the physics at later instants depends on; it can be pickled.

        Physics properties and camera mounts are part of it, where the simulator offers them. The
        appearance of visuals and lights is not.
        """
        ...

    def set_state(self, state: Any) -> None:
        """Goes back to an instant of this simulator, or of another one with the same entities.

        The physics goes on from there bit for bit as it did before.

        Raises:
            ValueError: The state belongs to other entities, or to another number of worlds.
        """
        ...


class ContactPoints(NamedTuple):
    """The contact points of one world at one instant, in no particular order."""

    links: NDArray[np.intp]
    """(k, 2) rows of the two links that touch; -1 for what belongs to no link."""
    position: NDArray[np.float64]
    """(k, 3) where they touch, in the world frame [m]."""
    normal: NDArray[np.float64]
    """(k, 3) unit vector from the first link to the second, in the world frame."""
    depth: NDArray[np.float64]
    """(k,) how deep the two overlap [m]; negative for a gap within the contact margin."""
    force: NDArray[np.float64]
    """(k, 3) that of the first link on the second, in the world frame [N].

    It is the force that would act in the next physics step: without those that are applied to
    links for a tick.
    """


class Contacts(Protocol):
    """The points where links touch.

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

    An unknown link or joint raises `UnknownEntityError`, a point of another shape `ValueError`.
    """

    def jacobian(
        self, link: str, joints: Sequence[str], point: ArrayLike = (0.0, 0.0, 0.0)
    ) -> NDArray[np.float64]:
        """Returns the Jacobian of a point of a link.

        Args:
            link: Name of the link.
            joints: Names of the k rows of the joints table.
            point: (3,) fixed to the link, in the link's frame [m]; or (W, 3).

        Returns:
            (W, 6, k), for a unit rate of each joint: the linear velocity of the point [m/s], then
            the angular velocity of the link [rad/s], in the world frame.
        """
        ...

    def bias_forces(self, joints: Sequence[str]) -> NDArray[np.float64]:
        """Returns the efforts of k joints that balance gravity, centrifugal and Coriolis forces.

        As ``feedforward`` they let a robot that rests keep its position. Springs, damping, friction
        and contacts are left out. The array is (W, k) [N m or N].
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
    """Dynamics with solvers of inverse kinematics."""

    @property
    def solvers(self) -> Mapping[str, PoseSolver]:
        """The installed solvers by name."""
        ...

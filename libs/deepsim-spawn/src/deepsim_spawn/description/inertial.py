# SPDX-License-Identifier: Apache-2.0
"""Mass and inertia."""

from __future__ import annotations

from dataclasses import dataclass, field

from deepsim_math import Pose

from .checks import finite, finite_pose, positive

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""The elements of an inertia tensor, row by row, by their names in SDF and URDF."""


@dataclass(frozen=True, slots=True)
class Inertial:
    """Mass and inertia of a link, about the centre of mass.

    >>> ball = Inertial(mass=2.0, ixx=0.2, iyy=0.2, izz=0.2)
    >>> ball.mass
    2.0

    Attributes:
        mass: Mass [kg], > 0.
        pose: Pose of the inertial frame in the link frame; its origin is the centre of mass.
        ixx: Moment of inertia about x of the inertial frame [kg m^2]; likewise iyy and izz.
        ixy: Off-diagonal element of the inertia tensor [kg m^2]; likewise ixz and iyz.
    """

    mass: float = 1.0
    pose: Pose = field(default_factory=Pose)
    ixx: float = 1.0
    iyy: float = 1.0
    izz: float = 1.0
    ixy: float = 0.0
    ixz: float = 0.0
    iyz: float = 0.0

    def __post_init__(self) -> None:
        positive("mass [kg]", self.mass)
        for axis in ("ixx", "iyy", "izz"):
            positive(f"{axis} [kg m^2]", getattr(self, axis))
        finite("products of inertia [kg m^2]", self.ixy, self.ixz, self.iyz)
        finite_pose("an inertial frame", self.pose)

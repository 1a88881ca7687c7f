# SPDX-License-Identifier: Apache-2.0
"""The collisions of a link."""

from __future__ import annotations

from dataclasses import dataclass, field

from deepsim_math import Pose, Vector3

from .checks import finite_pose, fraction, not_negative, vector
from .geometry import Geometry


@dataclass(frozen=True, slots=True)
class Surface:
    """Friction and restitution of a collision.

    >>> rubber = Surface(mu=1.2, mu2=1.0)
    >>> CollisionDescription("tyre", Cylinder(0.3, 0.1), surface=rubber).surface.restitution
    0.0

    Attributes:
        mu: Friction coefficient along the first friction direction; of a pair, the lower counts.
        mu2: Friction coefficient across it.
        restitution: 0 stays on the ground, 1 bounces back to its height; of a pair, the lower
            counts in Gazebo.
        collide_bitmask: Two collisions touch if their masks share a bit.
        torsional_mu: Friction coefficient of turning about the contact's normal.
        patch_radius: Radius of the area that resists turning [m]; the torque of a normal force N
            is up to 3 pi / 16 of torsional_mu * patch_radius * N.
        rolling_mu: Lever arm of the torque that resists rolling [m]; Gazebo 11 has none.
        velocity: Of the surface itself, as of a conveyor belt, in the collision frame [m/s];
            Gazebo 11 ignores it.
    """

    mu: float = 1.0
    mu2: float = 1.0
    restitution: float = 0.0
    collide_bitmask: int = 0xFFFF
    torsional_mu: float = 1.0
    patch_radius: float = 0.0
    rolling_mu: float = 0.0
    velocity: Vector3 = Vector3(0.0, 0.0, 0.0)  # noqa: RUF009, it is immutable

    def __post_init__(self) -> None:
        for name in ("mu", "mu2", "torsional_mu", "patch_radius", "rolling_mu"):
            not_negative(f"surface {name}", getattr(self, name))
        fraction("surface restitution", self.restitution)
        not_negative("surface collide_bitmask", self.collide_bitmask)
        object.__setattr__(self, "velocity", vector("surface velocity", self.velocity))


@dataclass(frozen=True, slots=True)
class CollisionDescription:
    """A shape that touches others.

    >>> ice = CollisionDescription("ice", Box((4, 4, 0.1)), surface=Surface(mu=0.02, mu2=0.02))
    >>> ice.pose.position
    Point(0.0, 0.0, 0.0)

    Attributes:
        name: Unique among the collisions of the link.
        geometry: The shape.
        pose: In the link frame.
        surface: Friction and bounce.
    """

    name: str
    geometry: Geometry
    pose: Pose = field(default_factory=Pose)
    surface: Surface = field(default_factory=Surface)

    def __post_init__(self) -> None:
        finite_pose(f"collision {self.name!r}", self.pose)

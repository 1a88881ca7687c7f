# SPDX-License-Identifier: Apache-2.0
"""The collisions of a link."""

from __future__ import annotations

from dataclasses import dataclass, field

from deepsim_math import Pose, Vector3

from .checks import finite_pose, fraction, not_negative, vector
from .geometry import Geometry


@dataclass(frozen=True, slots=True)
class Surface:
    """Friction and restitution of a collision shape.

    >>> rubber = Surface(mu=1.2, mu2=1.0)
    >>> CollisionDescription("tyre", Cylinder(0.3, 0.1), surface=rubber).surface.restitution
    0.0

    Attributes:
        mu: Friction coefficient along the first friction direction. A contact uses the lower value
            of its two surfaces.
        mu2: Friction coefficient along the second friction direction.
        restitution: 0 for no bounce, 1 for a bounce back to the height of the fall. In Gazebo a
            contact uses the lower value of its two surfaces.
        collide_bitmask: Two collisions can touch only if their masks share a bit.
        torsional_mu: Friction coefficient of spinning about the contact normal.
        patch_radius: Radius of the contact area that resists spinning [m]; a normal force N
            causes a torque of up to 3 pi / 16 * torsional_mu * patch_radius * N.
        rolling_mu: Lever arm of the torque that resists rolling [m]; Gazebo 11 ignores it.
        velocity: Velocity of the surface, such as a conveyor belt's, in the collision frame
            [m/s]; Gazebo 11 ignores it.
    """

    mu: float = 1.0
    mu2: float = 1.0
    restitution: float = 0.0
    collide_bitmask: int = 0xFFFF
    torsional_mu: float = 1.0
    patch_radius: float = 0.0
    rolling_mu: float = 0.0
    velocity: Vector3 = Vector3(0.0, 0.0, 0.0)  # noqa: RUF009 (immutable)

    def __post_init__(self) -> None:
        for name in ("mu", "mu2", "torsional_mu", "patch_radius", "rolling_mu"):
            not_negative(f"surface {name}", getattr(self, name))
        fraction("surface restitution", self.restitution)
        not_negative("surface collide_bitmask", self.collide_bitmask)
        object.__setattr__(self, "velocity", vector("surface velocity", self.velocity))


@dataclass(frozen=True, slots=True)
class CollisionDescription:
    """A shape of a link, used for contact with other shapes.

    >>> ice = CollisionDescription("ice", Box((4, 4, 0.1)), surface=Surface(mu=0.02, mu2=0.02))
    >>> ice.pose.position
    Point(0.0, 0.0, 0.0)

    Attributes:
        name: Unique among the collisions of the link.
        geometry: The shape.
        pose: Pose of the shape in the link frame.
        surface: Friction and restitution.
    """

    name: str
    geometry: Geometry
    pose: Pose = field(default_factory=Pose)
    surface: Surface = field(default_factory=Surface)

    def __post_init__(self) -> None:
        finite_pose(f"collision {self.name!r}", self.pose)

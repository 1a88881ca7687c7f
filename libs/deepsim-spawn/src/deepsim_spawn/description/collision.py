# SPDX-License-Identifier: Apache-2.0
"""What a link collides with."""

from __future__ import annotations

from dataclasses import dataclass, field

from deepsim_math import Pose

from .checks import finite_pose, fraction, not_negative
from .geometry import Geometry


@dataclass(frozen=True, slots=True)
class Surface:
    """How a collision slides and bounces.

    Attributes:
        mu: Friction coefficient along the first friction direction; of a pair, the lower counts.
        mu2: Friction coefficient across it.
        restitution: 0 stays on the ground, 1 bounces back to its height.
        collide_bitmask: Two collisions touch if their masks share a bit.
    """

    mu: float = 1.0
    mu2: float = 1.0
    restitution: float = 0.0
    collide_bitmask: int = 0xFFFF

    def __post_init__(self) -> None:
        not_negative("surface mu", self.mu)
        not_negative("surface mu2", self.mu2)
        fraction("surface restitution", self.restitution)
        not_negative("surface collide_bitmask", self.collide_bitmask)


@dataclass(frozen=True, slots=True)
class CollisionDescription:
    """A shape that touches others.

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

# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

from deepsim_math import Pose

from .checks import finite_pose, not_negative
from .collision import CollisionDescription
from .inertial import Inertial
from .light import LightDescription
from .names import unique
from .sensor import SensorDescription
from .visual import VisualDescription


@dataclass(frozen=True, slots=True)
class VelocityDecay:
    """The share of its velocity that each step takes from a link, as in Gazebo.

    In SDF, "exponential damping"; Gazebo 11 stops it below 0.01 m/s and 0.01 rad/s.

    >>> LinkDescription("puck", velocity_decay=VelocityDecay(linear=0.001)).velocity_decay.angular
    0.0

    Attributes:
        linear: Of the linear velocity, per step; 1 or more is all of it.
        angular: Of the angular velocity.
    """

    linear: float = 0.0
    angular: float = 0.0

    def __post_init__(self) -> None:
        not_negative("velocity decay linear", self.linear)
        not_negative("velocity decay angular", self.angular)


@dataclass(frozen=True, slots=True)
class LinkDescription:
    """A rigid body.

    >>> ball = LinkDescription(
    ...     "ball",
    ...     inertial=Inertial(mass=0.4, ixx=0.002, iyy=0.002, izz=0.002),
    ...     collisions=(CollisionDescription("shape", Sphere(0.11)),),
    ...     visuals=(VisualDescription("shape", Sphere(0.11)),),
    ... )
    >>> ball.gravity, ball.kinematic
    (True, False)

    Attributes:
        name: Unique among the links of the model.
        pose: In the model frame.
        inertial: Mass and inertia; None for a link whose file gives none and whose format has no
            default (URDF's massless frames).
        collisions: Shapes that touch others.
        visuals: Shapes that are drawn.
        sensors: Its measurement.
        lights: Its light, in its frame.
        gravity: Whether it falls.
        kinematic: Whether it moves only where it is put.
        self_collide: Whether it touches other links of the model; None follows the model.
        velocity_decay: Damping of its motion.
    """

    name: str
    pose: Pose = field(default_factory=Pose)
    inertial: Inertial | None = None
    collisions: tuple[CollisionDescription, ...] = ()
    visuals: tuple[VisualDescription, ...] = ()
    sensors: tuple[SensorDescription, ...] = ()
    lights: tuple[LightDescription, ...] = ()
    gravity: bool = True
    kinematic: bool = False
    self_collide: bool | None = None
    velocity_decay: VelocityDecay = field(default_factory=VelocityDecay)

    def __post_init__(self) -> None:
        owner = f"link {self.name!r}"
        finite_pose(owner, self.pose)
        unique(owner, "collision", (collision.name for collision in self.collisions))
        unique(owner, "visual", (visual.name for visual in self.visuals))
        unique(owner, "sensor", (sensor.name for sensor in self.sensors))
        unique(owner, "light", (light.name for light in self.lights))

# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

from deepsim_math import Pose

from .checks import finite_pose, not_negative, unique
from .collision import CollisionDescription
from .inertial import Inertial
from .light import LightDescription
from .sensor import SensorDescription
from .visual import VisualDescription


@dataclass(frozen=True, slots=True)
class VelocityDecay:
    """The fraction of its velocity that a link loses in each physics step, as in Gazebo.

    SDF calls this exponential damping. Gazebo 11 does not apply it below 0.01 m/s and 0.01 rad/s.

    >>> LinkDescription("puck", velocity_decay=VelocityDecay(linear=0.001)).velocity_decay.angular
    0.0

    Attributes:
        linear: Fraction of the linear velocity per step; 1 or more stops the link.
        angular: Fraction of the angular velocity, likewise.
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
        pose: Pose in the model frame.
        inertial: Mass and inertia; None for a massless frame of URDF.
        collisions: Shapes that touch others.
        visuals: Shapes that are drawn.
        sensors: Sensors mounted on it.
        lights: Lights mounted on it.
        gravity: Whether gravity acts on it.
        kinematic: Whether it moves only when its pose is set.
        self_collide: Whether it touches other links of the model; None inherits the model's value.
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

# SPDX-License-Identifier: Apache-2.0
"""Rigid bodies with their inertia, collisions and visuals."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Material, Pose, Vector3

from .checks import finite, finite_pose, fraction, not_negative, positive, unique, vector
from .geometry import Geometry
from .light import LightDescription
from .sdf_paths import sdf
from .sensor import SensorDescription


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

    mass: float = field(default=1.0, metadata=sdf("mass"))
    pose: Pose = field(default_factory=Pose)
    ixx: float = field(default=1.0, metadata=sdf("inertia/ixx"))
    iyy: float = field(default=1.0, metadata=sdf("inertia/iyy"))
    izz: float = field(default=1.0, metadata=sdf("inertia/izz"))
    ixy: float = field(default=0.0, metadata=sdf("inertia/ixy"))
    ixz: float = field(default=0.0, metadata=sdf("inertia/ixz"))
    iyz: float = field(default=0.0, metadata=sdf("inertia/iyz"))

    def __post_init__(self) -> None:
        positive("mass [kg]", self.mass)
        for axis in ("ixx", "iyy", "izz"):
            positive(f"{axis} [kg m^2]", getattr(self, axis))
        finite("products of inertia [kg m^2]", self.ixy, self.ixz, self.iyz)
        finite_pose("an inertial frame", self.pose)


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
        wheel: Whether the shape is a wheel, with the contacts that wheels have on MuJoCo; None lets
            the engine recognise wheels. Gazebo 11 ignores it.
    """

    mu: float = field(default=1.0, metadata=sdf("friction/ode/mu"))
    mu2: float = field(default=1.0, metadata=sdf("friction/ode/mu2"))
    restitution: float = field(
        default=0.0, metadata=sdf("bounce/restitution_coefficient", rare=True)
    )
    collide_bitmask: int = field(default=0xFFFF, metadata=sdf("contact/collide_bitmask"))
    torsional_mu: float = field(
        default=1.0, metadata=sdf("friction/torsional/coefficient", rare=True)
    )
    patch_radius: float = field(
        default=0.0, metadata=sdf("friction/torsional/patch_radius", rare=True)
    )
    rolling_mu: float = field(
        default=0.0, metadata=sdf("friction/bullet/rolling_friction", rare=True)
    )
    # not part of SDF; Gazebo 11 ignores it with a warning
    velocity: Vector3 = field(default=Vector3(0.0, 0.0, 0.0), metadata=sdf("velocity", rare=True))
    wheel: bool | None = field(default=None, metadata=sdf("wheel", rare=True))  # nor is this

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
    surface: Surface = field(default_factory=Surface, metadata=sdf("surface"))

    def __post_init__(self) -> None:
        finite_pose(f"collision {self.name!r}", self.pose)


@dataclass(frozen=True, slots=True, eq=False)
class TexturedSurface:
    """The triangles of a visual with a picture on them, compared by identity.

    >>> from pathlib import Path
    >>> corners = np.array([[[0, 0, 0], [1, 0, 0], [1, 1, 0]]], np.float32)
    >>> label = TexturedSurface(corners, corners[..., :2], np.zeros((2, 2, 3), np.uint8))
    >>> VisualDescription("label", Mesh(Path("label.obj")), textured=label).textured.image.shape
    (2, 2, 3)

    Attributes:
        triangles: (m, 3, 3) corners in the frame of the visual, counterclockwise [m].
        coordinates: (m, 3, 2) places of the corners in the image, which repeats: from its left
            edge in widths, and from its upper edge downwards in heights.
        image: (height, width, 3), sRGB.
    """

    triangles: NDArray[np.float32]
    coordinates: NDArray[np.float32]
    image: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class VisualDescription:
    """A shape of a link that is drawn.

    >>> glass = VisualDescription("pane", Box((1, 0.01, 1)), transparency=0.8)
    >>> glass.cast_shadows
    True

    Attributes:
        name: Unique among the visuals of the link.
        geometry: The shape.
        pose: Pose in the link frame.
        material: Colours; None uses those of the mesh or the texture, or the backend's default.
        transparency: 0 opaque .. 1 invisible.
        cast_shadows: Whether it casts a shadow.
        visible: Whether it is drawn at all.
        texture: A picture on the shape, absolute after loading, by which the colours of the
            material are multiplied; `textured_surface` returns where it is on the shape.
        textured: The shape with its texture, as an engine has read them; it replaces `texture`.
            Model files set none.
    """

    name: str
    geometry: Geometry
    pose: Pose = field(default_factory=Pose)
    material: Material | None = None
    transparency: float = field(default=0.0, metadata=sdf("transparency"))
    cast_shadows: bool = field(default=True, metadata=sdf("cast_shadows"))
    visible: bool = True
    texture: Path | None = None
    textured: TexturedSurface | None = None

    def __post_init__(self) -> None:
        finite_pose(f"visual {self.name!r}", self.pose)
        fraction("visual transparency", self.transparency)


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

    linear: float = field(default=0.0, metadata=sdf("linear"))
    angular: float = field(default=0.0, metadata=sdf("angular"))

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
    gravity: bool = field(default=True, metadata=sdf("gravity"))
    kinematic: bool = field(default=False, metadata=sdf("kinematic"))
    self_collide: bool | None = field(default=None, metadata=sdf("self_collide", rare=True))
    velocity_decay: VelocityDecay = field(
        default_factory=VelocityDecay, metadata=sdf("velocity_decay")
    )

    def __post_init__(self) -> None:
        owner = f"link {self.name!r}"
        finite_pose(owner, self.pose)
        unique(owner, "collision", (collision.name for collision in self.collisions))
        unique(owner, "visual", (visual.name for visual in self.visuals))
        unique(owner, "sensor", (sensor.name for sensor in self.sensors))
        unique(owner, "light", (light.name for light in self.lights))

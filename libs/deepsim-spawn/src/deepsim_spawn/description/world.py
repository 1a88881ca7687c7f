# SPDX-License-Identifier: Apache-2.0
"""Worlds, their physics settings and their scene."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from deepsim_math import Color, Vector3

from .checks import fraction, not_negative, positive, unique, vector, word
from .light import LightDescription
from .model import ModelDescription
from .sdf_paths import document, sdf
from .sensor import PluginDescription
from .writing.model import write_world

Integrator = Literal["implicitfast", "implicit", "discrete", "euler", "rk4"]
Cone = Literal["elliptic", "pyramidal"]


@dataclass(frozen=True, slots=True)
class MujocoOptions:
    """Settings of the embedded engine; Gazebo ignores them.

    Contact times are in steps, so that contacts are equally stable at any step size.

    >>> physics = Physics(mujoco=MujocoOptions(integrator="rk4"))
    >>> WorldDescription("gyroscopes", physics=physics).physics.mujoco.cone
    'elliptic'

    Attributes:
        integrator: ``rk4`` conserves the energy of fast spinning bodies, at four times the cost.
            ``discrete`` lets contacts know the damping of servos; see docs/integrators.md.
        cone: The friction of a ``pyramidal`` cone depends on the direction, by up to 30 %.
        impratio: Stiffness of friction relative to the normal direction, > 0. Larger values reduce
            creep and take longer to solve.
        contact_steps: Time constant of a contact [steps], >= 2.
        contact_damping: Damping ratio of a contact without restitution, > 0. Larger values reduce
            bouncing and increase penetration.
        contact_impedance: Rigidity of a resting contact, 0..1 exclusive.
    """

    integrator: Integrator = field(default="implicitfast", metadata=sdf("integrator"))
    cone: Cone = field(default="elliptic", metadata=sdf("cone"))
    impratio: float = field(default=10.0, metadata=sdf("impratio"))
    contact_steps: float = field(default=3.0, metadata=sdf("contact_steps"))
    contact_damping: float = field(default=1.5, metadata=sdf("contact_damping"))
    contact_impedance: float = field(default=0.99, metadata=sdf("contact_impedance"))

    def __post_init__(self) -> None:
        for name, choices in (("integrator", get_args(Integrator)), ("cone", get_args(Cone))):
            if getattr(self, name) not in choices:
                raise ValueError(
                    f"{name} must be one of {', '.join(choices)}, got {getattr(self, name)!r}"
                )
        positive("impratio", self.impratio)
        positive("contact_damping", self.contact_damping)
        if not self.contact_steps >= 2.0:
            raise ValueError(f"contact_steps must be >= 2, got {self.contact_steps:g}")
        positive("contact_steps", self.contact_steps)
        fraction("contact_impedance", self.contact_impedance)
        if self.contact_impedance in (0.0, 1.0):
            raise ValueError(f"contact_impedance must not be {self.contact_impedance:g}")


@dataclass(frozen=True, slots=True)
class Physics:
    """Time steps of a world.

    >>> WorldDescription("slow", physics=Physics(max_step_size=0.002)).physics.max_step_size
    0.002

    Attributes:
        max_step_size: Duration of one physics step [s], > 0.
        real_time_factor: Target ratio of simulated to real time of a free-running engine; 0 runs
            as fast as possible.
        mujoco: Settings of the embedded engine.
    """

    max_step_size: float = field(default=0.001, metadata=sdf("max_step_size"))
    real_time_factor: float = field(default=1.0, metadata=sdf("real_time_factor"))
    mujoco: MujocoOptions = field(default_factory=MujocoOptions, metadata=sdf("mujoco", rare=True))

    def __post_init__(self) -> None:
        positive("physics max_step_size [s]", self.max_step_size)
        not_negative("physics real_time_factor", self.real_time_factor)


@dataclass(frozen=True, slots=True)
class SceneDescription:
    """Ambient light, background, shadows and sky of a world.

    >>> WorldDescription("night", scene=SceneDescription(ambient=(0.05, 0.05, 0.1))).scene.shadows
    True

    Attributes:
        ambient: Colour of the light that reaches every surface.
        background: Colour behind all objects, where there is no sky.
        shadows: Whether any shadows are drawn.
        sky: Whether there is a sky, bright at the horizon, instead of the background.
    """

    ambient: Color = field(default=Color(0.4, 0.4, 0.4, 1.0), metadata=sdf("ambient"))
    background: Color = field(default=Color(0.7, 0.7, 0.7, 1.0), metadata=sdf("background"))
    shadows: bool = field(default=True, metadata=sdf("shadows"))
    sky: bool = False


@dataclass(frozen=True, slots=True)
class WorldDescription:
    """A world with resolved poses.

    >>> world = WorldDescription("moon", gravity=(0, 0, -1.62))
    >>> world.gravity.z
    -1.62

    Attributes:
        name: Name in the file.
        models: Models, posed in the world frame.
        lights: Lights, posed in the world frame.
        physics: Time steps.
        gravity: Acceleration in the world frame [m/s^2].
        scene: Ambient light and background.
        plugins: Plugins, kept as text.

    Raises:
        ValueError: Two models or two lights share a name.
    """

    name: str = "default"
    models: tuple[ModelDescription, ...] = ()
    lights: tuple[LightDescription, ...] = ()
    physics: Physics = field(default_factory=Physics)
    gravity: Vector3 = field(default_factory=lambda: Vector3(0.0, 0.0, -9.8))
    scene: SceneDescription = field(default_factory=SceneDescription, metadata=sdf("scene"))
    plugins: tuple[PluginDescription, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", vector("gravity", self.gravity))
        word("the name of a world", self.name)
        owner = f"world {self.name!r}"
        unique(owner, "model", (model.name for model in self.models))
        unique(owner, "light", (light.name for light in self.lights))

    def to_sdf(self) -> str:
        """Returns the world as an SDF document that Gazebo 11 loads.

        Numbers keep every bit; rotations may differ in the last bit. The version is SDF 1.7; 1.6 if
        a model has a joint and a link of the same name; 1.8 for capsules and ellipsoids and 1.11
        for cones, which Gazebo 11 refuses. Reading the text gives an equal world, except that

        - a continuous joint becomes a revolute one without limits;
        - limits of 1e16 or more become infinite;
        - a link without inertia gets a mass of 1 g;
        - an invisible visual becomes fully transparent;
        - sensors kept as text have their pose in the link frame.

        Raises:
            ValueError: The text of a plugin or sensor is not XML, or a name has characters that XML
                does not allow.
        """
        return document(write_world, self)

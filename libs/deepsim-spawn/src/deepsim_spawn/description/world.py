# SPDX-License-Identifier: Apache-2.0
"""Worlds: models and lights, physics and scene."""

from __future__ import annotations

from dataclasses import dataclass, field

from deepsim_math import Color, Vector3

from .checks import unique, vector, word
from .light import LightDescription
from .model import ModelDescription
from .physics import Physics
from .sensor import PluginDescription
from .writing import document, write_world


@dataclass(frozen=True, slots=True)
class SceneDescription:
    """Ambient light, background and shadows of a world.

    >>> WorldDescription("night", scene=SceneDescription(ambient=(0.05, 0.05, 0.1))).scene.shadows
    True

    Attributes:
        ambient: Colour of the light that reaches every surface.
        background: Colour behind all objects.
        shadows: Whether shadows are drawn.
    """

    ambient: Color = field(default_factory=lambda: Color(0.4, 0.4, 0.4, 1.0))
    background: Color = field(default_factory=lambda: Color(0.7, 0.7, 0.7, 1.0))
    shadows: bool = True


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
    scene: SceneDescription = field(default_factory=SceneDescription)
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

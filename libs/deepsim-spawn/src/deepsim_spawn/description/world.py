# SPDX-License-Identifier: Apache-2.0
"""Worlds: models and lights, physics and scene."""

from __future__ import annotations

from dataclasses import dataclass, field

from deepsim_math import Color, Vector3

from .checks import vector
from .light import LightDescription
from .model import ModelDescription
from .names import unique, word
from .physics import Physics
from .plugin import PluginDescription
from .writing import document, write_world


@dataclass(frozen=True, slots=True)
class SceneDescription:
    """Light and colour that belong to no entity.

    >>> WorldDescription("night", scene=SceneDescription(ambient=(0.05, 0.05, 0.1))).scene.shadows
    True

    Attributes:
        ambient: Light that reaches everything.
        background: Colour behind everything.
        shadows: Whether shadows are drawn at all.
    """

    ambient: Color = field(default_factory=lambda: Color(0.4, 0.4, 0.4, 1.0))
    background: Color = field(default_factory=lambda: Color(0.7, 0.7, 0.7, 1.0))
    shadows: bool = True


@dataclass(frozen=True, slots=True)
class WorldDescription:
    """A world, with every pose resolved.

    >>> world = WorldDescription("moon", gravity=(0, 0, -1.62))
    >>> world.gravity.z
    -1.62

    Attributes:
        name: As in the file.
        models: Poses are in the world frame.
        lights: Poses are in the world frame.
        physics: Time steps.
        gravity: In the world frame [m/s^2]; any three numbers are accepted.
        scene: Ambient light and background.
        plugins: Kept as text.

    Raises:
        ValueError: Two models or two lights have one name.
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

        Numbers keep every bit, rotations all but the last. It is SDF 1.7, save that a model with a
        joint and a link of one name is SDF 1.6, and one with a capsule or ellipsoid SDF 1.8, which
        Gazebo 11 refuses. Read back it is equal, except for what SDF or Gazebo 11 cannot hold:

        - a continuous joint is a revolute one without limits, and limits of 1e16 or more are none;
        - a link without inertia has 1 g;
        - a visual that is not drawn is drawn fully transparent;
        - sensors kept as text have their pose in the link frame.

        Raises:
            ValueError: The text that a plugin or sensor keeps is not XML, or a name has characters
                that XML lacks.
        """
        return document(write_world, self)

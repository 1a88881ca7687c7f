# SPDX-License-Identifier: Apache-2.0
"""Lights of a world or of a link."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from deepsim_math import Color, Pose, Vector3

from .checks import direction, finite_pose, not_negative, plain_name
from .sdf_paths import document, sdf
from .writing.model import write_light

LightType: TypeAlias = Literal["point", "spot", "directional"]
"""Type of a light: it shines in all directions, in a cone, or in parallel rays."""


@dataclass(frozen=True, slots=True)
class Attenuation:
    """Attenuation of a light with distance d: 1 / (constant + linear d + quadratic d^2).

    >>> fading = Attenuation(range=10.0, constant=1.0, linear=0.5)
    >>> LightDescription("lamp", attenuation=fading).attenuation.range
    10.0

    Attributes:
        range: Distance beyond which the light has no effect [m].
        constant: Constant term.
        linear: Linear coefficient [1/m].
        quadratic: Quadratic coefficient [1/m^2].
    """

    range: float = field(default=10.0, metadata=sdf("range"))
    constant: float = field(default=1.0, metadata=sdf("constant"))
    linear: float = field(default=1.0, metadata=sdf("linear"))
    quadratic: float = field(default=0.0, metadata=sdf("quadratic"))

    def __post_init__(self) -> None:
        not_negative("attenuation range [m]", self.range)
        not_negative("attenuation constant", self.constant)
        not_negative("attenuation linear [1/m]", self.linear)
        not_negative("attenuation quadratic [1/m^2]", self.quadratic)


@dataclass(frozen=True, slots=True)
class SpotCone:
    """The cone of a spot light.

    >>> LightDescription("torch", type="spot", spot=SpotCone(0.2, 0.6)).spot.outer_angle
    0.6

    Attributes:
        inner_angle: Full angle of the cone at full brightness [rad].
        outer_angle: Full angle of the cone beyond which there is no light [rad].
        falloff: Exponent of the falloff from the inner to the outer angle; 1 is linear.
    """

    inner_angle: float = field(default=0.0, metadata=sdf("inner_angle"))
    outer_angle: float = field(default=0.0, metadata=sdf("outer_angle"))
    falloff: float = field(default=0.0, metadata=sdf("falloff"))

    def __post_init__(self) -> None:
        not_negative("spot inner_angle [rad]", self.inner_angle)
        not_negative("spot outer_angle [rad]", self.outer_angle)
        not_negative("spot falloff", self.falloff)


@dataclass(frozen=True, slots=True)
class LightDescription:
    """A light of a world or link.

    >>> LightDescription("sun", "directional", direction=(0, 0, -2)).direction
    Vector3(0.0, 0.0, -1.0)

    Attributes:
        name: Unique in its world or link.
        type: Point, spot or directional.
        pose: Pose in the frame of the world or link that holds it.
        diffuse: Main colour.
        specular: Colour of highlights.
        attenuation: Attenuation with distance; ignored by directional lights.
        direction: Direction of spot and directional lights in the light's frame; normalised.
        cast_shadows: Whether objects cast shadows in this light.
        spot: The cone of a spot light.
    """

    name: str
    type: LightType = "point"
    pose: Pose = field(default_factory=Pose)
    diffuse: Color = field(default=Color(1.0, 1.0, 1.0, 1.0), metadata=sdf("diffuse"))
    specular: Color = field(default=Color(0.1, 0.1, 0.1, 1.0), metadata=sdf("specular"))
    attenuation: Attenuation = field(default_factory=Attenuation, metadata=sdf("attenuation"))
    direction: Vector3 = field(default=Vector3(0.0, 0.0, -1.0), metadata=sdf("direction"))
    cast_shadows: bool = field(default=False, metadata=sdf("cast_shadows"))
    spot: SpotCone = field(default_factory=SpotCone, metadata=sdf("spot"))

    def __post_init__(self) -> None:
        plain_name("a light is", self.name)
        finite_pose(f"light {self.name!r}", self.pose)
        object.__setattr__(self, "direction", direction("light direction", self.direction))

    def to_sdf(self) -> str:
        """Returns an SDF document that Gazebo 11 loads; see `WorldDescription.to_sdf`."""
        return document(write_light, self)

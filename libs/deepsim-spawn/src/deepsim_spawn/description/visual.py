# SPDX-License-Identifier: Apache-2.0
"""The visuals of a link."""

from __future__ import annotations

from dataclasses import dataclass, field

from deepsim_math import Material, Pose

from .checks import finite_pose, fraction
from .geometry import Geometry


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
        material: Colours; None uses those of the mesh, or the backend's default.
        transparency: 0 opaque .. 1 invisible.
        cast_shadows: Whether it casts a shadow.
        visible: Whether it is drawn at all.
    """

    name: str
    geometry: Geometry
    pose: Pose = field(default_factory=Pose)
    material: Material | None = None
    transparency: float = 0.0
    cast_shadows: bool = True
    visible: bool = True

    def __post_init__(self) -> None:
        finite_pose(f"visual {self.name!r}", self.pose)
        fraction("visual transparency", self.transparency)

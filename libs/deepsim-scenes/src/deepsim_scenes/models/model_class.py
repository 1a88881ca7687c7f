# SPDX-License-Identifier: Apache-2.0
"""The description of a model from which its Scenic class is made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from deepsim_math import Color, Material, Pose, Vector3
from deepsim_spawn import (
    Box,
    CollisionDescription,
    LinkDescription,
    ModelDescription,
    VisualDescription,
)

from .resizing import Stretch, resized


class ModelType(Enum):
    """The source of a model.

    >>> ModelType("MISSION_ONLY") is ModelType.MISSION_ONLY  # the names in a list of models
    True
    """

    GAZEBO_MODEL = "GAZEBO_MODEL"
    """A model on the search path."""
    CUSTOM_MODEL = "CUSTOM_MODEL"
    """A model in the list's folder `models_dir`."""
    MISSION_ONLY = "MISSION_ONLY"
    """A place in the scene, such as a waypoint, without a model in the world."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelClass:
    """A model with its size and the defaults of its Scenic class.

    Width, length and height describe the bounding box of all collisions, along the axes of the
    model frame.

    Attributes:
        name: Name of the model, such as ``cafe_table``.
        type: The source of the model.
        width: Extent along x [m].
        length: Extent along y [m].
        height: Extent along z [m].
        center: Centre of the bounding box in the model frame [m].
        z: Default height of the model frame above the ground [m].
        heading: Default heading, counterclockwise from +y [rad]; None for a random one.
        dynamic_size: Whether width, length and height are drawn at random for each object, each
            from half to double its value, as far as `stretch` allows.
        stretch: The freedom of width, length and height to change independently.
        allow_collisions: Whether objects may overlap others in a sample.
        description: The model; None for `MISSION_ONLY`.
        folder: The folder of the model, or None.

    >>> crate = ModelClass("wooden_crate", ModelType.CUSTOM_MODEL, 0.5, 0.4, 0.3)
    >>> crate.class_name
    'WoodenCrate'
    >>> crate.factors(Vector3(1.0, 0.4, 0.3))
    Vector3(2.0, 1.0, 1.0)
    """

    name: str
    type: ModelType
    width: float
    length: float
    height: float
    center: Vector3 = Vector3(0.0, 0.0, 0.0)  # noqa: RUF009, it is immutable
    z: float = 0.0
    heading: float | None = None
    dynamic_size: bool = False
    stretch: Stretch = Stretch.FREE
    allow_collisions: bool = False
    description: ModelDescription | None = None
    folder: Path | None = None

    @property
    def class_name(self) -> str:
        """The name of the model's Scenic class; ``LampAndStand`` becomes ``Lampandstand``."""
        return "".join(part.capitalize() for part in re.split("[-_ ]", self.name))

    @property
    def size(self) -> Vector3:
        """Width, length and height [m]."""
        return Vector3(self.width, self.length, self.height)

    def factors(self, size: Vector3) -> Vector3:
        """Returns the factors along x, y and z that scale the model to a size [m]."""
        return Vector3(*(new / own for new, own in zip(size, self.size, strict=True)))

    def resized(self, size: Vector3) -> ModelDescription:
        """Returns the model scaled to a width, length and height [m].

        Raises:
            ResizeError: The model cannot be scaled to this size.
            ValueError: The type is `MISSION_ONLY`, so there is no model.
        """
        if self.description is None:
            raise ValueError(f"{self.name!r} is MISSION_ONLY: no model stands for it")
        return resized(self.description, self.factors(size))


WALL = "GreyWall"
"""The Scenic class of a wall."""

_SIZE = Vector3(0.1, 1.0, 1.0)


def grey_wall() -> ModelClass:
    """Returns a static wall, 0.1 m thick and 1 m high, with its frame at the bottom.

    Scenarios set its length. It does not need Gazebo's model ``grey_wall``.
    """
    middle = Pose((0.0, 0.0, _SIZE.z / 2))
    link = LinkDescription(
        "link",
        collisions=(CollisionDescription("collision", Box(_SIZE), middle),),
        visuals=(
            VisualDescription("visual", Box(_SIZE), middle, Material(Color(0.6, 0.6, 0.6, 1.0))),
        ),
    )
    return ModelClass(
        "grey_wall",
        ModelType.CUSTOM_MODEL,
        width=_SIZE.x,
        length=_SIZE.y,
        height=_SIZE.z,
        center=Vector3(*middle.position),
        heading=0.0,
        dynamic_size=False,
        stretch=Stretch.FREE,
        description=ModelDescription("grey_wall", links=(link,), static=True),
    )

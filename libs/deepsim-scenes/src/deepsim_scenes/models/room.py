# SPDX-License-Identifier: Apache-2.0
"""The model of the walls that `create_room` places."""

from __future__ import annotations

from deepsim_math import Color, Material, Pose, Vector3
from deepsim_spawn import (
    Box,
    CollisionDescription,
    LinkDescription,
    ModelDescription,
    VisualDescription,
)

from .model_class import ModelClass, ModelType
from .resizing import Stretch

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

# SPDX-License-Identifier: Apache-2.0
"""Models of one or a few shapes."""

from __future__ import annotations

import math
from collections.abc import Callable

from deepsim_math import Color, Material, Pose, Vector3
from deepsim_spawn import (
    Box,
    CollisionDescription,
    Cylinder,
    Geometry,
    Inertial,
    LinkDescription,
    ModelDescription,
    Sphere,
    VisualDescription,
)

_DENSITY = 300.0  # [kg/m^3], as of light wood
_WALL = 0.1  # thickness of the walls of a room [m]
_DOOR = 0.9  # width of the door of a room [m]

Part = tuple[Geometry, Pose]


def _room(size: Vector3) -> list[Part]:
    """Returns walls around a floor of x times y, with a door in the centre of the wall at -x."""
    x, y, z = size.x / 2, size.y / 2, size.z
    side = max((size.y - _DOOR) / 2, 0.05)
    long = Box(Vector3(size.x + _WALL, _WALL, z))
    return [
        (long, Pose(Vector3(0.0, y, 0.0))),
        (long, Pose(Vector3(0.0, -y, 0.0))),
        (Box(Vector3(_WALL, size.y, z)), Pose(Vector3(x, 0.0, 0.0))),
        (Box(Vector3(_WALL, side, z)), Pose(Vector3(-x, y - side / 2, 0.0))),
        (Box(Vector3(_WALL, side, z)), Pose(Vector3(-x, side / 2 - y, 0.0))),
    ]


SHAPES: dict[str, Callable[[Vector3], list[Part]]] = {
    "box": lambda size: [(Box(size), Pose())],
    "ball": lambda size: [(Sphere(size.x / 2), Pose())],
    "cylinder": lambda size: [(Cylinder(size.x / 2, size.z), Pose())],
    "wall": lambda size: [(Box(size), Pose())],
    "room": _room,
}
"""Functions of a size (x, y, z) [m] that return the parts of a model, by name."""
_STATIC = frozenset({"wall", "room"})


def shape_model(shape: str, size: Vector3, color: Color) -> ModelDescription:
    """Returns a model of a shape; walls and rooms are static, others have a density of 300 kg/m^3.

    Args:
        shape: One of `SHAPES`.
        size: Lengths along x, y and z [m], each > 0; a ball uses only x, a cylinder x and z.
        color: Colour of all parts.

    Raises:
        ValueError: A size is not > 0, or the shape is unknown.
    """
    if shape not in SHAPES:
        raise ValueError(f"shape must be one of {', '.join(SHAPES)}, got {shape!r}")
    if not all(part > 0.0 for part in size):
        raise ValueError(f"size must be > 0 m, got {tuple(size)}")
    parts = SHAPES[shape](size)
    material = Material(ambient=color, diffuse=color)
    link = LinkDescription(
        "link",
        inertial=None if shape in _STATIC else solid_inertial(shape, size),
        collisions=tuple(
            CollisionDescription(f"collision_{number}", geometry, pose)
            for number, (geometry, pose) in enumerate(parts)
        ),
        visuals=tuple(
            VisualDescription(f"visual_{number}", geometry, pose, material=material)
            for number, (geometry, pose) in enumerate(parts)
        ),
    )
    return ModelDescription(shape, links=(link,), static=shape in _STATIC)


def solid_inertial(shape: str, size: Vector3, pose: Pose | None = None) -> Inertial:
    """Returns the mass and inertia of a solid body with a density of 300 kg/m^3.

    Args:
        shape: ``"ball"``, ``"cylinder"``, or anything else for a box.
        size: Lengths along x, y and z [m]; a ball uses only x, a cylinder x and z.
        pose: Pose of the body's centre in the link frame; by default the identity.
    """
    x, y, z = size
    if shape == "ball":
        mass = _DENSITY * math.pi / 6 * x**3
        moments = (mass * x**2 / 10,) * 3
    elif shape == "cylinder":
        mass = _DENSITY * math.pi / 4 * x**2 * z
        across = mass * (3 * (x / 2) ** 2 + z**2) / 12
        moments = (across, across, mass * x**2 / 8)
    else:
        mass = _DENSITY * x * y * z
        moments = (
            mass * (y**2 + z**2) / 12,
            mass * (x**2 + z**2) / 12,
            mass * (x**2 + y**2) / 12,
        )
    return Inertial(mass, pose=pose or Pose(), ixx=moments[0], iyy=moments[1], izz=moments[2])

# SPDX-License-Identifier: Apache-2.0
"""Models that users insert: their shapes, their poses, and the world with them as a description."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Color, Material, Pose, Quaternion, Vector3
from deepsim_spawn import (
    Bounds,
    Box,
    CollisionDescription,
    Cylinder,
    Geometry,
    Inertial,
    JointAxis,
    JointDescription,
    LightDescription,
    LinkDescription,
    Mesh,
    ModelDescription,
    SearchPath,
    Sphere,
    VisualDescription,
    WorldDescription,
)
from deepsim_spawn.inertia import filled
from deepsim_sync import UnsupportedError, World

_DENSITY = 300.0  # [kg/m^3], as of light wood
_WALL = 0.1  # thickness of the walls of a room [m]
_DOOR = 0.9  # width of the door of a room [m]

Solids = list[tuple[Geometry, Pose]]
"""The geometries of a shape, with their poses in its frame."""


def _room(size: Vector3) -> Solids:
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


SHAPES: dict[str, Callable[[Vector3], Solids]] = {
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
        inertial=None if shape in _STATIC else solid_inertial(parts[0][0]),
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


def solid_inertial(geometry: Geometry, pose: Pose | None = None) -> Inertial:
    """Returns the mass and inertia of a solid body with a density of 300 kg/m^3.

    Args:
        geometry: A box, sphere or cylinder.
        pose: Pose of its centre in the link; the link's frame by default.
    """
    solid = filled(geometry)
    assert solid is not None
    ixx, iyy, izz = (_DENSITY * solid.inertia.diagonal()).tolist()
    return Inertial(_DENSITY * solid.mass, pose=pose or Pose(), ixx=ixx, iyy=iyy, izz=izz)


SOLIDS = ("box", "ball", "cylinder")
"""Shapes of a part, besides meshes."""
PartJoint = Literal["fixed", "revolute", "prismatic"]
JOINTS: tuple[PartJoint, ...] = get_args(PartJoint)
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
WORLD = "world"
_URIS = ("model://", "package://")


@dataclass(frozen=True)
class Part:
    """A link of a composed model, and the joint to its parent.

    Attributes:
        name: Name of the link.
        shape: One of `SOLIDS`, or the URI of a mesh, ``model://...`` or ``package://...``.
        size: Lengths along x, y and z [m], of which a ball uses only x, a cylinder x and z; for a
            mesh, scale factors.
        color: Colour of its visual.
        place: Position of the shape's centre, or of the mesh's frame, in the model frame [m].
        parent: Name of the parent part, `WORLD`, or None for a free part.
        joint: Type of the joint.
        axis: One of `AXES`, in the model frame.
        lower: Lowest position of the joint [rad or m].
        upper: Highest position of the joint [rad or m].
        pivot: Position of the joint in the model frame [m].
    """

    name: str
    shape: str
    size: Vector3
    color: Color
    place: Vector3
    parent: str | None = None
    joint: PartJoint = "fixed"
    axis: str = "z"
    lower: float = -math.inf
    upper: float = math.inf
    pivot: Vector3 = field(default_factory=lambda: Vector3(0.0, 0.0, 0.0))


def composed_model(name: str, parts: Sequence[Part]) -> ModelDescription:
    """Returns a model of parts with a density of 300 kg/m^3; a mesh weighs as much as its bounds.

    Args:
        name: Name of the model.
        parts: The parts, each after its parent.

    Raises:
        ValueError: `parts` is empty, a size is not > 0 m, a shape, joint or axis is unknown, or a
            parent does not precede its part.
        ModelFormatError: A mesh does not exist or cannot be read.
    """
    if not parts:
        raise ValueError("a model needs a part: add one first")
    known = {WORLD}
    for number, part in enumerate(parts):
        if part.name in known:
            raise ValueError(f"there is a part {part.name!r} already")
        if part.parent not in (*known, *(() if number else (None,))):
            raise ValueError(
                f"part {part.name!r} must be held by one of {', '.join(sorted(known))}, "
                f"got {part.parent!r}"
            )
        known.add(part.name)
    return ModelDescription(
        name,
        links=tuple(map(_link, parts)),
        joints=tuple(_joint(part, part.parent) for part in parts if part.parent is not None),
    )


def _link(part: Part) -> LinkDescription:
    geometry, inertial = _solid(part)
    material = Material(ambient=part.color, diffuse=part.color)
    return LinkDescription(
        part.name,
        pose=Pose(part.place),
        inertial=inertial,
        collisions=(CollisionDescription("collision", geometry),),
        visuals=(VisualDescription("visual", geometry, material=material),),
    )


def _solid(part: Part) -> tuple[Geometry, Inertial]:
    """Returns the geometry of a part and its inertia as a solid body of uniform density."""
    if not all(size > 0.0 for size in part.size):
        raise ValueError(f"size must be > 0, got {tuple(part.size)}")
    if part.shape in SOLIDS:
        ((geometry, _),) = SHAPES[part.shape](part.size)
        return geometry, solid_inertial(geometry)
    if not part.shape.startswith(_URIS):
        raise ValueError(
            f"a shape is one of {', '.join(SOLIDS)} or a mesh's URI, model://... or package://..., "
            f"got {part.shape!r}"
        )
    mesh = Mesh(SearchPath.of(None).find(part.shape), part.size)
    around = LinkDescription("link", collisions=(CollisionDescription("mesh", mesh),))
    bounds = Bounds.of(ModelDescription("mesh", links=(around,)))
    assert bounds is not None
    low, high = bounds.lower, bounds.upper
    size = Vector3(*(max(b - a, 1e-3) for a, b in zip(low, high, strict=True)))
    return mesh, solid_inertial(Box(size), Pose((low + high) / 2.0))


def _joint(part: Part, parent: str) -> JointDescription:
    if part.joint not in JOINTS:
        raise ValueError(f"joint must be one of {', '.join(JOINTS)}, got {part.joint!r}")
    if part.axis not in AXES:
        raise ValueError(f"axis must be one of {', '.join(AXES)}, got {part.axis!r}")
    axis = JointAxis(Vector3(*AXES[part.axis]), part.lower, part.upper)
    return JointDescription(
        f"{part.name}_joint",
        part.joint,
        parent,
        part.name,
        pose=Pose(part.pivot - part.place),
        axis=None if part.joint == "fixed" else axis,
    )


Snap = Literal["ground", "grid", "object", "nothing"]
SNAPS: tuple[Snap, ...] = get_args(Snap)
_GRID = 0.5  # [m]
_SEARCHED = 3.0  # radius of the search for a free position [m]
_SPACING = 0.2  # distance of its candidates [m]


def snapped(
    model: ModelDescription,
    position: Vector3,
    yaw: float,
    snap: Snap,
    others: Mapping[str, tuple[Any, NDArray[np.float64]]],
) -> Pose:
    """Returns the pose at which to put a model near a position.

    Args:
        model: The model.
        position: Position of the model frame [m]; z only matters for "nothing".
        yaw: Angle about z [rad].
        snap: "ground" puts the lowest point of the model at z = 0; "grid" also rounds x and y to
            multiples of 0.5 m; "object" puts the model on the highest model below it, or on the
            ground; "nothing" keeps the position.
        others: Descriptions and poses (7,) of the existing models, by name.

    Raises:
        ModelFormatError: A mesh cannot be read.
    """
    x, y, _ = position
    turn = Quaternion.from_euler(0.0, 0.0, yaw)
    if snap == "nothing":
        return Pose(position, turn)
    if snap == "grid":
        x, y = round(x / _GRID) * _GRID, round(y / _GRID) * _GRID
    bounds = Bounds.of(model, Pose((0.0, 0.0, 0.0), turn))
    low = bounds.lower.z if bounds is not None and math.isfinite(bounds.lower.z) else 0.0
    floor = 0.0
    if snap == "object" and bounds is not None:
        at = np.array([x, y])
        lower, upper = at + bounds.lower[:2], at + bounds.upper[:2]
        tops = [
            top
            for other, pose in others.values()
            if (top := _top_below(other, pose, lower, upper)) is not None
        ]
        floor = max([0.0, *tops])
    return Pose(Vector3(x, y, floor - low), turn)


def free_place(
    model: ModelDescription,
    position: Vector3,
    yaw: float,
    others: Mapping[str, tuple[Any, NDArray[np.float64]]],
) -> Vector3:
    """Returns the position nearest to a given one with no model above or below, except the ground.

    The search covers a circle of 3 m; without a free position, the given one is returned.

    Args:
        model: The model.
        position: Wanted position of the model frame [m].
        yaw: Angle of the model about z [rad].
        others: Descriptions and poses (7,) of the existing models, by name.

    Raises:
        ModelFormatError: A mesh cannot be read.
    """
    bounds = Bounds.of(model, Pose((0.0, 0.0, 0.0), Quaternion.from_euler(0.0, 0.0, yaw)))
    if bounds is None:
        return position
    lower, upper = np.array(bounds.lower[:2]), np.array(bounds.upper[:2])
    for ring in range(1 + round(_SEARCHED / _SPACING)):
        for angle in np.linspace(0.0, 2.0 * math.pi, max(1, 6 * ring), endpoint=False):
            way = ring * _SPACING * np.array([math.cos(angle), math.sin(angle)])
            at = np.array(position[:2]) + way
            if all(
                (_top_below(other, pose, at + lower, at + upper) or 0.0) <= 0.0
                for other, pose in others.values()
            ):
                return Vector3(float(at[0]), float(at[1]), position.z)
    return position


def _top_below(
    other: Any, pose: NDArray[np.float64], lower: NDArray[np.float64], upper: NDArray[np.float64]
) -> float | None:
    """Returns the highest point [m] of a model whose bounds overlap a rectangle, or None."""
    if not isinstance(other, ModelDescription):
        return None
    bounds = Bounds.of(other, Pose.from_array(pose))
    if bounds is None or not math.isfinite(bounds.upper.z):
        return None
    apart = np.any(np.array(bounds.upper[:2]) <= lower) or np.any(
        np.array(bounds.lower[:2]) >= upper
    )
    return None if apart else float(bounds.upper.z)


def described_world(world: World, number: int = 0) -> WorldDescription:
    """Returns the description of a world, with its models at their current poses.

    It must be called in the world's thread. Joint positions and colours are those of the models'
    descriptions, and physics settings are the defaults.

    Args:
        world: The world.
        number: Index of one of its W worlds.

    Raises:
        UnsupportedError: The description of a model cannot be written as SDF.
    """
    found = world.simulator.descriptions
    models = []
    for name, model in found.models.items():
        if not isinstance(model, ModelDescription):
            raise UnsupportedError(
                f"model {name!r} is a {type(model).__name__}, which cannot be saved as SDF"
            )
        cells = world.models.pose[number, world.entities.models.row(name)]
        models.append(replace(model, name=name, pose=Pose.from_array(cells)))
    lights = [each for each in found.lights.values() if isinstance(each, LightDescription)]
    return WorldDescription(models=tuple(models), lights=tuple(lights))

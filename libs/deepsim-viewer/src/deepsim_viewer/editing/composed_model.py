# SPDX-License-Identifier: Apache-2.0
"""Models composed of parts and joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from deepsim_math import Color, Material, Pose, Vector3
from deepsim_spawn import (
    Bounds,
    CollisionDescription,
    Geometry,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    Mesh,
    ModelDescription,
    SearchPath,
    VisualDescription,
)

from .shape_models import SHAPES, solid_inertial

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
        return geometry, solid_inertial(part.shape, part.size)
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
    return mesh, solid_inertial("box", size, Pose((low + high) / 2.0))


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

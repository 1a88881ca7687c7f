# SPDX-License-Identifier: Apache-2.0
"""Scales models along their axes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, Quaternion, Vector3
from deepsim_scenes.errors import ResizeError
from deepsim_spawn import (
    Box,
    Capsule,
    CollisionDescription,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Inertial,
    LinkDescription,
    Mesh,
    ModelDescription,
    Polyline,
    Sphere,
    VisualDescription,
)

Matrix: TypeAlias = NDArray[np.float64]
Part: TypeAlias = CollisionDescription | VisualDescription
P = TypeVar("P", CollisionDescription, VisualDescription)
_SAME = 1e-9  # relative difference up to which two factors count as equal


class Stretch(Enum):
    """The freedom of a model's width, length and height to change independently."""

    FREE = "free"
    """Width, length and height can all change independently."""
    ROUND = "round"
    """Width and length keep their ratio; the height is free."""
    UNIFORM = "uniform"
    """Width, length and height keep their ratios."""


def stretch_of(model: ModelDescription) -> Stretch:
    """Returns the greatest freedom with which every shape of a model remains a valid geometry.

    Meshes keep the ratio of width and length, so round meshes stay round.
    """
    meshes = any(isinstance(shape, Mesh) for shape in _shapes(model))
    for stretch, factors in ((Stretch.FREE, (1.1, 1.3, 1.7)), (Stretch.ROUND, (1.1, 1.1, 1.7))):
        if stretch is Stretch.FREE and meshes:
            continue
        try:
            resized(model, Vector3(*factors))
        except ResizeError:
            continue
        return stretch
    return Stretch.UNIFORM


def resized(model: ModelDescription, factors: Vector3) -> ModelDescription:
    """Returns a model scaled about the origin of its frame; its density stays the same.

    Args:
        model: A model without joints or nested models.
        factors: Scale factors along x, y and z of the model frame, each > 0.

    Raises:
        ResizeError: A factor is not > 0, the model has joints or nested models, or a scaled shape
            is not a valid geometry, such as a cylinder with an elliptic base or a sheared box.
    """
    if not all(np.isfinite(factor) and factor > 0.0 for factor in factors):
        raise ResizeError(f"{model.name}: factors must be > 0, got {tuple(factors)}")
    if all(factor == 1.0 for factor in factors):
        return model
    if model.joints or model.models:
        raise ResizeError(f"{model.name} has joints or nested models: it cannot be resized")
    scale = np.diag(np.asarray(factors, dtype=np.float64))
    return replace(model, links=tuple(_link(model.name, link, scale) for link in model.links))


def _link(owner: str, link: LinkDescription, scale: Matrix) -> LinkDescription:
    own = _turned(link.pose.orientation, scale)  # the same map, in the frame of the link

    def scaled(part: P) -> P:
        return replace(part, pose=_placed(part.pose, own), geometry=_shape(owner, part, own))

    return replace(
        link,
        pose=_placed(link.pose, scale),
        inertial=link.inertial and _inertial(link.inertial, own),
        collisions=tuple(map(scaled, link.collisions)),
        visuals=tuple(map(scaled, link.visuals)),
        sensors=tuple(replace(each, pose=_placed(each.pose, own)) for each in link.sensors),
        lights=tuple(replace(each, pose=_placed(each.pose, own)) for each in link.lights),
    )


def _turned(orientation: Quaternion, scale: Matrix) -> Matrix:
    """Expresses a linear map, (3, 3), in the axes of a rotated frame."""
    turn = np.array(orientation.normalized().to_matrix())
    return np.asarray(turn.T @ scale @ turn)


def _placed(pose: Pose, scale: Matrix) -> Pose:
    return Pose(Vector3(*(scale @ np.array(pose.position))), pose.orientation)


def _shape(owner: str, part: Part, scale: Matrix) -> Geometry:
    """Returns the shape of a collision or visual, scaled by a map in the axes of the link frame."""
    pose, geometry = part.pose, part.geometry
    local = _turned(pose.orientation, scale)
    x, y, z = (float(factor) for factor in np.diag(local))
    sheared = not np.allclose(local, np.diag((x, y, z)), rtol=0.0, atol=_SAME)
    level, uniform = _equal(x, y), _equal(x, y) and _equal(y, z)
    if not (sheared and not uniform):
        match geometry:
            case Box(size):
                return Box(Vector3(size.x * x, size.y * y, size.z * z))
            case Ellipsoid(radii):
                return Ellipsoid(Vector3(radii.x * x, radii.y * y, radii.z * z))
            case Mesh():
                own = geometry.scale
                return replace(geometry, scale=Vector3(own.x * x, own.y * y, own.z * z))
            case Polyline(outlines, height):
                flat = tuple(tuple((px * x, py * y) for px, py in each) for each in outlines)
                return replace(geometry, outlines=flat, height=height * z)
            case Cylinder(radius, length) if level:
                return Cylinder(radius * x, length * z)
            case Cone(radius, length) if level:
                return Cone(radius * x, length * z)
            case Sphere(radius) if uniform:
                return Sphere(radius * x)
            case Capsule(radius, length) if uniform:
                return Capsule(radius * x, length * x)
    kind = type(geometry).__name__.lower()
    raise ResizeError(
        f"{owner}: the {kind} of {part.name!r} cannot be scaled by {x:.6g}, {y:.6g}, {z:.6g}"
    )


def _inertial(inertial: Inertial, scale: Matrix) -> Inertial:
    """Returns mass and inertia of the scaled body, from the second moments of its mass."""
    local = _turned(inertial.pose.orientation, scale)
    grown = float(np.linalg.det(local))
    tensor = np.array(
        [
            [inertial.ixx, inertial.ixy, inertial.ixz],
            [inertial.ixy, inertial.iyy, inertial.iyz],
            [inertial.ixz, inertial.iyz, inertial.izz],
        ]
    )
    moments = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    moments = grown * local @ moments @ local.T
    tensor = np.trace(moments) * np.eye(3) - moments
    (ixx, ixy, ixz), (_, iyy, iyz), (*_, izz) = tensor.tolist()
    return Inertial(
        inertial.mass * grown, _placed(inertial.pose, scale), ixx, iyy, izz, ixy, ixz, iyz
    )


def _equal(a: float, b: float) -> bool:
    return abs(a - b) <= _SAME * max(abs(a), abs(b))


def _shapes(model: ModelDescription) -> Iterator[Geometry]:
    for _, link, _ in model.all_links():
        parts: tuple[Part, ...] = (*link.collisions, *link.visuals)
        yield from (part.geometry for part in parts)

# SPDX-License-Identifier: Apache-2.0
"""A gate, its sweep and the meshes of a world, with deepsim-spawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, Vector3
from deepsim_spawn import (
    Bounds,
    Box,
    CollisionDescription,
    GazeboXMLLoader,
    JointAxis,
    JointDescription,
    JointLimits,
    LinkDescription,
    Mesh,
    ModelDescription,
    ModelFormatError,
    ModelPoses,
    WorldDescription,
)

Rows = NDArray[np.float64]


def gate() -> ModelDescription:
    door = CollisionDescription("panel", Box(Vector3(1, 0.05, 2)), Pose((0.5, 0, 1)))
    hinge = JointDescription(
        "hinge", "revolute", "world", "door", axis=JointAxis(Vector3(0, 0, 1), lower=0.0, upper=1.5)
    )
    links = (LinkDescription("door", collisions=(door,)),)
    return ModelDescription("gate", links=links, joints=(hinge,))


def swept(model: ModelDescription, count: int) -> Rows:
    """Returns where the shapes of a model are at many positions of its joints."""
    limits: JointLimits = model.joint_limits()
    q: Rows = np.linspace(limits.lower, limits.upper, count)
    found: ModelPoses = model.poses(q)
    rows: Rows = np.stack([*found.collisions.values()])
    single: Rows = model.poses({"hinge": 0.5}).links["door"]
    return rows - single


def meshes(world: WorldDescription) -> dict[str, str]:
    return {
        f"{model.name}::{name}": str(each.geometry.path)
        for model in world.models
        for name, link, _pose in model.all_links()
        for each in link.visuals
        if isinstance(each.geometry, Mesh)
    }


def height(text: str) -> float | None:
    try:
        model = GazeboXMLLoader().load_model(text)
    except ModelFormatError as error:
        line: int | None = error.line
        print(f"line {line}: {error}")
        return None
    bounds: Bounds | None = Bounds.of(model)
    return None if bounds is None else bounds.size.z


def mistakes(model: ModelDescription) -> None:
    model.name = "other"  # wrong
    model.poses("hinge", 0.5)  # wrong
    _ = model.poses().links.door  # wrong
    Box(1, 2, 3)  # wrong
    LinkDescription("l", shapes=())  # wrong
    _height: float = Bounds.of(model).size.z  # wrong

# SPDX-License-Identifier: Apache-2.0
"""Scenic shapes of models, for scenarios in three dimensions. Imports Scenic and trimesh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
import trimesh
from scenic.core.shapes import BoxShape, MeshShape, Shape

from deepsim_scenes.models.model_class import ModelClass
from deepsim_spawn import Box, ModelDescription, shape_triangles

_CLASSES: ContextVar[Mapping[str, ModelClass]] = ContextVar("deepsim_scenes_classes")


@contextmanager
def shapes_from(classes: Mapping[str, ModelClass]) -> Iterator[None]:
    """Provides the models of a scenario to `shape_of` while the scenario is compiled."""
    token = _CLASSES.set(classes)
    try:
        yield
    finally:
        _CLASSES.reset(token)


def shape_of(name: str) -> Shape:
    """Returns the Scenic shape of a model, by the name of its class: the union of its collisions.

    A collision mesh that encloses no volume is replaced by its convex hull. Mission-only objects
    are boxes.
    """
    model = _CLASSES.get()[name]
    mesh = model.description and collision_mesh(model.description)
    if mesh is None:
        return BoxShape(dimensions=tuple(model.size))
    return MeshShape(mesh, dimensions=tuple(model.size))


def collision_mesh(model: ModelDescription) -> trimesh.Trimesh | None:
    """Returns the union of a model's collisions in the model frame.

    Returns None if the only collision is a box, or if there are no collisions.
    """
    parts = []
    shapes = [(link, part) for _, link, _ in model.all_links() for part in link.collisions]
    places = {id(link): pose for _, link, pose in model.all_links()}
    if not shapes or (len(shapes) == 1 and isinstance(shapes[0][1].geometry, Box)):
        return None
    for link, part in shapes:
        vertices, faces = shape_triangles(part.geometry)
        pose = places[id(link)] @ part.pose
        turn = np.array(pose.orientation.normalized().to_matrix())
        mesh = trimesh.Trimesh(vertices @ turn.T + np.array(pose.position), faces)
        parts.append(mesh if mesh.is_volume else mesh.convex_hull)
    return parts[0] if len(parts) == 1 else trimesh.boolean.union(parts, engine="manifold")

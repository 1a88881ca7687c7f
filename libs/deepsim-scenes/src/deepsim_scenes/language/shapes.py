# SPDX-License-Identifier: Apache-2.0
"""The shapes of models, for scenarios in space. Imports Scenic and trimesh."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
import trimesh
from scenic.core.shapes import BoxShape, MeshShape, Shape

from deepsim_scenes.models import ModelClass
from deepsim_spawn import Box, ModelDescription, shape_triangles

_CLASSES: ContextVar[Mapping[str, ModelClass]] = ContextVar("deepsim_scenes_classes")


@contextmanager
def shapes_from(classes: Mapping[str, ModelClass]) -> Iterator[None]:
    """Lets `shape_of` find the models of a scenario while it is compiled."""
    token = _CLASSES.set(classes)
    try:
        yield
    finally:
        _CLASSES.reset(token)


def shape_of(name: str) -> Shape:
    """Returns the shape of a class, by its name: the union of its collisions.

    A collision whose triangles enclose no volume counts as its convex hull. Entities without a
    model are boxes.
    """
    model = _CLASSES.get()[name]
    mesh = model.description and collision_mesh(model.description)
    if mesh is None:
        return BoxShape(dimensions=tuple(model.size))
    return MeshShape(mesh, dimensions=tuple(model.size))


def collision_mesh(model: ModelDescription) -> trimesh.Trimesh | None:
    """Returns a union of collisions in the model frame; None for one box, or without any."""
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

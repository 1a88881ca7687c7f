# SPDX-License-Identifier: Apache-2.0
"""A scene as one mesh or point cloud, for planning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, poses
from deepsim_sync import SCOPE, World

from .description.geometry import Geometry, Plane
from .description.link import LinkDescription
from .description.model import ModelDescription
from .meshes import shape_triangles
from .meshes.part import merged

if TYPE_CHECKING:
    from trimesh import Trimesh


@dataclass(frozen=True, slots=True)
class SceneMesh:
    """Triangles of several links, in the world frame.

    >>> square = SceneMesh(
    ...     vertices=np.array([(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0)], dtype=float),
    ...     faces=np.array([(0, 1, 2), (0, 2, 3)]),
    ...     links=("floor::link",),
    ...     face_links=np.array([0, 0]),
    ... )
    >>> square.areas.tolist()
    [1.0, 1.0]
    >>> square.points(100, np.random.default_rng(0)).shape
    (100, 3)

    Attributes:
        vertices: Positions (n, 3) [m].
        faces: Indices of vertices (m, 3), counterclockwise seen from outside.
        links: ``model::link`` of the links that have triangles.
        face_links: Index into `links` for each face (m,).
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    links: tuple[str, ...]
    face_links: NDArray[np.intp]

    @property
    def areas(self) -> NDArray[np.float64]:
        """Areas of the faces (m,) [m^2]."""
        a, b, c = self.vertices[self.faces].swapaxes(0, 1)
        found: NDArray[np.float64] = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
        return found

    def points(self, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Returns a point cloud (count, 3) [m], drawn uniformly from the surface.

        Raises:
            ValueError: The mesh is empty.
        """
        if not len(self.faces):
            raise ValueError("the mesh has no faces to draw points from")
        areas = self.areas
        face = self.faces[rng.choice(len(areas), count, p=areas / areas.sum())]
        share = rng.random((count, 2, 1))
        share = np.where(share.sum(axis=1, keepdims=True) > 1.0, 1.0 - share, share)
        a, b, c = self.vertices[face].swapaxes(0, 1)
        drawn: NDArray[np.float64] = a + share[:, 0] * (b - a) + share[:, 1] * (c - a)
        return drawn

    def to_trimesh(self) -> Trimesh:
        """Returns the mesh as a `trimesh.Trimesh` with the same vertices.

        Raises:
            ImportError: The extra ``deepsim-spawn[meshes]`` is not installed.
        """
        try:
            import trimesh  # noqa: PLC0415 (of an extra)
        except ImportError:
            raise ImportError("trimesh is an extra: pip install 'deepsim-spawn[meshes]'") from None
        return trimesh.Trimesh(self.vertices, self.faces, process=False)


def scene_mesh(
    world: World,
    models: Mapping[str, ModelDescription],
    number: int = 0,
    *,
    visuals: bool = False,
    segments: int = 32,
    ground: float = 10.0,
) -> SceneMesh:
    """Merges models of a world into one mesh, at the current poses of their links.

    Example::

        mesh = scene_mesh(world, {"table": table, "box": box})
        cloud = mesh.points(10_000, np.random.default_rng(0))

    Args:
        world: The world.
        models: The descriptions to merge, by the names under which they were spawned.
        number: The index of one of the W worlds.
        visuals: Whether to merge visuals instead of collisions.
        segments: Number of corners around the axis of round shapes, >= 3.
        ground: Side of the square that represents an infinite collision plane [m].

    Raises:
        TypeError: A description is not a `ModelDescription` but, for example, MJCF.
        UnknownEntityError: A model does not exist.
        ModelFormatError: A mesh or picture cannot be read.
    """
    every = world.links.pose[number]
    parts, links, counts = [], [], []
    for name, model in models.items():
        if not isinstance(model, ModelDescription):
            raise TypeError(
                f"scene_mesh takes ModelDescriptions, got a {type(model).__name__} for {name!r}"
            )
        world.entities.models.row(name)  # raises for an unknown one
        for link_name, link, _ in model.all_links():
            scoped = name + SCOPE + link_name
            pose = every[world.entities.links.row(scoped)]
            shapes = _shapes(link, visuals=visuals, ground=ground)
            if shapes:
                placed = []
                for place, shape in shapes:
                    points, faces = shape_triangles(shape, segments)
                    frame = poses.compose(pose, np.asarray(place))
                    moved = np.asarray(poses.transform_points(frame, points), dtype=np.float64)
                    placed.append((moved, faces))
                parts.append(merged(placed))
                links.append(scoped)
                counts.append(len(parts[-1][1]))
    vertices, faces = merged(parts)
    return SceneMesh(vertices, faces, tuple(links), np.repeat(np.arange(len(counts)), counts))


def _shapes(link: LinkDescription, *, visuals: bool, ground: float) -> list[tuple[Pose, Geometry]]:
    """Returns the shapes of a link and their poses in its frame."""
    if visuals:
        return [(each.pose, each.geometry) for each in link.visuals if each.visible]
    found: list[tuple[Pose, Geometry]] = []
    for each in link.collisions:
        shape = each.geometry
        if isinstance(shape, Plane):
            shape = Plane(shape.normal, (ground, ground))
        found.append((each.pose, shape))
    return found

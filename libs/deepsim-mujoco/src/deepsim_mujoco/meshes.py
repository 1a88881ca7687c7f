# SPDX-License-Identifier: Apache-2.0
"""Mesh files as MuJoCo assets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_spawn import Mesh
from deepsim_sync import SpawnError

from .engine import mujoco

_NATIVE = {".obj", ".stl"}
"""What MuJoCo reads itself."""


def add_mesh(spec: mujoco.MjSpec, name: str, mesh: Mesh, model: str) -> mujoco.MjsMesh:
    """Adds a mesh asset.

    OBJ and STL files are read by MuJoCo. Other formats and submeshes need trimesh, of the extra
    ``deepsim-mujoco[meshes]``.

    Args:
        spec: Where it is added.
        name: Name of the asset.
        mesh: The file and how it is used.
        model: The model that is being spawned, for messages.

    Raises:
        SpawnError: The file cannot be read.
    """
    if not mesh.path.is_file():
        raise SpawnError(model, f"mesh {mesh.path} does not exist")
    native = mesh.path.suffix.lower() in _NATIVE and not mesh.submesh
    triangles = None if native else _triangles(mesh, model)
    asset = spec.add_mesh(name=name)
    asset.scale = list(mesh.scale)
    if triangles is None:
        asset.file = str(mesh.path.resolve())
    else:
        vertices, faces = triangles
        asset.uservert = vertices.ravel().tolist()
        asset.userface = faces.ravel().tolist()
    # Its inertia is not used, and that of a thin mesh would be refused.
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    return asset


def _triangles(mesh: Mesh, model: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices (n, 3) in metres and faces (m, 3), of the whole file or of one submesh."""
    try:
        import trimesh  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise SpawnError(
            model, f"mesh {mesh.path} needs an extra: pip install 'deepsim-mujoco[meshes]'"
        ) from None
    try:
        scene: Any = trimesh.load_scene(mesh.path)
        unit = _collada_unit(mesh.path) if mesh.path.suffix.lower() == ".dae" else 1.0
    except Exception as error:  # each format of trimesh has errors of its own
        raise SpawnError(model, f"mesh {mesh.path} cannot be read: {error}") from error
    parts = {node: scene.graph[node] for node in scene.graph.nodes_geometry}
    if mesh.submesh:
        known = sorted({geometry for _, geometry in parts.values()})
        parts = {node: part for node, part in parts.items() if mesh.submesh in (node, part[1])}
        if not parts:
            raise SpawnError(
                model, f"mesh {mesh.path} has no submesh {mesh.submesh!r}; it has {known}"
            )
    vertices, faces, count = [], [], 0
    for transform, geometry in parts.values():
        part = scene.geometry[geometry]
        vertices.append(part.vertices @ transform[:3, :3].T + transform[:3, 3])
        faces.append(np.asarray(part.faces) + count)
        count += len(part.vertices)
    points = np.concatenate(vertices) * unit
    if mesh.center:
        points -= (points.min(axis=0) + points.max(axis=0)) / 2
    return points, np.concatenate(faces)


def _collada_unit(path: Path) -> float:
    """Metres per unit of a COLLADA file, which trimesh leaves to its caller."""
    import collada  # noqa: PLC0415 (of an extra)

    return float(collada.Collada(str(path)).assetInfo.unitmeter or 1.0)

# SPDX-License-Identifier: Apache-2.0
"""Triangles of mesh files and their submeshes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from deepsim_spawn.description.geometry import Mesh
from deepsim_spawn.errors import ModelFormatError

from .collada import read_collada
from .parts import Part, Triangles, merged, read_obj, read_stl

_MOST_BYTES = 2**27


def mesh_triangles(mesh: Mesh) -> Triangles:
    """Returns the triangles of a mesh: of its submesh, or of the whole file.

    A submesh is a COLLADA geometry or node (by id or name), an OBJ object or group, or a glTF
    geometry or node. glTF, OFF and PLY need the extra ``deepsim-spawn[meshes]``.

    Returns:
        Scaled vertices (n, 3) [m] in the mesh's frame, and faces (m, 3), which still face outwards
        when a negative scale mirrors the mesh.

    Raises:
        ModelFormatError: The file cannot be read, is larger than 128 MiB, is not COLLADA, glTF,
            OBJ, OFF, PLY or STL, or has no such submesh or no triangles; or the extra is not
            installed.
    """
    file = str(mesh.path)
    parts = _parts(mesh)
    if mesh.submesh:
        chosen = [part for part in parts if mesh.submesh in part.names]
        if not chosen:
            known = sorted({name for part in parts for name in part.names})
            raise ModelFormatError(f"has no submesh {mesh.submesh!r}; it has {known}", file=file)
        parts = chosen
    points, faces = merged([(part.vertices, part.faces) for part in parts])
    if not len(faces):
        raise ModelFormatError("has no triangles", file=file)
    used, corners = np.unique(faces, return_inverse=True)
    points, corners = points[used], corners.reshape(-1, 3)
    if not np.isfinite(points).all():
        raise ModelFormatError("has vertices that are not finite", file=file)
    if mesh.center:
        points = points - (points.min(axis=0) + points.max(axis=0)) / 2
    mirrored = np.prod(np.sign(mesh.scale)) < 0.0
    return points * np.array(mesh.scale), corners[:, ::-1] if mirrored else corners


def _parts(mesh: Mesh) -> list[Part]:
    """Returns all parts of a mesh's file."""
    file, suffix = str(mesh.path), mesh.path.suffix.lower()
    if suffix not in _READERS:
        raise ModelFormatError(
            f"unknown mesh format {suffix!r}: expected one of {', '.join(_READERS)}",
            file=file,
        )
    try:
        if not mesh.path.is_file() and mesh.path.exists():
            raise ModelFormatError("is not a regular file", file=file)
        if mesh.path.stat().st_size > _MOST_BYTES:
            raise ModelFormatError(f"must be <= {_MOST_BYTES} bytes", file=file)
        return _READERS[suffix](mesh)
    except ModelFormatError:
        raise
    except Exception as error:  # trimesh raises different errors for each format
        raise ModelFormatError(f"cannot be read as a mesh: {error}", file=file) from error


def _by_trimesh(mesh: Mesh) -> list[Part]:
    try:
        import trimesh  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise ModelFormatError(
            f"{mesh.path.suffix} meshes need an extra: "
            "pip install --find-links dist 'deepsim-spawn[meshes]'",
            file=str(mesh.path),
        ) from None
    scene: Any = trimesh.load_scene(mesh.path, skip_materials=True)
    parts = []
    for node in scene.graph.nodes_geometry:
        place, geometry = scene.graph[node]
        part = scene.geometry[geometry]
        faces = np.asarray(getattr(part, "faces", np.zeros((0, 3))), dtype=np.int64)
        points = np.asarray(part.vertices, dtype=np.float64) @ place[:3, :3].T + place[:3, 3]
        parts.append(Part(frozenset({node, geometry}), points, faces))
    return parts


_READERS: dict[str, Callable[[Mesh], list[Part]]] = {
    ".dae": lambda mesh: read_collada(mesh.path.read_bytes(), str(mesh.path)),
    ".glb": _by_trimesh,
    ".gltf": _by_trimesh,
    ".obj": lambda mesh: read_obj(mesh.path.read_bytes()),
    ".off": _by_trimesh,
    ".ply": _by_trimesh,
    ".stl": lambda mesh: read_stl(mesh.path.read_bytes()),
}
"""Supported formats; archives are excluded, since they may expand without limit."""

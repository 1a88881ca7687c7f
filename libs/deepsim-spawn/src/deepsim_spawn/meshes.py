# SPDX-License-Identifier: Apache-2.0
"""Mesh files as triangles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .description import Mesh
from .errors import ModelFormatError
from .xml import refuse_doctype

_FORMATS = (".dae", ".glb", ".gltf", ".obj", ".off", ".ply", ".stl")
"""What trimesh reads, without archives, which could hold far more than they weigh."""

_MOST_BYTES = 2**27


def mesh_triangles(mesh: Mesh) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The triangles of a mesh, of its whole file or of its submesh.

    It needs the extra ``deepsim-spawn[meshes]``.

    Returns:
        Vertices (n, 3) in metres, in the mesh's frame and scaled, and faces (m, 3), which look out
        of a mesh that is mirrored too.

    Raises:
        ModelFormatError: The file cannot be read, is larger than 128 MiB or of another format than
            COLLADA, glTF, OBJ, OFF, PLY and STL, has no such submesh or no triangle at all, or the
            extra is not installed.
    """
    file = str(mesh.path)
    try:
        import collada  # noqa: F401, PLC0415 (of an extra; trimesh asks for it with .dae)
        import trimesh  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise ModelFormatError(
            "meshes need an extra: pip install 'deepsim-spawn[meshes]'", file=file
        ) from None
    suffix = mesh.path.suffix.lower()
    if suffix not in _FORMATS:
        raise ModelFormatError(
            f"meshes of the format {suffix!r} are not read: expected {', '.join(_FORMATS)}",
            file=file,
        )
    collada_file = suffix == ".dae"
    try:
        if mesh.path.stat().st_size > _MOST_BYTES:
            raise ModelFormatError(f"is larger than {_MOST_BYTES} bytes", file=file)
        if collada_file:
            refuse_doctype(mesh.path.read_bytes(), file)
        scene: Any = trimesh.load_scene(mesh.path)
        unit = _collada_unit(mesh.path) if collada_file else 1.0
        parts = {node: scene.graph[node] for node in scene.graph.nodes_geometry}
    except ModelFormatError:
        raise
    except Exception as error:  # each format of trimesh has errors of its own
        raise ModelFormatError(f"cannot be read as a mesh: {error}", file=file) from error
    if mesh.submesh:
        known = sorted({geometry for _, geometry in parts.values()})
        parts = {node: part for node, part in parts.items() if mesh.submesh in (node, part[1])}
        if not parts:
            raise ModelFormatError(f"has no submesh {mesh.submesh!r}; it has {known}", file=file)
    vertices, faces, count = [], [], 0
    for transform, geometry in parts.values():
        part = scene.geometry[geometry]
        if not len(getattr(part, "faces", ())):
            continue  # lines and points, which touch nothing
        vertices.append(part.vertices @ transform[:3, :3].T + transform[:3, 3])
        faces.append(np.asarray(part.faces, dtype=np.int64) + count)
        count += len(part.vertices)
    if not faces:
        raise ModelFormatError("has no triangles", file=file)
    points: NDArray[np.float64] = np.concatenate(vertices) * unit
    if not np.isfinite(points).all():
        raise ModelFormatError("has vertices that are not finite", file=file)
    if mesh.center:
        points -= (points.min(axis=0) + points.max(axis=0)) / 2
    corners = np.concatenate(faces)
    mirrored = np.prod(np.sign(mesh.scale)) < 0.0
    return points * np.array(mesh.scale), corners[:, ::-1] if mirrored else corners


def _collada_unit(path: Path) -> float:
    """Metres per unit of a COLLADA file, which trimesh leaves to its caller."""
    import collada  # noqa: PLC0415 (of an extra)

    return float(collada.Collada(str(path)).assetInfo.unitmeter or 1.0)

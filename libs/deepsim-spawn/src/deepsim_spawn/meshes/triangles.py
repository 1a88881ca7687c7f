# SPDX-License-Identifier: Apache-2.0
"""Triangles of mesh files and their submeshes."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from deepsim_spawn.description.geometry import Mesh
from deepsim_spawn.errors import ModelFormatError

from .collada import read_collada
from .parts import (
    Faces,
    MeshPaint,
    Part,
    Skin,
    Triangles,
    Vertices,
    merged,
    read_obj,
    read_stl,
)

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
    return _placed(mesh, _parts(mesh, None))


def painted_triangles(
    mesh: Mesh, open_file: Callable[[str], bytes]
) -> tuple[Vertices, Faces, Skin] | None:
    """Returns the triangles of a mesh as `mesh_triangles` does, with the materials of its file.

    Args:
        mesh: The mesh.
        open_file: Returns the content of a file that the mesh's file names.

    Returns:
        Vertices (n, 3), faces (m, 3) and their materials, or None if the format has no materials.
    """
    parts = _parts(mesh, open_file)
    points, faces = _placed(mesh, parts)
    skins = [part.skin for part in parts if part.skin is not None]
    if len(skins) != len(parts):
        return None
    starts = np.cumsum([0, *(len(skin.paints) for skin in skins)])
    coordinates = None
    if any(skin.coordinates is not None for skin in skins):
        coordinates = np.concatenate(
            [
                np.zeros((len(skin.numbers), 3, 2))
                if skin.coordinates is None
                else skin.coordinates
                for skin in skins
            ]
        )
        if not np.isfinite(coordinates).all():
            problem = "has texture coordinates that are not finite"
            raise ModelFormatError(problem, file=str(mesh.path))
        coordinates = coordinates[:, ::-1] if _is_mirrored(mesh) else coordinates
    numbers = [skin.numbers + start for skin, start in zip(skins, starts, strict=False)]
    paints = tuple(paint for skin in skins for paint in skin.paints)
    return points, faces, Skin(coordinates, np.concatenate(numbers), paints)


def _placed(mesh: Mesh, parts: list[Part]) -> Triangles:
    """Returns the triangles of parts, in the frame of the mesh."""
    file = str(mesh.path)
    points, faces = merged([(part.vertices, part.faces) for part in parts])
    if not len(faces):
        raise ModelFormatError("has no triangles", file=file)
    used, corners = np.unique(faces, return_inverse=True)
    points, corners = points[used], corners.reshape(-1, 3)
    if not np.isfinite(points).all():
        raise ModelFormatError("has vertices that are not finite", file=file)
    if mesh.center:
        points = points - (points.min(axis=0) + points.max(axis=0)) / 2
    return points * np.array(mesh.scale), corners[:, ::-1] if _is_mirrored(mesh) else corners


def _is_mirrored(mesh: Mesh) -> bool:
    return bool(np.prod(np.sign(mesh.scale)) < 0.0)


def _parts(mesh: Mesh, open_file: Callable[[str], bytes] | None) -> list[Part]:
    """Returns the parts of a mesh, with their materials if files may be opened for them."""
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
        parts = _READERS[suffix](mesh, open_file)
        if any(_has_loose_corners(part) for part in parts):
            raise ModelFormatError("has faces with vertices that it does not have", file=file)
    except ModelFormatError:
        raise
    except Exception as error:  # trimesh raises different errors for each format
        raise ModelFormatError(f"cannot be read as a mesh: {error}", file=file) from error
    if not mesh.submesh:
        return parts
    chosen = [part for part in parts if mesh.submesh in part.names]
    if not chosen:
        known = sorted({name for part in parts for name in part.names})
        raise ModelFormatError(f"has no submesh {mesh.submesh!r}; it has {known}", file=file)
    return chosen


def _has_loose_corners(part: Part) -> bool:
    faces = part.faces
    return faces.size > 0 and not 0 <= faces.min() <= faces.max() < len(part.vertices)


class _Beside(dict[str, bytes]):
    """The files that a glTF file names, as trimesh asks for them."""

    def __init__(self, open_file: Callable[[str], bytes]) -> None:
        self._open_file = open_file

    def __missing__(self, name: str) -> bytes:
        return self._open_file(name)


def _by_trimesh(mesh: Mesh, open_file: Callable[[str], bytes] | None) -> list[Part]:
    try:
        import trimesh  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise ModelFormatError(
            f"{mesh.path.suffix} meshes need an extra: "
            "pip install --find-links dist 'deepsim-spawn[meshes]'",
            file=str(mesh.path),
        ) from None
    scene: Any
    if open_file is None:
        scene = trimesh.load_scene(mesh.path, skip_materials=True)
    else:
        content, kind = io.BytesIO(mesh.path.read_bytes()), mesh.path.suffix.lower()[1:]
        scene = trimesh.load_scene(content, kind, resolver=_Beside(open_file))
    parts = []
    for node in scene.graph.nodes_geometry:
        place, geometry = scene.graph[node]
        part = scene.geometry[geometry]
        faces = np.asarray(getattr(part, "faces", np.zeros((0, 3))), dtype=np.int64)
        points = np.asarray(part.vertices, dtype=np.float64) @ place[:3, :3].T + place[:3, 3]
        skin = None if open_file is None else _skin(part, faces)
        parts.append(Part(frozenset({node, geometry}), points, faces, skin))
    return parts


def _skin(part: Any, faces: Faces) -> Skin:
    """Returns the material of a part that trimesh has read."""
    visual = getattr(part, "visual", None)
    material = getattr(visual, "material", None)
    picture = getattr(material, "baseColorTexture", None)
    factor = getattr(material, "baseColorFactor", None)
    color = (1.0,) * 3 if factor is None else _srgb(np.asarray(factor)[:3] / 255.0)
    places = getattr(visual, "uv", None)
    coordinates = None
    if places is not None and len(places):
        coordinates = np.asarray(places, dtype=np.float64)[faces] * (1.0, -1.0) + (0.0, 1.0)
    return Skin(coordinates, np.zeros(len(faces), dtype=np.int64), (MeshPaint(color, picture),))


def _srgb(linear: Vertices) -> tuple[float, ...]:
    """Converts linear light in 0..1, as of glTF, to sRGB, by IEC 61966-2-1."""
    bright = 1.055 * linear ** (1.0 / 2.4) - 0.055
    return tuple(np.where(linear <= 0.0031308, 12.92 * linear, bright).tolist())


_Reader: TypeAlias = Callable[[Mesh, Callable[[str], bytes] | None], list[Part]]
_READERS: dict[str, _Reader] = {
    ".dae": lambda mesh, open_file: read_collada(
        mesh.path.read_bytes(), str(mesh.path), painted=open_file is not None
    ),
    ".glb": _by_trimesh,
    ".gltf": _by_trimesh,
    ".obj": lambda mesh, open_file: read_obj(mesh.path.read_bytes(), open_file),
    ".off": lambda mesh, _: _by_trimesh(mesh, None),
    ".ply": lambda mesh, _: _by_trimesh(mesh, None),
    ".stl": lambda mesh, _: read_stl(mesh.path.read_bytes()),
}
"""Supported formats; archives are excluded, since they may expand without limit."""

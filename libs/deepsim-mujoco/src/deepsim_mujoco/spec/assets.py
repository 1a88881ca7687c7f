# SPDX-License-Identifier: Apache-2.0
"""The meshes, textures and height fields of a spec, from private copies of models' files."""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_spawn import Mesh, ModelFormatError, TexturedSurface, mesh_triangles
from deepsim_sync import SpawnError
from deepsim_sync.temporary_folders import process_folder

from .shapes import Asset, Landscape, Solid, add_landscape


class KeptFile:
    """A private copy of a file, which exists as long as this object.

    MuJoCo opens mesh files at every compilation, and caches the results in the process by path and
    modification time in seconds. For this cache, equal contents have the same path and modification
    time in the whole process, and different contents have different paths.
    """

    def __init__(self, path: Path, content: bytes) -> None:
        self.path = path
        self._content = content

    def restore(self) -> None:
        """Writes the file again if it is missing; systems delete old temporary files."""
        if not self.path.exists():
            self.path.parent.mkdir(mode=0o700, exist_ok=True)
            self.path.write_bytes(self._content)
            os.utime(self.path, (0, 0))


_kept: weakref.WeakValueDictionary[str, KeptFile] = weakref.WeakValueDictionary()
_lock = RLock()  # re-entrant, because garbage may be collected at any time


def keep(content: bytes, suffix: str) -> KeptFile:
    """Returns the one copy with the given content, which it writes if necessary."""
    name = sha256(content).hexdigest() + suffix
    with _lock:
        file = _kept.get(name)
        if file is None:
            pid = os.getpid()
            file = _kept[name] = KeptFile(process_folder("deepsim-mujoco-") / name, content)
            weakref.finalize(file, _drop, file.path, pid).atexit = False
        file.restore()
    return file


def _drop(path: Path, pid: int) -> None:
    """Removes the file of a deleted copy unless a new copy has the same content."""
    with _lock:
        if path.name not in _kept and os.getpid() == pid:
            path.unlink(missing_ok=True)


_WITHOUT_NORMAL = re.compile(rb"^f\s+\d+(/\d*)?\s", re.MULTILINE)
"""A face without a normal in an OBJ file; MuJoCo refuses files in which only some have one."""
_MOST_OF_FLAT = 20_000  # size up to which a file is checked for a flat mesh [bytes]
_THICKNESS = 1e-4  # thickness that a flat mesh gets [m]
_STL_HEAD, _STL_FACE, _STL_MOST = 84, 50, 200_000  # bytes, bytes, faces that MuJoCo reads


def add_mesh(
    spec: mujoco.MjSpec, name: str, mesh: Mesh, model: str
) -> tuple[mujoco.MjsMesh, KeptFile]:
    """Adds a mesh asset, which collides as its convex hull.

    MuJoCo reads most OBJ and binary STL files itself. Other formats, submeshes and STL files with
    more than 200,000 faces are converted to its own format.

    Args:
        spec: The spec.
        name: Name of the asset.
        mesh: File, scale and submesh.
        model: Name of the model that is being spawned, for error messages.

    Returns:
        The asset, and the file that must exist as long as the asset.

    Raises:
        SpawnError: The file cannot be read.
    """
    suffix = mesh.path.suffix.lower()
    scale = list(mesh.scale)
    try:
        content = mesh.path.read_bytes() if mesh.path.is_file() else b""
        flat = len(content) <= _MOST_OF_FLAT and _is_flat(mesh)
        if flat or mesh.submesh or not _is_native(content, suffix):
            vertices, faces = mesh_triangles(mesh)
            vertices = _thickened(vertices) if flat else vertices
            scale, suffix, content = [1.0] * 3, ".msh", _msh(vertices, faces)
        file = keep(content, suffix)
    except ModelFormatError as error:
        raise SpawnError(model, f"mesh {error}") from error
    except OSError as error:
        raise SpawnError(model, f"mesh {mesh.path} cannot be read or copied: {error}") from error
    asset = spec.add_mesh(name=name)
    asset.scale = scale
    asset.file = str(file.path)
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # see add_solid
    return asset, file


def _is_flat(mesh: Mesh) -> bool:
    """Returns whether all vertices lie in a plane, so that MuJoCo cannot compute a hull."""
    vertices, _ = mesh_triangles(mesh)
    spread = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)
    return len(vertices) < 4 or bool(spread[-1] <= 1e-6 * spread[0])


def _thickened(vertices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns flat vertices, followed by copies that are offset by 0.1 mm and used by no face."""
    axes = np.linalg.svd(vertices - vertices.mean(axis=0), full_matrices=True)[2]
    return np.concatenate([vertices, vertices + _THICKNESS * axes[-1]])


def _is_native(content: bytes, suffix: str) -> bool:
    if suffix == ".stl":
        faces = int.from_bytes(content[80:_STL_HEAD], "little")
        return faces <= _STL_MOST and len(content) == _STL_HEAD + _STL_FACE * faces
    is_mixed = b"\nvn" in content and _WITHOUT_NORMAL.search(content) is not None
    return suffix == ".obj" and bool(content) and not is_mixed


def _msh(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> bytes:
    """Returns a mesh in MuJoCo's own format: four counts, then vertices and faces.

    MuJoCo keeps the hull of a file between compilations, but not that of vertices in a spec.
    """
    head = np.array([len(vertices), 0, 0, len(faces)])
    parts = head.astype("<i4"), vertices.astype("<f4"), faces.astype("<i4")
    return b"".join(part.tobytes() for part in parts)


def add_solid(
    spec: mujoco.MjSpec,
    name: str,
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64] | None = None,
) -> mujoco.MjsMesh:
    """Adds a mesh asset of vertices (n, 3) [m] and faces (m, 3), by default the hull's."""
    asset = spec.add_mesh(name=name)
    asset.uservert = vertices.ravel().tolist()
    if faces is not None:
        asset.userface = faces.ravel().tolist()
    # The mesh's inertia is not used, but MuJoCo would refuse the volume of a thin mesh.
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    return asset


def add_textured(
    spec: mujoco.MjSpec, name: str, surface: TexturedSurface
) -> list[mujoco.MjsElement]:
    """Adds a mesh asset with texture coordinates, and a texture of the same name."""
    corners = surface.triangles.reshape(-1, 3).astype(np.float64)
    vertices, faces = np.unique(corners, axis=0, return_inverse=True)
    faces = faces.reshape(-1, 3)
    flat = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)[-1] <= 1e-9
    asset = add_solid(spec, name, _thickened(vertices) if flat else vertices, faces)
    asset.usertexcoord = surface.coordinates.ravel().tolist()
    asset.userfacetexcoord = np.arange(faces.size).tolist()
    texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D)
    texture.height, texture.width, texture.nchannel = surface.image.shape
    texture.data = surface.image.tobytes()
    return [asset, texture]


@dataclass(slots=True)
class _Asset:
    key: Hashable
    elements: list[mujoco.MjsElement]
    users: int = 0


class Assets:
    """Meshes and height fields that geoms share; each exists once, while a geom uses it.

    Without sharing, a thousand equal models would spend most of their time on reading and compiling
    files.

    Attributes:
        files: Files that MuJoCo reads in each compilation, by asset.
    """

    def __init__(self, spec: mujoco.MjSpec) -> None:
        self._spec = spec
        self._names: dict[Hashable, str] = {}
        self._assets: dict[str, _Asset] = {}
        self.files: dict[str, KeptFile] = {}
        self._count = 0

    def take(self, shape: Asset, model: str) -> str:
        """Returns the name of the asset for a shape, after adding it if no geom uses it yet.

        Args:
            shape: The shape. Its file is read at the first use; a file that was rewritten since
                then counts as a new one.
            model: Name of the model that is being spawned, for error messages.
        """
        key = _key(shape, model)
        name = self._names.get(key)
        if name is None:
            self._count += 1
            elements: list[mujoco.MjsElement]
            if isinstance(shape, Solid):
                name = f"#solid {self._count}"
                elements = [add_solid(self._spec, name, shape.vertices, shape.faces)]
            elif isinstance(shape, Landscape):
                name = f"#landscape {self._count}"
                elements = [add_landscape(self._spec, name, shape)]
            elif isinstance(shape, TexturedSurface):
                name = f"#textured {self._count}"
                elements = add_textured(self._spec, name, shape)
            else:
                name = f"#mesh {shape.path} {self._count}"
                mesh, self.files[name] = add_mesh(self._spec, name, shape, model)
                elements = [mesh]
            self._names[key] = name
            self._assets[name] = _Asset(key, elements)
        self._assets[name].users += 1
        return name

    def give_back(self, name: str) -> None:
        """Releases a geom's use of an asset, which is removed with its last user."""
        asset = self._assets[name]
        asset.users -= 1
        if not asset.users:
            for element in asset.elements:
                self._spec.delete(element)
            del self._assets[name], self._names[asset.key]
            self.files.pop(name, None)


def _key(shape: Asset, model: str) -> Hashable:
    """Returns a key that is equal for shapes that can share an asset."""
    if isinstance(shape, Solid):
        return _digest(shape.vertices), None if shape.faces is None else _digest(shape.faces)
    if isinstance(shape, Landscape):
        return _digest(shape.heights), shape.heights.shape, shape.size
    if isinstance(shape, TexturedSurface):
        return shape
    try:
        state = shape.path.stat()
    except OSError as error:
        raise SpawnError(model, f"mesh {shape.path} cannot be read: {error.strerror}") from error
    # Modification times alone do not suffice: unpacking an archive sets them.
    return shape, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def _digest(numbers: NDArray[Any]) -> bytes:
    return sha256(numbers.tobytes()).digest()

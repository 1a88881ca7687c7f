# SPDX-License-Identifier: Apache-2.0
"""The meshes, with their textures, and height fields of a spec, shared by geoms."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_spawn import TexturedSurface
from deepsim_sync import SpawnError

from .kept_files import KeptFile
from .landscapes import Landscape, add_landscape
from .meshes import add_mesh, add_solid, add_textured
from .shapes import Asset, Solid


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

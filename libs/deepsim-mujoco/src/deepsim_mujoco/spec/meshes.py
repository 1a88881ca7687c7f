# SPDX-License-Identifier: Apache-2.0
"""Mesh files as MuJoCo assets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco
from deepsim_spawn import Mesh, ModelFormatError, mesh_triangles
from deepsim_sync import SpawnError

from .kept_files import KeptFile, keep

_NATIVE = {".obj", ".stl"}
"""What MuJoCo reads itself."""


def add_mesh(
    spec: mujoco.MjSpec, name: str, mesh: Mesh, model: str
) -> tuple[mujoco.MjsMesh, KeptFile | None]:
    """Adds a mesh asset.

    OBJ and STL files are read by MuJoCo, at every compile. Other formats and submeshes need
    trimesh, of the extra ``deepsim-mujoco[meshes]``.

    Args:
        spec: Where it is added.
        name: Name of the asset.
        mesh: The file and how it is used.
        model: The model that is being spawned, for messages.

    Returns:
        The asset, and the file that MuJoCo reads for as long as the asset is there.

    Raises:
        SpawnError: The file cannot be read.
    """
    if mesh.path.suffix.lower() not in _NATIVE or mesh.submesh:
        try:
            return add_solid(spec, name, *mesh_triangles(mesh)), None
        except ModelFormatError as error:
            raise SpawnError(model, f"mesh {error}") from error
    try:
        file = keep(mesh.path.read_bytes(), mesh.path.suffix.lower())
    except OSError as error:
        raise SpawnError(model, f"mesh {mesh.path} cannot be read or copied: {error}") from error
    asset = spec.add_mesh(name=name)
    asset.scale = list(mesh.scale)
    asset.file = str(file.path)
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # see add_solid
    return asset, file


def add_solid(
    spec: mujoco.MjSpec,
    name: str,
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64] | None = None,
) -> mujoco.MjsMesh:
    """Adds a mesh asset of vertices (n, 3) and faces (m, 3), by default those of the hull."""
    asset = spec.add_mesh(name=name)
    asset.uservert = vertices.ravel().tolist()
    if faces is not None:
        asset.userface = faces.ravel().tolist()
    # Its inertia is not used, and that of a thin mesh would be refused.
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    return asset

# SPDX-License-Identifier: Apache-2.0
"""What of a model lies in the memory of OpenGL."""

from __future__ import annotations

from hashlib import blake2b

from deepsim_mujoco.engine import mujoco

from .gl_settings import horizon

_ARRAYS = (
    "mesh_vertadr",
    "mesh_vert",
    "mesh_normal",
    "mesh_texcoord",
    "mesh_face",
    "mesh_facenormal",
    "mesh_facetexcoord",
    "mesh_graph",
    "hfield_nrow",
    "hfield_size",
    "hfield_data",
    "skin_vertadr",
    "skin_texcoord",
    "skin_face",
    "tex_type",
    "tex_adr",
    "tex_width",
    "tex_data",
)


def uploads_of(model: mujoco.MjModel) -> bytes:
    """A digest of all that is slow to copy to OpenGL: models with the same one can share it."""
    digest = blake2b(digest_size=16)
    for name in _ARRAYS:
        array = getattr(model, name)
        digest.update(f"{name} {array.shape}".encode())
        digest.update(array)
    planes = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    digest.update(model.geom_size[planes])
    digest.update(f"{horizon(model)}".encode())
    return digest.digest()


def refresh_materials(renderer: mujoco.MjrContext, model: mujoco.MjModel) -> None:
    """Tells a renderer which materials have which textures."""
    materials = model.nmat
    renderer.mat_texid[: model.mat_texid.size] = model.mat_texid.reshape(-1)
    renderer.mat_texuniform[:materials] = model.mat_texuniform
    renderer.mat_texrepeat[: 2 * materials] = model.mat_texrepeat.reshape(-1)

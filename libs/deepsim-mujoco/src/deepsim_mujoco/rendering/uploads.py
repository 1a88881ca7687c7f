# SPDX-License-Identifier: Apache-2.0
"""The parts of a model in the memory of OpenGL."""

from __future__ import annotations

from hashlib import blake2b

from deepsim_mujoco.engine import mujoco

from .gl_settings import horizon

_MAX_MATERIALS = 1000  # of MuJoCo's renderer, which says so when it gets more
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
    "hfield_ncol",
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
    digest.update(f"{model.nmat > _MAX_MATERIALS} {horizon(model)}".encode())
    planes = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    digest.update(model.geom_size[planes])
    return digest.digest()

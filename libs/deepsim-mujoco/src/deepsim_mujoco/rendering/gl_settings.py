# SPDX-License-Identifier: Apache-2.0
"""Settings of MuJoCo's renderer, and the parts of a model that it keeps in OpenGL's memory."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b

from deepsim_mujoco.imports import mujoco

_SHADOW_TEXELS, _SOFT_SHADOW_TEXELS = 2048, 1024  # along each side of the shadow map
_LEAST_HORIZON = 100.0  # [m]
_MAX_MATERIALS = 1000  # limit of MuJoCo's renderer, which warns beyond it
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
    "mat_texid",
    "mat_texrepeat",
    "mat_texuniform",
)


def horizon(model: mujoco.MjModel) -> float:
    """Returns the distance up to which infinite planes are drawn [m].

    It changes in coarse steps, because planes are uploaded again when it does.
    """
    times = model.vis.map.zfar * model.stat.extent / _LEAST_HORIZON
    return float(_LEAST_HORIZON * 2.0 ** round(math.log2(max(times, 1.0))))


def slices_for(model: mujoco.MjModel, width: int, height: int) -> int:
    """Returns the number of edges of a circle that fills a picture, at most the model's own.

    The edges are less than a pixel inside of the circle. A picture of 64 x 64 pixels takes half the
    time with 13 of them instead of MuJoCo's 28.
    """
    fine = math.ceil(math.pi / math.acos(1.0 - 2.0 / max(width, height, 4)))
    return min(int(model.vis.quality.numslices), fine)


@contextmanager
def gl_settings(
    model: mujoco.MjModel, *, soft: bool = False, slices: int | None = None
) -> Iterator[None]:
    """Sets rendering options of a model, and restores the previous ones afterwards.

    Args:
        model: The model; if its shadow map has the size 0, it has no shadows.
        soft: Whether several lights share each shadow, which coarser maps are fine enough for.
        slices: The number of edges of circles; by default the model's own.
    """
    quality, limits = model.vis.quality, model.vis.map
    given = quality.shadowsize, quality.offsamples, limits.zfar
    round_edges = quality.numslices, quality.numstacks
    if quality.shadowsize:
        quality.shadowsize = _SOFT_SHADOW_TEXELS if soft else _SHADOW_TEXELS
    if slices is not None:
        quality.numslices, quality.numstacks = slices, min(quality.numstacks, (slices + 1) // 2)
    quality.offsamples = 0
    limits.zfar = horizon(model) / model.stat.extent
    try:
        yield
    finally:
        quality.shadowsize, quality.offsamples, limits.zfar = given
        quality.numslices, quality.numstacks = round_edges


def uploads_of(model: mujoco.MjModel) -> bytes:
    """Returns a digest of the data that is slow to upload; models with equal digests share it."""
    digest = blake2b(digest_size=16)
    for name in _ARRAYS:
        array = getattr(model, name)
        digest.update(f"{name} {array.shape}".encode())
        digest.update(array)
    shadows = bool(model.vis.quality.shadowsize)
    digest.update(f"{model.nmat > _MAX_MATERIALS} {horizon(model)} {shadows}".encode())
    planes = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    digest.update(model.geom_size[planes])
    return digest.digest()

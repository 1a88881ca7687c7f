# SPDX-License-Identifier: Apache-2.0
"""Rays against meshes and height fields, whose surfaces only MuJoCo knows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco

from .bundle import Array, Bundle
from .solids import enter_box

_SHOWN, _HIDDEN = 0, 1
_CAST_AT_SHOWN = np.array([1, 0, 0, 0, 0, 0], np.uint8)
_MESH = int(mujoco.mjtGeom.mjGEOM_MESH)
_LEVEL = 6  # of MuJoCo's tree of boxes, of up to 64 boxes
_THICKER = 1e-4  # [m], so that flat boxes are hit


def packets_near(
    model: mujoco.MjModel, data: mujoco.MjData, geom: int, bundle: Bundle
) -> NDArray[np.bool_]:
    """Which packets come near the surface; much of the ball around a mesh is empty."""
    if model.geom_type[geom] == _MESH:
        mesh = model.geom_dataid[geom]
        start = model.mesh_bvhadr[mesh]
        nodes = slice(start, start + model.mesh_bvhnum[mesh])
        depth, is_leaf = model.bvh_depth[nodes], model.bvh_nodeid[nodes] >= 0
        boxes = model.bvh_aabb[nodes][(depth == _LEVEL) | (is_leaf & (depth < _LEVEL))]
    else:
        boxes = model.geom_aabb[geom : geom + 1]
    centres = data.geom_xpos[geom] + boxes[:, :3] @ data.geom_xmat[geom].reshape(3, 3).T
    near = bundle.near(centres, np.linalg.norm(boxes[:, 3:], axis=1))
    near_any: NDArray[np.bool_] = np.logical_or.reduce(near)
    return near_any


def enter_surface(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    geom: int,
    origin: Array,
    rays: Array,
    limits: Array,
) -> tuple[Array, Array]:
    """Where rays enter a surface; nowhere if they start inside.

    Args:
        model: During the call its geom groups are borrowed.
        data: With the poses of the geoms.
        geom: A mesh or height field.
        origin: (3,) world frame [m].
        rays: (3, n) of any length.
        limits: (n,) multiples of the rays from which on nothing need be found.

    Returns:
        (n,) multiples of the rays, inf where they miss, and (3, n) unit normals against the rays.
    """
    depths, normals = np.full(rays.shape[1], np.inf), np.zeros(rays.shape)
    axes, box = data.geom_xmat[geom].reshape(3, 3), model.geom_aabb[geom]
    local = (origin - data.geom_xpos[geom]) @ axes - box[:3]
    near_box = np.flatnonzero(enter_box(local, axes.T @ rays, box[3:] + _THICKER) < limits)
    if near_box.size:
        depths[near_box], normals[:, near_box] = _cast(
            model, data, geom, origin, rays.take(near_box, axis=1)
        )
    return depths, normals


def _cast(
    model: mujoco.MjModel, data: mujoco.MjData, geom: int, origin: Array, rays: Array
) -> tuple[Array, Array]:
    count = rays.shape[1]
    ids, depths, normals = np.empty(count, np.int32), np.empty(count), np.empty((count, 3))
    groups = model.geom_group.copy()
    model.geom_group[:] = _HIDDEN  # the only way to tell MuJoCo which geom counts
    model.geom_group[geom] = _SHOWN
    try:
        mujoco.mj_multiRay(
            model,
            data,
            origin,
            rays.T.reshape(-1),
            _CAST_AT_SHOWN,
            True,  # also what is fixed to the world
            -1,  # exclude no body
            ids,
            depths,
            normals.reshape(-1),
            count,
            mujoco.mjMAXVAL,
        )
    finally:
        model.geom_group[:] = groups
    depths[ids < 0] = np.inf
    behind = np.einsum("ij,ji->i", normals, rays) > 0.0
    if np.linalg.norm(data.geom_xpos[geom] - origin) < model.geom_rbound[geom]:
        depths[behind] = np.inf  # from inside
    normals[behind] *= -1.0  # the mesh is inside out
    return depths, normals.T

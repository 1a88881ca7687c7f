# SPDX-License-Identifier: Apache-2.0
"""Places of textures on MJCF geoms, as MuJoCo draws them (its src/render/classic)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_spawn import wrapped_places

Array = NDArray[np.float64]

_Type = mujoco.mjtGeom
_METRES = (_Type.mjGEOM_MESH, _Type.mjGEOM_PLANE)
"""Types whose vertices MuJoCo stores in metres; those of others are relative to their size."""
_FINE = 500  # least number of triangles with a cube, because places are not linear on them
_SIDES = (  # of OpenGL's cube map +x, -x, +y, -y, +z, -z: axes and signs along s and t
    ((2, -1), (1, -1)),
    ((2, 1), (1, -1)),
    ((0, 1), (2, 1)),
    ((0, 1), (2, -1)),
    ((0, 1), (1, -1)),
    ((0, -1), (1, -1)),
)
_EQUAL = ((0, 1, 1), (0, 1, -1), (1, 2, 1), (1, 2, -1), (0, 2, 1), (0, 2, -1))
"""Axes a, b and factors f of the planes a = f b that part the sides of a cube."""


def mapped(
    model: mujoco.MjModel,
    geom: int,
    texture: int,
    triangles: Array,
    places: NDArray[np.float32] | None,
) -> tuple[Array, Array]:
    """Returns the triangles of a geom, cut where its texture needs it, with their places in it.

    Args:
        model: The compiled model.
        geom: Number of the geom, which has a material.
        texture: Number of its texture: a picture, or the six sides of a cube below each other.
        triangles: Its surface in its frame, (m, 3, 3) [m].
        places: The texture coordinates of a mesh, (m, 3, 2), if it has some.

    Returns:
        Triangles (k, 3, 3) [m] and the places of their corners (k, 3, 2), as in `TexturedSurface`.
    """
    material, kind = int(model.geom_matid[geom]), _Type(model.geom_type[geom])
    uniform = bool(model.mat_texuniform[material])
    a, b, c = model.geom_size[geom].tolist()
    is_tube = kind in (_Type.mjGEOM_CAPSULE, _Type.mjGEOM_CYLINDER)
    size = np.array(
        (a, a, a) if kind == _Type.mjGEOM_SPHERE else (a, a, b) if is_tube else (a, b, c)
    )
    is_endless = kind == _Type.mjGEOM_PLANE and not size[:2].all()
    limited = np.where(size > 0.0, size, 1.0)
    if places is None and model.tex_type[texture] != mujoco.mjtTexture.mjTEXTURE_2D:
        while len(triangles) < _FINE:
            triangles = _quartered(triangles)
        rays = triangles.copy() if kind in _METRES else _unit(kind, triangles, limited)
        return _on_cube(triangles, rays * limited if uniform else rays)
    repeat = model.mat_texrepeat[material] * (limited[:2] if uniform else 1.0)
    if places is not None:
        return triangles, places * repeat
    if kind == _Type.mjGEOM_MESH:
        return triangles, triangles[..., :2] / limited[:2] * repeat * (0.5, -0.5) - 0.5
    return triangles, _on_shape(kind, triangles, size) * repeat - 0.5 * is_endless


def _unit(kind: mujoco.mjtGeom, triangles: Array, size: Array) -> Array:
    """Returns the corners of a simple shape relative to its size."""
    unit = triangles / size
    if kind == _Type.mjGEOM_CAPSULE:  # MuJoCo's halves of balls are around a point at 1 or -1
        for end in (1.0, -1.0):
            is_end = (end * unit[..., 2] > 1.0 - 1e-9).all(axis=1)
            ends = triangles[is_end, :, 2] - end * size[2]
            unit[is_end, :, 2] = end + ends / size[0]
    return unit


def _on_shape(kind: mujoco.mjtGeom, triangles: Array, size: Array) -> Array:
    """Returns the places (m, 3, 2) of the corners of a simple shape, in a picture shown once.

    An endless side of a plane shows it once in two metres.
    """
    if kind == _Type.mjGEOM_PLANE:
        across = [
            triangles[..., axis] / 2.0 / (side or 1.0) + 0.5 * (side > 0.0)
            for axis, side in enumerate(size[:2])
        ]
        return np.stack([across[0], (size[1] > 0.0) - across[1]], axis=-1)
    unit = _unit(kind, triangles, size)
    x, y, z = np.moveaxis(unit, -1, 0)
    if kind == _Type.mjGEOM_BOX:
        normals = np.abs(np.cross(unit[:, 1] - unit[:, 0], unit[:, 2] - unit[:, 0]))
        shown = np.array([[1, 2], [0, 2], [0, 1]])[normals.argmax(axis=1)]
        flat = np.take_along_axis(unit, shown[:, None], axis=-1)
        return flat * (0.5, -0.5) + 0.5
    if kind in (_Type.mjGEOM_SPHERE, _Type.mjGEOM_ELLIPSOID):
        return wrapped_places(y, x, 0.5 - np.arcsin(np.clip(z, -1.0, 1.0)) / np.pi)
    places = wrapped_places(y, x, (1.0 - z) / 2.0)
    for end in (1.0, -1.0):
        is_end = (end * z > 1.0 - 1e-9).all(axis=1)
        if kind == _Type.mjGEOM_CYLINDER:
            places[is_end] = unit[is_end, :, :2] / 2.0 + 0.5
        else:
            height = np.arcsin(np.clip(z[is_end] - end, -1.0, 1.0)) / (np.pi / 2.0)
            places[is_end, :, 1] = (end > 0.0) - height
    return places


def _on_cube(triangles: Array, rays: Array) -> tuple[Array, Array]:
    """Returns triangles that each lie on one side of a cube map, and their places in it."""
    both = np.concatenate([triangles, rays], axis=-1)
    for one, other, factor in _EQUAL:
        both = _cut(both, both[..., 3 + one] - factor * both[..., 3 + other])
    rays = both[..., 3:]
    middle = rays.mean(axis=1)
    axis = np.abs(middle).argmax(axis=1)
    side = 2 * axis + (middle[np.arange(len(axis)), axis] < 0.0)
    places = np.empty((*rays.shape[:2], 2))
    for number, signs in enumerate(_SIDES):
        some = rays[side == number]
        depth = np.maximum(np.abs(some[..., number // 2]), 1e-9)
        for column, (along, sign) in enumerate(signs):
            places[side == number, :, column] = (sign * some[..., along] / depth + 1.0) / 2.0
    inside = np.clip(places, 0.01, 0.99)  # no interpolation with another side
    return both[..., :3], np.stack(
        [inside[..., 0], (side[:, None] + inside[..., 1]) / 6.0], axis=-1
    )


def _cut(corners: Array, heights: Array) -> Array:
    """Returns triangles (m, 3, n), cut where heights (m, 3) over a plane change their sign."""
    above = heights >= 0.0
    count = above.sum(axis=1)
    whole = corners[(count == 0) | (count == 3)]
    crossing = (count == 1) | (count == 2)
    corners, heights, above = corners[crossing], heights[crossing], above[crossing]
    alone = np.where(count[crossing] == 1, above.argmax(axis=1), (~above).argmax(axis=1))
    order = (alone[:, None] + np.arange(3)) % 3
    (a, b, c) = np.take_along_axis(corners, order[..., None], axis=1).swapaxes(0, 1)
    (u, v, w) = np.take_along_axis(heights, order, axis=1).T[..., None]
    ab, ac = a + u / (u - v) * (b - a), a + u / (u - w) * (c - a)
    parts = [np.stack(each, axis=1) for each in ((a, ab, ac), (ab, b, c), (ab, c, ac))]
    return np.concatenate([whole, *parts])


def _quartered(triangles: Array) -> Array:
    a, b, c = triangles.swapaxes(0, 1)
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    parts = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
    return np.concatenate([np.stack(each, axis=1) for each in parts])

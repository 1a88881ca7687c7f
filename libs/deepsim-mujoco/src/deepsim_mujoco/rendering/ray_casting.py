# SPDX-License-Identifier: Apache-2.0
"""Ray casting with MuJoCo: from pixels to directions, hits, their colours, and depths."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_sync import CameraView

Array = NDArray[np.float64]


class Lens:
    """The position of a view and the directions of its pixels, in the world frame.

    Attributes:
        position: Position, (3,) [m].
        forward: Unit vector of the optical axis, (3,).
        left: Unit vector towards the left edge of the picture, (3,).
        up: Unit vector towards the upper edge of the picture, (3,).
        half_width: Half the width of the picture at depth 1 m [m].
        half_height: Half the height of the picture at depth 1 m [m].
        pixel: Side of a pixel at depth 1 m [m]; pixels are square.
    """

    def __init__(self, view: CameraView) -> None:
        self.position: Array = np.array(view.pose.position)
        self.forward: Array = np.array(view.pose.forward)
        self.left: Array = np.array(view.pose.left)
        self.up: Array = np.array(view.pose.up)
        self.half_width = math.tan(view.horizontal_fov / 2)
        self.pixel = 2 * self.half_width / view.width
        self.half_height = self.pixel * view.height / 2

    def rays(self, columns: Array, rows: Array) -> Array:
        """Returns the directions of pixels, (3, n), with length 1 along the optical axis.

        Args:
            columns: Pixels from the left edge, (n,); the centre of the first pixel is 0.5.
            rows: Pixels from the upper edge, (n,).
        """
        leftward = np.outer(self.left, self.half_width - columns * self.pixel)
        upward = np.outer(self.up, self.half_height - rows * self.pixel)
        return leftward + upward + self.forward[:, None]


VISUAL_GROUP = 2
"""The group of geoms that are drawn."""

_UNSET = np.array([0.5, 0.5, 0.5, 1.0], np.float32)  # MuJoCo's default colour of a geom
_SHINY = 0.5  # specular and shininess of a geom without a material
_LARGEST_EXPONENT = 128.0  # of OpenGL's highlights, for a shininess of 1


class Paint(NamedTuple):
    """The materials of n geoms.

    Attributes:
        rgb: Colour in 0..1, (n, 3).
        alpha: Opacity, (n,); 0 for geoms that are not drawn.
        emission: Emitted light as a multiple of the colour, (n,).
        specular: Strength of highlights, (n,).
        exponent: Sharpness of highlights, (n,).
    """

    rgb: NDArray[np.float32]
    alpha: NDArray[np.float32]
    emission: NDArray[np.float32]
    specular: NDArray[np.float32]
    exponent: NDArray[np.float32]

    @classmethod
    def of(cls, model: mujoco.MjModel) -> Paint:
        """Returns the paint of a model; geoms with MuJoCo's default colour use their material's."""
        material = model.geom_matid  # -1 for none, which is the last row below
        specular, shininess = (
            np.append(values, np.float32(_SHINY))[material]
            for values in (model.mat_specular, model.mat_shininess)
        )
        of_material = np.vstack([model.mat_rgba, _UNSET])[material]
        unset = (model.geom_rgba == _UNSET).all(axis=1)
        rgba = np.where(unset[:, None], of_material, model.geom_rgba)
        rgba[model.geom_group != VISUAL_GROUP, 3] = 0.0
        emission = np.append(model.mat_emission, np.float32(0.0))[material]
        return cls(rgba[:, :3], rgba[:, 3], emission, specular, shininess * _LARGEST_EXPONENT)


Mask = NDArray[np.bool_]

_GROUP_0 = np.array([1, 0, 0, 0, 0, 0], np.uint8)
_ANY_DISTANCE = mujoco.mjMAXVAL  # MuJoCo's limit is in metres, not in multiples of rays


class Hits(NamedTuple):
    """The first surfaces along n rays; without a hit, depth and normal are undefined.

    Attributes:
        geoms: Number of the geom, (n,); -1 if a ray hits nothing.
        depths: Distance as a multiple of the ray's length, (n,).
        normals: Unit normals of the surfaces, facing the rays, in the world frame, (3, n).
    """

    geoms: NDArray[np.int32]
    depths: Array
    normals: Array

    def take(self, rays: NDArray[np.intp]) -> Hits:
        """Returns the hits of some rays."""
        return Hits(self.geoms[rays], self.depths[rays], self.normals.take(rays, axis=1))


def cast_rays(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    origin: Array,
    vectors: Array,
    shown: Mask,
    geoms: NDArray[np.int32],
    distances: Array,
    normals: Array | None = None,
    farthest: float = _ANY_DISTANCE,
) -> None:
    """Finds the first surface along each of n rays from one point, from inside or outside.

    Args:
        model: The model, which is changed during the call.
        data: Data with the poses of the geoms.
        origin: Start of all rays in the world frame, (3,) [m].
        vectors: Directions of any length in the world frame, (3 n,), ray by ray.
        shown: Whether rays can hit each geom, (ngeom,).
        geoms: Is set to the numbers of the geoms, (n,); -1 without a hit.
        distances: Is set to multiples of the rays' lengths, (n,); -1 without a hit.
        normals: Is set to the unit normals of the surfaces in the world frame, (3 n,).
        farthest: Distance beyond which geoms may be left out [m].
    """
    # MuJoCo 3.17 does not turn the centres of the bounding boxes of bodies, which are given in
    # their inertial frames, and then misses hits: these boxes are valid for any rotation.
    roots = model.body_bvhadr[model.body_bvhadr >= 0]
    boxes, groups = model.bvh_aabb[roots], model.geom_group.copy()
    radii = np.linalg.norm(np.abs(boxes[:, :3]) + boxes[:, 3:], axis=1)
    model.geom_group[:] = np.where(shown, 0, 1)  # the only way to choose geoms
    model.bvh_aabb[roots] = np.array([0, 0, 0, 1, 1, 1]) * radii[:, None]
    try:
        chosen = vectors, _GROUP_0, True, -1  # include static geoms; exclude no body
        into = geoms, distances, normals
        mujoco.mj_multiRay(model, data, origin, *chosen, *into, len(geoms), farthest)
    finally:
        model.geom_group[:] = groups
        model.bvh_aabb[roots] = boxes


def cast(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    origin: Array,
    rays: Array,
    shown: Mask,
    near: float = 0.0,
    far: float = math.inf,
) -> Hits:
    """Casts rays from one point.

    Geoms are only hit from outside: one that surrounds the origin, such as the housing of a camera,
    does not block the view.

    Args:
        model: The model, which is changed during the call.
        data: Data with the poses of the geoms.
        origin: Start of all rays in the world frame, (3,) [m].
        rays: Directions of any length in the world frame, (3, n).
        shown: Whether rays can hit each geom, (ngeom,).
        near: Least distance of a hit, as a multiple of the ray's length; rays pass through nearer
            geoms.
        far: Largest distance of a hit, as a multiple of the ray's length.
    """
    count = rays.shape[1]
    geoms, depths, flat = np.empty(count, np.int32), np.empty(count), np.empty(3 * count)
    cast_rays(model, data, origin, rays.T.reshape(-1), shown, geoms, depths, flat)
    geoms[depths > far] = -1
    normals = np.ascontiguousarray(flat.reshape(count, 3).T)
    behind = np.einsum("ij,ij->j", normals, rays) > 0.0
    around = np.linalg.norm(data.geom_xpos - origin, axis=1) < model.geom_rbound
    inside = behind & np.append(around, False)[geoms]
    passed = (geoms >= 0) & (inside | (depths < near))
    np.negative(normals, out=normals, where=behind)  # for meshes that are inside out
    hits = Hits(geoms, depths, normals)
    for geom in np.unique(geoms[passed]):
        some = np.flatnonzero(passed & (geoms == geom))
        others = shown & (np.arange(model.ngeom) != geom)
        again = cast(model, data, origin, rays.take(some, axis=1), others, near, far)
        geoms[some], depths[some], normals[:, some] = again
    return hits


def measure_depth(
    model: mujoco.MjModel, data: mujoco.MjData, view: CameraView, near: float, far: float
) -> tuple[Array, NDArray[np.int32]]:
    """Measures depths from `near` to `far` [m] by a ray through the middle of each pixel.

    Returns:
        Depths along the optical axis, (height, width) [m], inf without a hit; and the numbers of
        the geoms, -1 without a hit.
    """
    lens = Lens(view)
    rows, columns = np.divmod(np.arange(view.height * view.width), view.width)
    rays = lens.rays(columns + 0.5, rows + 0.5)
    shown = Paint.of(model).alpha > 0.0
    hits = cast(model, data, lens.position, rays, shown, near, far)
    depths = np.where(hits.geoms >= 0, hits.depths, np.inf)
    return depths.reshape(view.height, view.width), hits.geoms.reshape(view.height, view.width)

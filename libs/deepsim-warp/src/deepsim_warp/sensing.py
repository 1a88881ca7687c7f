# SPDX-License-Identifier: Apache-2.0
"""Pictures of camera sensors and rays of lidars in all worlds at once."""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.spec.builder import CAMERA, VISUAL_GROUP
from deepsim_mujoco.state.batches import Shots
from deepsim_mujoco.state.layout import Floats
from deepsim_spawn import CameraDescription

from . import kernels
from .imports import mjw, wp


class BatchCamera:
    """MuJoCo Warp's renderer with one lens, which casts a ray through the middle of each pixel.

    Args:
        model: The model on the host, which is copied.
        lens: Size of the pictures, and the farthest visible depth.
        worlds: Number of worlds, W.
    """

    def __init__(self, model: mujoco.MjModel, lens: CameraDescription, worlds: int) -> None:
        described = copy.copy(model)
        described.stat.extent, described.vis.map.zfar = 1.0, lens.far
        self._number = model.camera(CAMERA).id
        self._shape = worlds, lens.height, lens.width
        self._context = mjw.create_render_context(
            described,
            worlds,
            cam_active=[self._number],
            cam_res=(lens.width, lens.height),
            render_rgb=True,
            render_depth=True,
            render_seg=True,
            render_skybox=True,
            enabled_geom_groups=[VISUAL_GROUP],
            use_precomputed_rays=False,  # because angles of view may differ among the worlds
            use_shadows=bool(model.vis.quality.shadowsize),
            shadow_light_fraction=0.0,
        )

    def take(self, model: Any, data: Any, body: int, frames: Floats, angles: Floats) -> Shots:
        """Returns pictures of all worlds; see `TakesPictures`."""
        worlds, height, width = self._shape
        upright = np.degrees(2.0 * np.arctan(np.tan(0.5 * angles) * height / width))
        lenses = np.repeat(upright[:, None], model.ncam, axis=1).astype(np.float32)
        model.cam_fovy = wp.array(lenses, dtype=float)
        mounts = wp.array(frames.astype(np.float32), dtype=float)
        aim = [data.xpos, data.xquat, body, mounts, self._number, data.cam_xpos, data.cam_xmat]
        wp.launch(kernels.aim_camera, worlds, inputs=aim)
        mjw.refit_bvh(model, data, self._context)
        mjw.render(model, data, self._context)
        packed = self._context.rgb_data.numpy().view(np.uint8).reshape(*self._shape, 4)
        depth = self._context.depth_data.numpy().reshape(self._shape).astype(np.float64)
        geoms = self._context.seg_data.numpy()[..., 0].reshape(self._shape)
        depth[geoms < 0] = np.inf
        return Shots(packed[..., 2::-1].copy(), depth, geoms.copy())  # bytes: blue, green, red


_HIDDEN = 5  # a group of geoms that rays pass


class RayCaster:
    """Casts the rays of one lidar.

    Args:
        model: The model on the device.
        site: Number of the sensor's site.
        rays: Directions in the sensor's frame, (n, 3).
        shown: Whether rays can hit each geom, (ngeom,).
        worlds: Number of worlds, W.
    """

    def __init__(
        self,
        model: Any,
        site: int,
        rays: Floats,
        shown: NDArray[np.bool_],
        worlds: int,
    ) -> None:
        # Groups are the only way to choose geoms; transparent ones are hit, too.
        self._model = copy.copy(model)
        groups = np.where(shown, 0, _HIDDEN).astype(np.int32)
        self._model.geom_group = wp.array(groups, dtype=int)
        self._model.geom_matid = wp.full((1, len(shown)), -1, dtype=int)
        self._model.geom_rgba = wp.full((1, len(shown)), wp.vec4(1.0, 1.0, 1.0, 1.0), dtype=wp.vec4)
        self._site, count = site, len(rays)
        self._rays = wp.array(rays.astype(np.float32), dtype=wp.vec3)
        shape = worlds, count
        self._origins, self._directions = (wp.zeros(shape, dtype=wp.vec3) for _ in range(2))
        self._distances = wp.zeros(shape, dtype=float)
        self._geoms = wp.zeros(shape, dtype=int)
        self._normals = wp.zeros(shape, dtype=wp.vec3)
        self._no_body = wp.full(count, -1, dtype=int)

    def cast(self, data: Any) -> NDArray[np.float64]:
        """Returns the distances to the nearest surfaces, (W, n) [m]; -1 without a hit."""
        aim = [data.site_xpos, data.site_xmat, self._site, self._rays]
        into = [self._origins, self._directions]
        wp.launch(kernels.aim_rays, self._distances.shape, inputs=[*aim, *into])
        shown = wp.types.vector(length=6, dtype=float)(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        mjw.rays(
            self._model, data, *into, shown, True, self._no_body,
            self._distances, self._geoms, self._normals,
        )  # fmt: skip
        found: NDArray[np.float64] = self._distances.numpy().astype(np.float64)
        return found

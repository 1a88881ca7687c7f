# SPDX-License-Identifier: Apache-2.0
"""Pictures of camera sensors in all worlds at once."""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numpy as np

from deepsim_mujoco.spec.builder import VISUAL_GROUP
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
        # The camera is none of the model's, because its mount may differ among the worlds.
        self._context = mjw.create_render_context(
            described,
            worlds,
            cam_active=[],
            enabled_geom_groups=[VISUAL_GROUP],
            use_precomputed_rays=False,
            use_shadows=bool(model.vis.quality.shadowsize),
            shadow_light_fraction=0.0,
            render_skybox=True,
        )
        self._shape = worlds, lens.height, lens.width
        pixels = lens.height * lens.width
        first, yes = wp.zeros(1, dtype=int), wp.full(1, True, dtype=bool)
        for name, value in {
            "nrender": 1,
            "total_rays": pixels,
            "cam_res": wp.array([(lens.width, lens.height)], dtype=wp.vec2i),
            "cam_id_map": first,
            "rgb_adr": first,
            "depth_adr": first,
            "seg_adr": first,
            "render_rgb": yes,
            "render_depth": yes,
            "render_seg": yes,
            "rgb_data": wp.zeros((worlds, pixels), dtype=wp.uint32),
            "depth_data": wp.zeros((worlds, pixels), dtype=float),
            "seg_data": wp.zeros((worlds, pixels), dtype=wp.vec2i),
        }.items():
            setattr(self._context, name, value)
        self._places = wp.zeros((worlds, 1), dtype=wp.vec3)
        self._turns = wp.zeros((worlds, 1), dtype=wp.mat33)
        self._pinhole = {
            "cam_projection": first,
            "cam_sensorsize": wp.zeros(1, dtype=wp.vec2),
            "cam_intrinsic": wp.zeros((1, 1), dtype=wp.vec4),
        }

    def take(self, model: Any, data: Any, body: int, frames: Floats, angles: Floats) -> Shots:
        """Returns pictures of all worlds; see `TakesPictures`."""
        worlds, height, width = self._shape
        model, data = copy.copy(model), copy.copy(data)
        upright = 2.0 * np.arctan(np.tan(0.5 * angles) * height / width)
        model.cam_fovy = wp.array(np.degrees(upright)[:, None].astype(np.float32), dtype=float)
        for name, value in self._pinhole.items():
            setattr(model, name, value)
        data.cam_xpos, data.cam_xmat = self._places, self._turns
        mounts = wp.array(frames.astype(np.float32), dtype=float)
        aim = [data.xpos, data.xquat, body, mounts, self._places, self._turns]
        wp.launch(kernels.aim_camera, worlds, inputs=aim)
        mjw.refit_bvh(model, data, self._context)
        mjw.render(model, data, self._context)
        packed = self._context.rgb_data.numpy().view(np.uint8).reshape(*self._shape, 4)
        depth = self._context.depth_data.numpy().reshape(self._shape).astype(np.float64)
        geoms = self._context.seg_data.numpy()[..., 0].reshape(self._shape)
        depth[geoms < 0] = np.inf
        return Shots(packed[..., 2::-1].copy(), depth, geoms)  # the bytes are blue, green, red

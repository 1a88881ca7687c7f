# SPDX-License-Identifier: Apache-2.0
"""A model in MuJoCo's renderer, with shadows where the camera looks."""

from __future__ import annotations

import logging
import math

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco

from .gl_settings import gl_settings
from .lens import Lens
from .paint import VISUAL_GROUP, Paint
from .ray_casting import cast
from .staging import stage_ground, stage_lights

_LOG = logging.getLogger("deepsim_mujoco")
_MAX_LIGHTS = 8  # limit of fixed-function OpenGL, including the headlight
_EVERYTHING = int(mujoco.mjtCatBit.mjCAT_ALL)
_SHOWN = [int(mujoco.mjtVisFlag.mjVIS_TEXTURE), int(mujoco.mjtVisFlag.mjVIS_STATIC)]
_EFFECTS = [
    int(mujoco.mjtRndFlag.mjRND_SHADOW),
    int(mujoco.mjtRndFlag.mjRND_SKYBOX),
    int(mujoco.mjtRndFlag.mjRND_CULL_FACE),
]
_POINT = int(mujoco.mjtLightType.mjLIGHT_POINT)
_SPOT = int(mujoco.mjtLightType.mjLIGHT_SPOT)
_DIRECTIONAL = int(mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
_WIDER, _STAGED_WIDER = 3.0, 1.5  # of the shadow map, relative to the view at its centre


class GlScene:
    """The scene of one model.

    Args:
        model: The model.
        staged: Whether the scene is for people; see `staging`.
        soft: Whether the edges of its shadows are soft.
    """

    def __init__(self, model: mujoco.MjModel, *, staged: bool = False, soft: bool = False) -> None:
        self.model = model
        self._staged, self._soft = staged, soft
        self._options = _visuals_only()
        self._own_camera = mujoco.MjvCamera()
        self._own_camera.type = mujoco.mjtCamera.mjCAMERA_USER  # keeps the cameras of the scene
        self._scene = mujoco.MjvScene(model, model.ngeom + 1)
        self._scene.flags[:] = 0
        self._scene.flags[_EFFECTS] = 1
        # From MuJoCo 4 on, the headlight may be 2, for automatic.
        lights = np.count_nonzero(model.light_active) + bool(model.vis.headlight.active)
        if lights > _MAX_LIGHTS:
            _LOG.warning(
                "OpenGL draws %d lights, the headlight among them; of %d the last stay dark",
                _MAX_LIGHTS,
                lights,
            )

    def draw(
        self,
        data: mujoco.MjData,
        lens: Lens,
        near: float,
        far: float,
        renderer: mujoco.MjrContext,
        viewport: mujoco.MjrRect,
    ) -> None:
        """Draws the present state at depths from `near` to `far` [m] into a viewport."""
        for eye in self._scene.camera:
            eye.pos, eye.forward, eye.up = lens.position, lens.forward, lens.up
            eye.frustum_center = eye.frustum_width = 0.0  # MuJoCo fits the width to the viewport
            eye.frustum_top = near * lens.half_height
            eye.frustum_bottom = -eye.frustum_top
            eye.frustum_near, eye.frustum_far = near, far
        with gl_settings(self.model):
            mujoco.mjv_updateScene(
                self.model, data, self._options, None, self._own_camera, _EVERYTHING, self._scene
            )
        alpha = Paint.of(self.model).alpha
        if ((alpha > 0.0) & (alpha < 1.0)).any():
            for geom in self._scene.geoms[: self._scene.ngeom]:
                if geom.rgba[3] < 1.0:
                    geom.rgba[3] = 1.0 - math.sqrt(1.0 - geom.rgba[3])  # MuJoCo draws glass twice
        if self._staged:
            stage_lights(self.model, self._scene, soft=self._soft)
            stage_ground(self.model, self._scene)
        lights = self._scene.lights[: self._scene.nlight]
        for light in lights:
            if light.type == _POINT:
                # MuJoCo leaves point lights dark. For OpenGL they are spot lights of 180 degrees,
                # without a shadow map.
                light.type, light.cutoff, light.exponent = _SPOT, 180.0, 0.0
                light.attenuation = self.model.light_attenuation[light.id]
                light.castshadow = False
        if self.model.vis.quality.shadowsize and any(light.castshadow for light in lights):
            centre, radius = shadow_region(self.model, data, lens, near)
            radius *= _STAGED_WIDER if self._staged else _WIDER
            renderer.shadowClip = radius
            for light in lights:
                if light.type == _DIRECTIONAL:
                    light.pos = centre - min(2 * radius, far / 2) * light.dir
        mujoco.mjr_render(viewport, self._scene, renderer)


def _visuals_only() -> mujoco.MjvOption:
    options = mujoco.MjvOption()
    for kind in ("geom", "site", "joint", "tendon", "actuator", "flex", "skin"):
        getattr(options, f"{kind}group")[:] = 0
    options.geomgroup[VISUAL_GROUP] = 1
    options.flags[:] = 0
    options.flags[_SHOWN] = 1
    return options


def shadow_region(
    model: mujoco.MjModel, data: mujoco.MjData, lens: Lens, near: float
) -> tuple[NDArray[np.float64], float]:
    """Returns the ball that the picture shows around the surface at its centre, for shadows.

    MuJoCo's own region, around the world's origin, makes shadows coarse in a large world, and
    omits them far from the origin.

    Returns:
        Centre in the world frame, (3,) [m], and radius [m].
    """
    limit = max(float(model.stat.extent), near)
    axis, opaque = lens.forward[:, None], Paint.of(model).alpha >= 1.0
    hits = cast(model, data, lens.position, axis, opaque, near, limit)
    depth = float(hits.depths[0]) if hits.geoms[0] >= 0 else limit
    # In coarse steps, so that shadows do not creep when an object passes the centre.
    depth = 2.0 ** (round(2 * math.log2(depth)) / 2)
    radius = depth * math.hypot(lens.half_width, lens.half_height)
    return lens.position + depth * lens.forward, radius

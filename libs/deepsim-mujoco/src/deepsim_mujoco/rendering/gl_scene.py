# SPDX-License-Identifier: Apache-2.0
"""A model in MuJoCo's renderer, its settings, and shadows where the camera looks."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco

from .ray_casting import VISUAL_GROUP, Lens, Paint, cast
from .staging import stage_ground, stage_lights

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

# SPDX-License-Identifier: Apache-2.0
"""A camera that draws with OpenGL, and a model in MuJoCo's renderer."""

from __future__ import annotations

import atexit
import logging
import math
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_sync import CameraView

from .gl_context import GlContext
from .ray_casting import VISUAL_GROUP, Lens, Paint, cast
from .staging import Sky, stage_ground, stage_lights, staged_sky

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


_FINE = 2  # drawn pixels per pixel and axis; on a CPU cheaper than OpenGL's multisampling
# MuJoCo lifts shadows off the ground by a fixed share of the range of depths. A long range keeps
# the ground free of specks; pixels that are too far away are painted over.
_LEAST_RANGE = 1000.0  # [m]
_SKY = 0.7  # distance at which MuJoCo draws the sky, as a share of the far clipping plane


class GlCamera:
    """A camera that draws with MuJoCo's renderer in its own OpenGL context.

    A changed model is uploaded again only if its meshes, textures or planes differ. Only one thread
    at a time may use a camera.

    Args:
        staged: Whether the pictures are for people; see `open_camera`.
        soft: Whether shadows in pictures for people have soft edges; see `open_camera`.
    """

    def __init__(self, *, staged: bool = False, soft: bool | None = None) -> None:
        self._staged = staged
        self._gl: GlContext | None = GlContext()
        self._soft = staged and (not self._gl.is_software if soft is None else soft)
        # The renderers by the number of edges of circles, with what was uploaded to them.
        self._renderers: dict[int, tuple[bytes, mujoco.MjrContext]] = {}
        self._uploads = b""
        self._scene: GlScene | None = None
        # Resources must be freed before EGL terminates at exit.
        self._at_exit = partial(_close, weakref.ref(self))
        atexit.register(self._at_exit)

    def render(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        view: CameraView,
        near: float,
        far: float,
    ) -> NDArray[np.uint8]:
        """Returns a picture of the present state; see :class:`Camera`."""
        if self._gl is None:
            raise ValueError("the camera is closed: open another one")
        with staged_sky(model) if self._staged else nullcontext():
            return self._render(self._gl, model, data, view, near, far)

    def _render(
        self,
        gl: GlContext,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        view: CameraView,
        near: float,
        far: float,
    ) -> NDArray[np.uint8]:
        lens = Lens(view)
        # The sky has the same distance in all directions, so its depth is least in the corners.
        slant = math.hypot(1.0, lens.half_width, lens.half_height)
        before_sky = max(far, 1.5 * horizon(model), _LEAST_RANGE)
        end = before_sky * slant / _SKY
        width, height = _FINE * view.width, _FINE * view.height
        pixels = np.empty((height, width, 3), np.uint8)
        depths = np.empty((height, width), np.float32)
        with gl:
            renderer, scene = self._ready(model, slices_for(model, view.width, view.height))
            mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, renderer)
            viewport = _viewport(renderer, width, height)
            scene.draw(data, lens, near, end, renderer, viewport)
            mujoco.mjr_readPixels(pixels, depths, viewport, renderer)
        pixels, depths = pixels[::-1], depths[::-1]  # OpenGL counts rows from below
        nearest, farthest = _stored(np.array([before_sky, far]), near, end)
        rows, columns = np.nonzero((depths > nearest) & (depths < farthest))
        if rows.size:
            rays = lens.rays((columns + 0.5) / _FINE, (rows + 0.5) / _FINE)
            pixels[rows, columns] = np.rint(255 * Sky(model).colours(rays).T)
        return _shrink(pixels)

    def close(self) -> None:
        """Frees the OpenGL context; calling it again has no effect."""
        if self._gl is None:
            return
        with self._gl:
            for _, renderer in self._renderers.values():
                renderer.free()
        self._gl.free()
        self._gl = self._scene = None
        self._renderers = {}
        atexit.unregister(self._at_exit)

    def __del__(self) -> None:
        if hasattr(self, "_at_exit"):  # otherwise OpenGL could not be loaded
            self.close()

    def _ready(self, model: mujoco.MjModel, slices: int) -> tuple[mujoco.MjrContext, GlScene]:
        """Returns the renderer and the scene of a model, renewed if the model has changed."""
        scene, known = self._scene, self._renderers.get(slices)
        if scene is None or scene.model is not model:
            scene = self._scene = GlScene(model, staged=self._staged, soft=self._soft)
            self._uploads = uploads_of(model)
        if known is None or known[0] != self._uploads:
            if known is not None:
                known[1].free()
            known = self._renderers[slices] = self._uploads, self._renderer_for(model, slices)
        return known[1], scene

    def _renderer_for(self, model: mujoco.MjModel, slices: int) -> mujoco.MjrContext:
        with gl_settings(model, soft=self._soft, slices=slices):
            renderer = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50)
        renderer.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        return renderer


def _viewport(renderer: mujoco.MjrContext, width: int, height: int) -> mujoco.MjrRect:
    """Returns a corner of the offscreen buffer, after enlarging the buffer if necessary."""
    if renderer.offWidth < width or renderer.offHeight < height:
        mujoco.mjr_resizeOffscreen(
            max(renderer.offWidth, width), max(renderer.offHeight, height), renderer
        )
    return mujoco.MjrRect(0, 0, width, height)


def _stored(depths: NDArray[np.float64], near: float, far: float) -> NDArray[np.float64]:
    """Converts depths [m] to values of the depth buffer: 1 at the near plane, 0 at the far one."""
    return near / depths * (far - depths) / (far - near)


def _shrink(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns the means of blocks of 2 x 2 pixels, many times as fast as ``mean``."""
    pairs = np.add(pixels[::2], pixels[1::2], dtype=np.uint16)
    fours = pairs[:, ::2] + pairs[:, 1::2] + np.uint16(2)
    return (fours >> 2).astype(np.uint8)


def _close(reference: weakref.ref[GlCamera]) -> None:
    camera = reference()
    if camera is not None:
        camera.close()

# SPDX-License-Identifier: Apache-2.0
"""A camera that draws with OpenGL."""

from __future__ import annotations

import atexit
import math
import weakref
from contextlib import nullcontext
from functools import partial

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_sync import CameraView

from .gl_context import GlContext
from .gl_scene import GlScene, gl_settings, horizon, slices_for, uploads_of
from .ray_casting import Lens
from .staging import Sky, staged_sky

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

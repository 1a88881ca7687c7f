# SPDX-License-Identifier: Apache-2.0
"""A camera that draws with OpenGL."""

from __future__ import annotations

import atexit
import weakref
from functools import partial

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.engine import mujoco
from deepsim_sync import CameraView

from .gl_context import GlContext
from .lens import Lens

_FINE = 2  # drawn pixels per pixel and direction; on a CPU cheaper than OpenGL's multisampling
_SHADOW_SIZE = 2048  # texels along the shadow map
_SKY_DEPTH = 0.7  # of the far clipping plane; there MuJoCo draws the sky
_MAX_LIGHTS = 8  # of fixed-function OpenGL, the headlight among them
_EVERYTHING = int(mujoco.mjtCatBit.mjCAT_ALL)
_POINT, _DIRECTIONAL = (
    int(mujoco.mjtLightType.mjLIGHT_POINT),
    int(mujoco.mjtLightType.mjLIGHT_DIRECTIONAL),
)


class GlCamera:
    """Draws with MuJoCo's renderer in an OpenGL context of its own.

    The context stays; a changed model is uploaded again only where it differs in meshes,
    textures, materials or planes. Use a camera in the thread that made it.

    Raises:
        GlUnavailableError: There is no OpenGL that MuJoCo can draw with.
    """

    def __init__(self) -> None:
        self._gl: GlContext | None = GlContext()
        self._renderer: mujoco.MjrContext | None = None
        self._uploads = b""
        self._model: mujoco.MjModel | None = None
        self._scene: mujoco.MjvScene | None = None
        self._options = _only_visuals()
        self._any_camera = mujoco.MjvCamera()
        # EGL ends at exit; whatever it holds must be freed before.
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
        """A picture of the present state; see :class:`Camera`.

        Things behind ``far`` disappear between ``far`` and 1.4 times ``far``.
        """
        if self._gl is None:
            raise ValueError("the camera is closed; open another one")
        self._gl.make_current()
        width, height = _FINE * view.width, _FINE * view.height
        renderer = self._prepare(model, width, height)
        scene = self._scene
        mujoco.mjv_updateScene(
            model, data, self._options, None, self._any_camera, _EVERYTHING, scene
        )
        lens = Lens(view)
        _aim(scene, lens, near, far / _SKY_DEPTH)


def _close(reference: weakref.ref[GlCamera]) -> None:
    camera = reference()
    if camera is not None:
        camera.close()

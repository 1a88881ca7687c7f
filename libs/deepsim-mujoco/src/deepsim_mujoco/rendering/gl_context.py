# SPDX-License-Identifier: Apache-2.0
"""OpenGL without a display."""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import Any

from deepsim_mujoco.imports import mujoco
from deepsim_sync import DeepSimError

_PLATFORM = "PYOPENGL_PLATFORM"
_BEFORE = "triton"
"""PyTorch brings this compiler along; it crashes if loaded after Mesa, which has another LLVM."""


class GlUnavailableError(DeepSimError):
    """OpenGL cannot be used on this machine; the message says why, and what to install."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"no OpenGL here ({reason}); on Debian or Ubuntu: "
            "apt install libegl1 libegl-mesa0 libgl1-mesa-dri"
        )
        self.reason = reason


class GlContext:
    """An OpenGL context that EGL creates, regardless of MUJOCO_GL.

    Raises:
        GlUnavailableError: MuJoCo cannot use OpenGL on this machine.
    """

    def __init__(self) -> None:
        platform = os.environ.get(_PLATFORM)
        if importlib.util.find_spec(_BEFORE):
            importlib.import_module(_BEFORE)
        try:
            # Loads the GL libraries, which must not happen before the first picture.
            self._egl = importlib.import_module("mujoco.egl")
            self._context = self._egl.GLContext(1, 1)
            with self:
                font = mujoco.mjtFontScale.mjFONTSCALE_50
                mujoco.MjrContext(mujoco.MjSpec().compile(), font).free()
        except Exception as error:  # PyOpenGL fails in many ways when a library is missing
            raise GlUnavailableError(f"{type(error).__name__}: {error}") from error
        finally:
            # mujoco.egl sets the variable, which would mislead child processes.
            if platform is None:
                os.environ.pop(_PLATFORM, None)

    def __enter__(self) -> None:
        """Makes this the current OpenGL context of the thread."""
        # There is one if garbage is collected in the middle of a picture, a camera among it.
        self._before = self._egl.EGL.eglGetCurrentContext()
        self._context.make_current()

    def __exit__(self, *error: object) -> None:
        """Releases the context, so that another thread can use it, and restores the previous."""
        self._make_current(self._before)

    def free(self) -> None:
        """Frees the context; another one that is current stays so."""
        current = self._egl.EGL.eglGetCurrentContext()
        self._context.free()
        if current:
            self._make_current(current)

    def _make_current(self, context: Any) -> None:
        egl = self._egl.EGL
        surface = egl.EGL_NO_SURFACE
        egl.eglMakeCurrent(self._egl.EGL_DISPLAY, surface, surface, context or egl.EGL_NO_CONTEXT)

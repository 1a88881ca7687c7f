# SPDX-License-Identifier: Apache-2.0
"""OpenGL without a window: by EGL on Linux, CGL on macOS, and GLFW on Windows."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import os
import sys
import threading
from typing import Any

from deepsim_mujoco.imports import mujoco
from deepsim_sync import DeepSimError

_PLATFORM = "PYOPENGL_PLATFORM"
_BEFORE = "triton"
"""PyTorch brings this compiler along; it crashes if loaded after Mesa, which has another LLVM."""
_ADVICE = {
    "darwin": "on macOS, a virtual machine may have no graphics card",
    "win32": "on Windows, install the driver of the graphics card; a remote desktop may hide it",
}
_CURRENT = threading.local()  # `context`: the current one of this thread
_APT = "apt install libegl1 libegl-mesa0 libgl1-mesa-dri"


class GlUnavailableError(DeepSimError):
    """OpenGL cannot be used on this machine; the message says why, and what to do.

    Attributes:
        reason: What failed.
        remedy: A command that installs OpenGL, or an empty string if there is none.
    """

    def __init__(self, reason: str) -> None:
        advice = _ADVICE.get(sys.platform)
        super().__init__(f"no OpenGL here ({reason}); {advice or f'on Debian or Ubuntu: {_APT}'}")
        self.reason = reason
        self.remedy = "" if advice else _APT


class GlContext:
    """An OpenGL context without a window, regardless of MUJOCO_GL.

    Attributes:
        is_software: Whether the processor draws, not a graphics card.

    Raises:
        GlUnavailableError: MuJoCo cannot use OpenGL on this machine.
    """

    def __init__(self) -> None:
        self._before: GlContext | None = None
        platform = os.environ.get(_PLATFORM)
        if importlib.util.find_spec(_BEFORE):
            importlib.import_module(_BEFORE)
        try:
            # Loads the GL libraries, which must not happen before the first picture.
            module, self._release = _BY_PLATFORM.get(sys.platform, ("mujoco.egl", _release_egl))
            self._windowing = importlib.import_module(module)
            self._context = self._windowing.GLContext(1, 1)
            with self:
                font = mujoco.mjtFontScale.mjFONTSCALE_50
                mujoco.MjrContext(mujoco.MjSpec().compile(), font).free()
                opengl = importlib.import_module("OpenGL.GL")
                self.is_software = b"llvmpipe" in opengl.glGetString(opengl.GL_RENDERER)
        except Exception as error:  # PyOpenGL fails in many ways when a library is missing
            raise GlUnavailableError(f"{type(error).__name__}: {error}") from error
        finally:
            # mujoco.egl sets the variable, which would mislead child processes.
            if platform is None:
                os.environ.pop(_PLATFORM, None)

    def __enter__(self) -> None:
        """Makes this the current OpenGL context of the thread."""
        # There is one if garbage is collected in the middle of a picture, a camera among it.
        self._before = getattr(_CURRENT, "context", None)
        self._make_current(self)

    def __exit__(self, *error: object) -> None:
        """Releases the context for other threads; the one before it is current again."""
        self._release(self._windowing)
        self._make_current(self._before)

    def free(self) -> None:
        """Frees the context; another one that is current stays so."""
        current = getattr(_CURRENT, "context", None)
        self._context.free()
        self._make_current(None if current is self else current)

    @staticmethod
    def _make_current(context: GlContext | None) -> None:
        _CURRENT.context = context
        if context is not None:
            context._context.make_current()


def _release_egl(windowing: Any) -> None:
    egl = windowing.EGL
    nothing = (egl.EGL_NO_SURFACE, egl.EGL_NO_SURFACE, egl.EGL_NO_CONTEXT)
    egl.eglMakeCurrent(windowing.EGL_DISPLAY, *nothing)


def _release_cgl(windowing: Any) -> None:
    opengl = ctypes.CDLL("/System/Library/Frameworks/OpenGL.framework/OpenGL")
    opengl.CGLGetCurrentContext.restype = ctypes.c_void_p
    windowing.cgl.CGLUnlockContext(opengl.CGLGetCurrentContext())  # make_current locks it
    windowing.cgl.CGLSetCurrentContext(None)


def _release_glfw(windowing: Any) -> None:
    windowing.glfw.make_context_current(None)


_BY_PLATFORM = {
    "darwin": ("mujoco.cgl", _release_cgl),
    "win32": ("mujoco.glfw", _release_glfw),
}
"""The module of MuJoCo that makes contexts, and what releases one; elsewhere EGL."""

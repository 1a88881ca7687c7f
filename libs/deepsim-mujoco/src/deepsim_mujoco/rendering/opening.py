# SPDX-License-Identifier: Apache-2.0
"""The best camera that this machine can have."""

from __future__ import annotations

import logging
from functools import cache
from typing import Literal

from .camera import Camera
from .gl_camera import GlCamera
from .gl_context import GlUnavailableError
from .rays.camera import RayCamera

_LOG = logging.getLogger("deepsim_mujoco")


def open_camera(prefer: Literal["auto", "gl", "ray"] = "auto") -> Camera:
    """Opens a camera.

    Args:
        prefer: ``gl`` draws with OpenGL, ``ray`` casts rays and loads no OpenGL; ``auto`` draws
            with OpenGL where it can, and where it cannot says so once and casts rays.

    Raises:
        GlUnavailableError: ``gl`` was asked for, and this machine lacks OpenGL.
        ValueError: ``prefer`` is something else.
    """
    if prefer not in ("auto", "gl", "ray"):
        raise ValueError(f"prefer must be 'auto', 'gl' or 'ray', got {prefer!r}")
    if prefer != "ray":
        try:
            return GlCamera()
        except GlUnavailableError as error:
            if prefer == "gl":
                raise
            _tell_once(str(error))
    return RayCamera()


@cache
def _tell_once(message: str) -> None:
    _LOG.warning("pictures come from cast rays, with hard edges and without textures: %s", message)

# SPDX-License-Identifier: Apache-2.0
"""Pictures of a MuJoCo model: by OpenGL without a display, or by rays without OpenGL.

Everything here takes MuJoCo's own objects. Visible are the geoms of group 2; what they look like,
the lights, the sky and the pattern of the ground are read from the model at each picture, so
that run-time edits show. OpenGL is loaded when the first camera is opened, not at import.
"""

from __future__ import annotations

from .camera import Camera
from .checker import add_checker
from .gl_camera import GlCamera
from .gl_context import GlUnavailableError
from .opening import open_camera
from .rays.camera import RayCamera
from .rays.depth import measure_depth
from .sky import add_sky

__all__ = [
    "Camera",
    "GlCamera",
    "GlUnavailableError",
    "RayCamera",
    "add_checker",
    "add_sky",
    "measure_depth",
    "open_camera",
]

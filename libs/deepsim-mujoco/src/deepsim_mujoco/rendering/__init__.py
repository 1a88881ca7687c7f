# SPDX-License-Identifier: Apache-2.0
"""Pictures of a MuJoCo model, drawn by OpenGL without a display, or by ray casting.

Cameras draw the geoms of group 2 of a MuJoCo model. They read colours, lights, the sky and the
pattern of the ground from the model for each picture, so that run-time edits show. Opening the
first camera loads OpenGL; the import does not.
"""

from __future__ import annotations

from .camera import Camera, open_camera
from .gl_camera import GlCamera
from .gl_context import GlUnavailableError
from .ray_camera import RayCamera
from .ray_casting import measure_depth
from .staging import RGB_ROLE, add_checker, add_relief, add_sky

__all__ = [
    "RGB_ROLE",
    "Camera",
    "GlCamera",
    "GlUnavailableError",
    "RayCamera",
    "add_checker",
    "add_relief",
    "add_sky",
    "measure_depth",
    "open_camera",
]

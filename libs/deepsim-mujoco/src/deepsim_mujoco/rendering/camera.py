# SPDX-License-Identifier: Apache-2.0
"""The interface of cameras, and the choice of the best one for this machine."""

from __future__ import annotations

import logging
from functools import cache
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from deepsim_mujoco.imports import mujoco
from deepsim_sync import CameraView

from .gl_camera import GlCamera
from .gl_context import GlUnavailableError
from .ray_camera import RayCamera

_LOG = logging.getLogger("deepsim_mujoco")


class Camera(Protocol):
    """A camera that takes pictures of any model from any pose, and keeps resources for the next."""

    def render(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        view: CameraView,
        near: float,
        far: float,
    ) -> NDArray[np.uint8]:
        """Returns a picture of the present state.

        Args:
            model: The model, which may differ from that of the last picture.
            data: Data with present poses of geoms and lights (after ``mj_kinematics`` and
                ``mj_camlight``, or any step).
            view: Pose and lens of the camera, and size of the picture.
            near: Nearest visible depth [m], > 0.
            far: Farthest visible depth [m], > near.

        Returns:
            The picture, (height, width, 3) RGB, a new array.
        """
        ...

    def close(self) -> None:
        """Frees the camera's resources; calling it again has no effect."""
        ...


def open_camera(
    prefer: Literal["auto", "gl", "ray"] = "auto",
    *,
    staged: bool = False,
    soft: bool | None = None,
) -> Camera:
    """Opens a camera.

    Args:
        prefer: ``gl`` draws with OpenGL, ``ray`` casts rays without loading OpenGL. ``auto`` uses
            OpenGL if possible; otherwise it logs a warning once and casts rays.
        staged: Whether the pictures are for people: with a sky if the world names no background,
            with the shadows of a sun if no light of the world casts any, and, in OpenGL, with a
            checkered ground that reflects a little. The world's own sky, background and lights
            stay, and so does a scene without shadows.
        soft: Whether shadows in pictures for people have soft edges, which OpenGL alone draws;
            by default if a graphics card draws, because a processor takes twice as long.

    Raises:
        GlUnavailableError: `prefer` is ``gl``, and OpenGL cannot be used.
    """
    if prefer not in ("auto", "gl", "ray"):
        raise ValueError(f"prefer must be 'auto', 'gl' or 'ray', got {prefer!r}")
    if prefer != "ray":
        try:
            return GlCamera(staged=staged, soft=soft)
        except GlUnavailableError as error:
            if prefer == "gl":
                raise
            _tell_once(str(error))
    return RayCamera(staged=staged)


@cache
def _tell_once(message: str) -> None:
    _LOG.warning("pictures come from cast rays, with hard edges and without textures: %s", message)

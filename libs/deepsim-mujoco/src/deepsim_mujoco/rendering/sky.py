# SPDX-License-Identifier: Apache-2.0
"""The background: MuJoCo's skybox, a textured cube around the world."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Color
from deepsim_mujoco.engine import mujoco

Array = NDArray[np.float64]

_NAME = "#sky"
_TEXELS = 64  # along an edge of the cube
_ZENITH = Color(0.36, 0.56, 0.80)
_HORIZON = Color(0.83, 0.89, 0.94)
_SIDE, _TOP = 0, 2  # indices of two of the six faces in MuJoCo's texture


def add_sky(spec: mujoco.MjSpec, zenith: Color = _ZENITH, horizon: Color = _HORIZON) -> None:
    """Adds a sky to a world; without one, MuJoCo leaves the background black.

    Args:
        spec: Spec of a world without a sky.
        zenith: Colour overhead.
        horizon: Colour at and below the horizon; if equal to `zenith`, the background is plain.
    """
    side, top = _sines(_TEXELS)
    sine = np.stack([side, side, top, -top, side, side])
    blend = np.sqrt(np.clip(sine, 0.0, 1.0))[..., None]  # changes most near the horizon
    colours = (1 - blend) * np.array(horizon)[:3] + blend * np.array(zenith)[:3]
    texture = spec.add_texture(name=_NAME, type=mujoco.mjtTexture.mjTEXTURE_SKYBOX)
    texture.width, texture.height, texture.nchannel = _TEXELS, len(sine) * _TEXELS, 3
    texture.data = np.rint(255 * colours).astype(np.uint8).tobytes()


def _sines(edge: int) -> tuple[Array, Array]:
    """Returns the sines of the elevations of the texels of a side and of the top, (edge, edge)."""
    place = (np.arange(edge) + 0.5) / edge * 2 - 1
    distance = np.sqrt(1 + place**2 + place[:, None] ** 2)
    return -place[:, None] / distance, 1 / distance


class Sky:
    """The sky of a compiled model, the same in all horizontal directions; black without one."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._sines, self._colours = np.zeros(1), np.zeros((3, 1))
        boxes = np.flatnonzero(model.tex_type == mujoco.mjtTexture.mjTEXTURE_SKYBOX)
        if boxes.size:
            box = boxes[0]  # MuJoCo draws the first one too
            edge, start = model.tex_width[box], model.tex_adr[box]
            shape = (6, edge, edge, model.tex_nchannel[box])
            texels = model.tex_data[start : start + np.prod(shape)].reshape(shape)[..., :3] / 255
            (side, top), middle = _sines(edge), edge // 2
            # From the lowest texel in the middle of a side up to the middle of the top.
            self._sines = np.concatenate([side[::-1, middle], top[middle, :middle]])
            upwards = [texels[_SIDE, ::-1, middle], texels[_TOP, middle, :middle]]
            self._colours = np.concatenate(upwards).T.copy()

    def colours(self, rays: Array) -> NDArray[np.float32]:
        """Returns RGB colours (3, n) in 0..1 along rays (3, n) of any length."""
        sines = rays[2] / np.sqrt(np.einsum("ij,ij->j", rays, rays))
        channels = [np.interp(sines, self._sines, channel) for channel in self._colours]
        return np.array(channels, np.float32)

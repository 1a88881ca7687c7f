# SPDX-License-Identifier: Apache-2.0
"""What lies behind everything: MuJoCo's skybox, a cube around the world painted on its inside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Color
from deepsim_mujoco.engine import mujoco

Indices = NDArray[np.intp]

_NAME = "#sky"
_TEXELS = 64  # along an edge of the cube
_ZENITH = Color(0.36, 0.56, 0.80)
_HORIZON = Color(0.83, 0.89, 0.94)

# Of each face, in the order of MuJoCo's texture: where it is, and which way its columns and its
# rows run. Found by painting the faces and looking at them.
_FACES = np.array(
    [
        [(1, 0, 0), (0, 1, 0), (0, 0, -1)],
        [(-1, 0, 0), (0, -1, 0), (0, 0, -1)],
        [(0, 0, 1), (1, 0, 0), (0, -1, 0)],
        [(0, 0, -1), (1, 0, 0), (0, 1, 0)],
        [(0, -1, 0), (1, 0, 0), (0, 0, -1)],
        [(0, 1, 0), (-1, 0, 0), (0, 0, -1)],
    ],
    dtype=np.float64,
)
_FACE_OF_AXIS = np.array([[1, 0], [4, 5], [3, 2]])  # by axis x, y, z and whether it is positive


def add_sky(spec: mujoco.MjSpec, zenith: Color = _ZENITH, horizon: Color = _HORIZON) -> None:
    """Gives a world a sky; without one, MuJoCo leaves the background black.

    Args:
        spec: A world that has no sky yet.
        zenith: Colour overhead.
        horizon: Colour at the horizon and of all below it; give the same colour twice for a
            plain background.
    """
    centres = (np.arange(_TEXELS) + 0.5) / _TEXELS * 2 - 1
    normal, along, down = (_FACES[:, None, None, i] for i in range(3))
    directions = normal + along * centres[:, None] + down * centres[:, None, None]
    sine = directions[..., 2] / np.linalg.norm(directions, axis=-1)
    blend = np.sqrt(np.clip(sine, 0.0, 1.0))[..., None]  # most of the change is low in the sky
    colours = (1 - blend) * np.array(horizon)[:3] + blend * np.array(zenith)[:3]
    texture = spec.add_texture(name=_NAME, type=mujoco.mjtTexture.mjTEXTURE_SKYBOX)
    texture.width, texture.height, texture.nchannel = _TEXELS, len(_FACES) * _TEXELS, 3
    texture.data = np.rint(255 * colours).astype(np.uint8).tobytes()


class Sky:
    """The sky of a compiled model, seen along rays."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self._faces = np.zeros((len(_FACES), 1, 1, 3), np.float32)
        boxes = np.flatnonzero(model.tex_type == mujoco.mjtTexture.mjTEXTURE_SKYBOX)
        if boxes.size:
            box = boxes[0]  # MuJoCo draws the first one too
            edge, channels = model.tex_width[box], model.tex_nchannel[box]
            shape = (len(_FACES), edge, edge, channels)
            start = model.tex_adr[box]
            texels = model.tex_data[start : start + np.prod(shape)].reshape(shape)
            self._faces = texels[..., :3].astype(np.float32) / 255

    def colours(self, rays: NDArray[np.float64]) -> NDArray[np.float32]:
        """(3, n) RGB in 0..1 along (3, n) rays of any length, blended from four texels."""
        axis = np.abs(rays).argmax(axis=0)
        reach = np.take_along_axis(rays, axis[None], axis=0)[0]
        face = _FACE_OF_AXIS[axis, (reach > 0).astype(np.intp)]
        left, right, x = self._texels(rays, _FACES[face, 1], np.abs(reach))
        above, below, y = self._texels(rays, _FACES[face, 2], np.abs(reach))
        upper = (1 - x) * self._faces[face, above, left] + x * self._faces[face, above, right]
        lower = (1 - x) * self._faces[face, below, left] + x * self._faces[face, below, right]
        blend: NDArray[np.float32] = (1 - y) * upper + y * lower
        return blend.T

    def _texels(
        self, rays: NDArray[np.float64], directions: NDArray[np.float64], reach: NDArray[np.float64]
    ) -> tuple[Indices, Indices, NDArray[np.float32]]:
        """Along one side of the faces: the texels on either side, (n, 1) weights of the second."""
        last = self._faces.shape[1] - 1
        across = np.einsum("ji,ij->i", rays, directions) / reach  # -1..1
        place = np.clip((across + 1) / 2 * (last + 1) - 0.5, 0, last)
        before = place.astype(np.intp)
        weight = (place - before).astype(np.float32)[:, None]
        return before, np.minimum(before + 1, last), weight

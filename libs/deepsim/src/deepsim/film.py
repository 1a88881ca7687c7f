# SPDX-License-Identifier: Apache-2.0
"""Films a world, as GIF or MP4."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from deepsim_envs import Environment
from deepsim_sync import Cameras, CameraView, DeepSimError, UnsupportedError

FPS = 10
"""Frames per simulated second."""


class VideoFormat(str, Enum):
    """How a film is written."""

    GIF = "gif"
    MP4 = "mp4"
    NONE = "none"


class Film:
    """Pictures of a world at even intervals of simulated time.

    Args:
        environment: Whose world is filmed.
        camera: Where from.

    Raises:
        UnsupportedError: The simulator takes no pictures.
    """

    def __init__(self, environment: Environment, camera: CameraView | str) -> None:
        simulator = environment.world.simulator
        if not isinstance(simulator, Cameras):
            raise UnsupportedError(f"{type(simulator).__name__} has no cameras to film with")
        self._simulator = simulator
        self._world = environment.world
        self._camera = camera
        self.frames: list[NDArray[np.uint8]] = []

    def shoot(self) -> None:
        """Takes a picture, if the time for the next one has come."""
        if self._world.time * FPS >= len(self.frames) - 1e-6:
            self.frames.append(self._simulator.render(self._camera))

    def write(self, path: Path) -> None:
        """Writes the film.

        Args:
            path: Ends in .gif, or in .mp4 (which needs ``pip install 'deepsim[video]'``).

        Raises:
            DeepSimError: The extra is not installed.
        """
        if path.suffix == ".mp4":
            _write_mp4(path, self.frames)
        else:
            _write_gif(path, self.frames)


def _write_gif(path: Path, frames: list[NDArray[np.uint8]]) -> None:
    # One palette for all frames, and no dithering, keep still parts still and the file small.
    sample = np.concatenate(frames[:: max(1, len(frames) // 8)])
    palette = Image.fromarray(sample).quantize(128)
    images = [
        Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in frames
    ]
    images[0].save(path, save_all=True, append_images=images[1:], duration=1000 // FPS, loop=0)


def _write_mp4(path: Path, frames: list[NDArray[np.uint8]]) -> None:
    try:
        import imageio.v3 as imageio  # noqa: PLC0415 (of an extra)
    except ImportError:
        raise DeepSimError(f"{path} needs an extra: pip install 'deepsim[video]'") from None
    imageio.imwrite(path, np.stack(frames), plugin="pyav", codec="h264", fps=FPS)

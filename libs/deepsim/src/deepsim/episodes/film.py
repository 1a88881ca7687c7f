# SPDX-License-Identifier: Apache-2.0
"""Films a world as GIF or MP4."""

from __future__ import annotations

import math
from enum import Enum
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from deepsim_sync import CameraView, DeepSimError, UnsupportedError, World

FPS = 10
"""Frames per simulated second."""


class VideoFormat(str, Enum):
    """The formats of a film."""

    GIF = "gif"
    MP4 = "mp4"
    NONE = "none"


class Film:
    """A film of a world, with pictures at equal intervals of simulated time.

    Args:
        world: World to film.
        camera: Free camera, or name of a camera sensor.
        path: Output file: .gif, or .mp4 (which needs the extra ``video``).
        number: Number of the world, if there are several.

    Attributes:
        path: Output file.
        frames: The pictures taken so far, each (height, width, 3) uint8, RGB.

    Raises:
        UnsupportedError: The simulator takes no pictures.
        DeepSimError: The extra for .mp4 is not installed.
    """

    def __init__(self, world: World, camera: CameraView | str, path: Path, number: int = 0) -> None:
        if world.simulator.cameras is None:
            raise UnsupportedError(
                f"{type(world.simulator).__name__} takes no pictures to film: use --video none"
            )
        if path.suffix == ".mp4" and not (find_spec("imageio") and find_spec("av")):
            raise DeepSimError(
                f"{path} needs an extra: pip install --find-links dist 'deepsim[video]'"
            )
        self.path = path
        self.frames: list[NDArray[np.uint8]] = []
        self._world = world
        self._camera = camera
        self._number = number
        self._start = 0.0

    def shoot(self) -> None:
        """Takes a picture if one is due.

        If several are due because a step was long, the previous picture fills the gap.
        """
        now = float(self._world.time[self._number])
        if not self.frames:
            self._start = now
        due = math.floor((now - self._start) * FPS + 1e-6) + 1 - len(self.frames)
        if due > 0:
            self.frames += self.frames[-1:] * (due - 1)
            self.frames.append(self._world.render(self._camera, self._number))

    def write(self) -> None:
        """Writes the film; at least one picture must have been taken."""
        if self.path.suffix == ".mp4":
            _write_mp4(self.path, self.frames)
        else:
            _write_gif(self.path, self.frames)


def _write_gif(path: Path, frames: list[NDArray[np.uint8]]) -> None:
    # One palette without dithering for all frames: static parts do not flicker, the file is small.
    sample = np.concatenate(frames[:: max(1, len(frames) // 8)])
    palette = Image.fromarray(sample).quantize(128)
    images = [
        Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in frames
    ]
    images[0].save(path, save_all=True, append_images=images[1:], duration=1000 // FPS, loop=0)


def _write_mp4(path: Path, frames: list[NDArray[np.uint8]]) -> None:
    import imageio.v3 as imageio  # noqa: PLC0415 (of an extra)

    imageio.imwrite(path, np.stack(frames), plugin="pyav", codec="h264", fps=FPS)

# SPDX-License-Identifier: Apache-2.0
"""Films as the commands write them: the extra ``video`` adds MP4."""

from __future__ import annotations

from enum import Enum
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from deepsim_sync import CameraView, DeepSimError, World
from deepsim_train import film
from deepsim_train.film import FPS


class VideoFormat(str, Enum):
    """The formats of a film."""

    WEBP = "webp"
    GIF = "gif"
    MP4 = "mp4"
    NONE = "none"


class Film(film.Film):
    """A film of a world, with pictures at equal intervals of simulated time.

    The arguments are those of `deepsim_train.film.Film`; the path may also be an .mp4.

    Raises:
        UnsupportedError: The simulator takes no pictures.
        DeepSimError: The extra for .mp4 is not installed.
    """

    def __init__(
        self,
        world: World,
        camera: CameraView | str,
        path: Path,
        number: int | None = 0,
        *,
        fps: int = FPS,
    ) -> None:
        super().__init__(world, camera, path, number, fps=fps)
        if path.suffix == ".mp4" and not (find_spec("imageio") and find_spec("av")):
            raise DeepSimError(
                f"{path} needs an extra: pip install --find-links dist 'deepsim[video]'"
            )

    def write(self) -> None:
        """Writes the film; at least one picture must have been taken."""
        if self.path.suffix != ".mp4":
            super().write()
            return
        import imageio.v3 as imageio  # noqa: PLC0415 (of an extra)

        frames = np.stack(self.frames)
        imageio.imwrite(self.path, frames, plugin="pyav", codec="h264", fps=self.fps)

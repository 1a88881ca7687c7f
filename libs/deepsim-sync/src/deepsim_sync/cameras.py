# SPDX-License-Identifier: Apache-2.0
"""The optional capability to take pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Euler, Pose


@dataclass(frozen=True)
class CameraView:
    """A free camera, for pictures from where no sensor is.

    Attributes:
        pose: In the world frame; the camera looks along its +x axis, +z is up in the picture.
        horizontal_fov: [rad], in (0, pi).
        width: [pixels].
        height: [pixels].
    """

    pose: Pose
    horizontal_fov: float = 1.0472
    width: int = 320
    height: int = 240

    @classmethod
    def from_above(
        cls,
        x: float,
        y: float,
        height: float,
        *,
        horizontal_fov: float = 1.0472,
        size: tuple[int, int] = (320, 240),
    ) -> CameraView:
        """A camera that looks straight down, +y up in the picture: a map.

        Args:
            x: Place in the world that is in the middle of the picture [m].
            y: The same along y [m].
            height: Height of the camera [m].
            horizontal_fov: Full horizontal angle of view [rad].
            size: Width and height of the picture [pixels].
        """
        down = Euler(0.0, math.pi / 2, math.pi / 2)
        return cls(Pose((x, y, height), down), horizontal_fov, *size)

    def __post_init__(self) -> None:
        if not 0.0 < self.horizontal_fov < np.pi:
            raise ValueError(f"horizontal_fov must lie in (0, pi) rad, got {self.horizontal_fov}")
        if self.width < 1 or self.height < 1:
            raise ValueError(f"a picture needs >= 1 pixel, got {self.width} x {self.height}")


@runtime_checkable
class Cameras(Protocol):
    """A simulator that renders; ask for it by ``isinstance(simulator, Cameras)``."""

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``."""
        ...

    def render(self, camera: str | CameraView) -> NDArray[np.uint8]:
        """A picture at the present instant.

        Args:
            camera: The name of a camera sensor, or a free camera.

        Returns:
            (height, width, 3) RGB, a new array.

        Raises:
            UnknownEntityError: No camera sensor has the name.
        """
        ...

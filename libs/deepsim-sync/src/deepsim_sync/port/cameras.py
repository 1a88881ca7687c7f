# SPDX-License-Identifier: Apache-2.0
"""The capabilities to take pictures, and to move camera sensors on their links."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

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


class CameraMount(NamedTuple):
    """The pose of a camera sensor on its link, and its angle of view."""

    pose: Pose
    """In the frame of its link; the camera looks along its +x axis, +z is up in the picture."""
    horizontal_fov: float
    """[rad], in (0, pi)."""

    def checked(self, camera: str) -> CameraMount:
        """This mount, its quaternion of unit length.

        Args:
            camera: Whose mount it is, for messages.

        Raises:
            ValueError: The pose is not finite or has no rotation, or the angle is not in (0, pi).
        """
        if not 0.0 < self.horizontal_fov < math.pi:
            raise ValueError(
                f"horizontal_fov of camera {camera!r} must lie in (0, pi) rad, "
                f"got {self.horizontal_fov}"
            )
        position, orientation = self.pose.position, self.pose.orientation
        if not all(map(math.isfinite, self.pose)) or not any(orientation):
            raise ValueError(
                f"pose of camera {camera!r} must be finite, with a quaternion that is not zero, "
                f"got {self.pose}"
            )
        return CameraMount(Pose(position, orientation.normalized()), self.horizontal_fov)


class Cameras(Protocol):
    """Takes pictures of any world."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``."""
        ...

    def render(self, camera: str | CameraView, world: int = 0) -> NDArray[np.uint8]:
        """Takes a picture at the present instant.

        Args:
            camera: The name of a camera sensor, or a free camera.
            world: The world that is shown.

        Returns:
            (height, width, 3) RGB, a new array.

        Raises:
            UnknownEntityError: No camera sensor has the name.
        """
        ...


class CameraMounts(Protocol):
    """Moves camera sensors on their links, and changes their lenses, world by world.

    Mounts are as described when a camera is spawned and after each reset of its world.
    """

    def get(self, camera: str, world: int = 0) -> CameraMount:
        """Returns the present mount of a camera sensor.

        Raises:
            UnknownEntityError: No camera sensor has the name ``model::link::sensor``.
        """
        ...

    def described(self, camera: str) -> CameraMount:
        """Returns the mount in the model's description.

        Raises:
            UnknownEntityError: No camera sensor has the name.
        """
        ...

    def set(self, camera: str, mount: CameraMount, worlds: NDArray[np.intp] | None = None) -> None:
        """Mounts a camera sensor in some worlds; its next picture is taken from there.

        Raises:
            UnknownEntityError: No camera sensor has the name.
            ValueError: The mount is not fit; nothing was changed.
        """
        ...

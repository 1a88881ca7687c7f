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
    """A free camera, for pictures from places without a sensor.

    >>> CameraView(Pose(), width=4, height=3).intrinsic.round(2)
    array([[3.46, 0.  , 2.  ],
           [0.  , 3.46, 1.5 ],
           [0.  , 0.  , 1.  ]])

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
        """Returns a camera that looks straight down, +y up in the picture: a map.

        Args:
            x: Place in the middle of the picture [m].
            y: The same along y [m].
            height: Height of the camera [m].
            horizontal_fov: Full horizontal angle of view [rad].
            size: Width and height of the picture [pixels].
        """
        down = Euler(0.0, math.pi / 2, math.pi / 2)
        return cls(Pose((x, y, height), down), horizontal_fov, *size)

    @property
    def intrinsic(self) -> NDArray[np.float64]:
        """(3, 3) from points of the computer-vision frame to pixels, times the depth.

        The axes are x right, y down, z forward; the centre of the first pixel is (0.5, 0.5).
        """
        focal = self.width / 2 / math.tan(self.horizontal_fov / 2)
        return np.array(
            [[focal, 0.0, self.width / 2], [0.0, focal, self.height / 2], [0.0, 0.0, 1.0]]
        )

    @property
    def extrinsic_cv(self) -> NDArray[np.float64]:
        """(3, 4) from the world to the computer-vision frame: x right, y down, z forward."""
        axes = np.stack(
            [-np.array(self.pose.left), -np.array(self.pose.up), np.array(self.pose.forward)]
        )
        return np.column_stack([axes, -axes @ np.array(self.pose.position)])

    @property
    def cam2world_gl(self) -> NDArray[np.float64]:
        """(4, 4) from OpenGL's camera frame to the world: x right, y up, z backward."""
        matrix = np.eye(4)
        matrix[:3, 0] = -np.array(self.pose.left)
        matrix[:3, 1] = self.pose.up
        matrix[:3, 2] = -np.array(self.pose.forward)
        matrix[:3, 3] = self.pose.position
        return matrix

    def points(self, depth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the point cloud of a picture, (k, 3) in the world frame, row by row [m].

        Args:
            depth: (height, width) along the optical axis [m]; infinite ones have no point.
        """
        rows, columns = np.nonzero(np.isfinite(depth))
        along = depth[rows, columns]
        focal, _, middle = self.intrinsic[0]
        right = (columns + 0.5 - middle) / focal * along
        up = (self.height / 2 - rows - 0.5) / focal * along
        in_camera = np.stack([right, up, -along, np.ones_like(along)], axis=-1)
        points: NDArray[np.float64] = np.einsum("ij,kj->ki", self.cam2world_gl[:3], in_camera)
        return points

    def __post_init__(self) -> None:
        if not 0.0 < self.horizontal_fov < np.pi:
            raise ValueError(f"horizontal_fov must lie in (0, pi) rad, got {self.horizontal_fov}")
        if self.width < 1 or self.height < 1:
            raise ValueError(f"a picture needs >= 1 pixel, got {self.width} x {self.height}")


class DepthPicture(NamedTuple):
    """The first surfaces along the rays through the middles of the pixels."""

    depth: NDArray[np.float64]
    """(height, width) along the optical axis [m]: -z of OpenGL's camera frame; inf for nothing."""
    models: NDArray[np.intp]
    """(height, width) rows of the innermost models; -1 for nothing."""
    links: NDArray[np.intp]
    """(height, width) rows of the links; -1 for nothing."""


class CameraMount(NamedTuple):
    """The pose of a camera sensor on its link, and its angle of view.

    >>> CameraMount(Pose((0, 0, 0.1)), horizontal_fov=1.2).pose.position.z
    0.1
    """

    pose: Pose
    """In the frame of its link; the camera looks along its +x axis, +z is up in the picture."""
    horizontal_fov: float
    """[rad], in (0, pi)."""

    def checked(self, camera: str) -> CameraMount:
        """Returns this mount with a unit quaternion; `camera` is its name, for messages.

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
    """Takes pictures of any world; an unknown camera sensor raises `UnknownEntityError`.

    Example::

        simulator.cameras.render("robot::head::eye", world=3)  # (height, width, 3)
    """

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
        """
        ...


class DepthCameras(Protocol):
    """Measures with camera sensors, which all take pictures too, and with free cameras.

    An unknown camera sensor raises `UnknownEntityError`.
    """

    def view(self, camera: str, world: int = 0) -> CameraView:
        """Returns the present pose and lens of a camera sensor, as a free camera."""
        ...

    def measure(self, camera: str | CameraView, world: int = 0) -> DepthPicture:
        """Measures depths, models and links at the present instant.

        Every visible surface counts, translucent ones too, up to the far plane of the camera.
        """
        ...


class CameraMounts(Protocol):
    """Moves camera sensors on their links, and changes their lenses, world by world.

    Mounts are as described when a camera is spawned and after each reset of its world. An unknown
    camera sensor raises `UnknownEntityError`, an unfit mount `ValueError`, and nothing changes.
    """

    def get(self, camera: str, world: int = 0) -> CameraMount:
        """Returns the present mount of a camera sensor."""
        ...

    def described(self, camera: str) -> CameraMount:
        """Returns the mount in the model's description."""
        ...

    def set(self, camera: str, mount: CameraMount, worlds: NDArray[np.intp] | None = None) -> None:
        """Mounts a camera sensor in some worlds; its next picture is taken from there."""
        ...

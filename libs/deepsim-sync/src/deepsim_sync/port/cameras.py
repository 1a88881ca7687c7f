# SPDX-License-Identifier: Apache-2.0
"""Capabilities: taking pictures, measuring depths, and moving camera sensors on their links."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Euler, Pose


@dataclass(frozen=True)
class CameraView:
    """A free camera, which takes pictures without a camera sensor.

    It stands still, follows a model, or orbits: it then turns about a vertical axis through the
    followed model, or through the world's origin.

    >>> CameraView(Pose(), width=4, height=3).intrinsic.round(2)
    array([[3.46, 0.  , 2.  ],
           [0.  , 3.46, 1.5 ],
           [0.  , 0.  , 1.  ]])

    Attributes:
        pose: Pose in the world frame; the camera looks along its +x axis, with +z up. While it
            follows a model, x and y are relative to the model's.
        horizontal_fov: Full horizontal angle of view [rad], in (0, pi).
        width: Width of the picture [pixels].
        height: Height of the picture [pixels].
        follows: Name of the model that it follows; None for a camera that stays.
        orbit_rate: Rate at which it turns about the vertical axis, starting at time 0 [rad/s].
    """

    pose: Pose
    horizontal_fov: float = 1.0472
    width: int = 320
    height: int = 240
    follows: str | None = None
    orbit_rate: float = 0.0

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
        """Returns a camera above a point (x, y) that looks straight down, with +y up.

        Args:
            x: World x at the middle of the picture [m].
            y: World y at the middle of the picture [m].
            height: Height of the camera [m].
            horizontal_fov: Full horizontal angle of view [rad].
            size: Width and height of the picture [pixels].
        """
        down = Euler(0.0, math.pi / 2, math.pi / 2)
        return cls(Pose((x, y, height), down), horizontal_fov, *size)

    @classmethod
    def look_at(
        cls,
        eye: Iterable[float],
        target: Iterable[float],
        *,
        horizontal_fov: float = 1.0472,
        size: tuple[int, int] = (320, 240),
    ) -> CameraView:
        """Returns a camera that looks at a point, without roll.

        >>> view = CameraView.look_at((0.0, -2.0, 1.0), (0.0, 0.0, 1.0))
        >>> np.round(np.array(view.pose.forward), 12).tolist()
        [0.0, 1.0, 0.0]

        Args:
            eye: Position of the camera, (3,) [m] in the world frame.
            target: The point in the middle of the picture, (3,) [m] in the world frame.
            horizontal_fov: Full horizontal angle of view [rad].
            size: Width and height of the picture [pixels].

        Raises:
            ValueError: The two points are the same, or not finite.
        """
        at = np.array([*eye], dtype=np.float64)
        x, y, z = (np.array([*target], dtype=np.float64) - at).tolist()
        if not 0.0 < math.hypot(x, y, z) < math.inf:
            raise ValueError(
                f"eye and target must be two finite points, got {at.tolist()} and {target}"
            )
        yaw = math.atan2(y, x) if x or y else math.pi / 2  # straight down has +y up
        turn = Euler(0.0, -math.atan2(z, math.hypot(x, y)), yaw)
        return cls(Pose(at, turn), horizontal_fov, *size)

    def standing(self, time: float, followed: Iterable[float] = (0.0, 0.0)) -> CameraView:
        """Returns the camera at one instant: one that neither follows nor orbits.

        >>> view = CameraView(Pose((-2.0, 0.0, 1.0)), follows="car", orbit_rate=math.pi)
        >>> view.standing(0.5, (10.0, 0.0)).pose.position.y
        -2.0

        Args:
            time: Time of the world [s].
            followed: x and y of the followed model in the world frame [m].
        """
        turn = Pose((*followed, 0.0), Euler(0.0, 0.0, self.orbit_rate * time))
        return replace(self, pose=turn @ self.pose, follows=None, orbit_rate=0.0)

    @property
    def intrinsic(self) -> NDArray[np.float64]:
        """Intrinsic matrix, (3, 3), from the computer-vision frame to pixels times depth.

        The frame has x right, y down, z forward; the centre of the first pixel is (0.5, 0.5).
        """
        focal = self.width / 2 / math.tan(self.horizontal_fov / 2)
        return np.array(
            [[focal, 0.0, self.width / 2], [0.0, focal, self.height / 2], [0.0, 0.0, 1.0]]
        )

    @property
    def extrinsic_cv(self) -> NDArray[np.float64]:
        """Matrix, (3, 4), from the world to the computer-vision frame of `intrinsic`."""
        axes = np.stack(
            [-np.array(self.pose.left), -np.array(self.pose.up), np.array(self.pose.forward)]
        )
        return np.column_stack([axes, -axes @ np.array(self.pose.position)])

    @property
    def cam2world_gl(self) -> NDArray[np.float64]:
        """Matrix, (4, 4), from OpenGL's camera frame (x right, y up, z backward) to the world."""
        matrix = np.eye(4)
        matrix[:3, 0] = -np.array(self.pose.left)
        matrix[:3, 1] = self.pose.up
        matrix[:3, 2] = -np.array(self.pose.forward)
        matrix[:3, 3] = self.pose.position
        return matrix

    def points(self, depth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the point cloud of a depth picture, (k, 3) in the world frame, row by row [m].

        Args:
            depth: Depths along the optical axis, (height, width) [m]; pixels with inf give no
                point.
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
    """The nearest surface along the ray through the middle of each pixel.

    >>> picture = DepthPicture(np.array([[2.0, np.inf]]), np.array([[0, -1]]), np.array([[3, -1]]))
    >>> picture.depth[picture.models == 0]
    array([2.])
    """

    depth: NDArray[np.float64]
    """Depth along the optical axis, (height, width) [m]; inf where there is no surface."""
    models: NDArray[np.intp]
    """Row of the innermost model, (height, width); -1 for none."""
    links: NDArray[np.intp]
    """Row of the link, (height, width); -1 for none."""


class CameraMount(NamedTuple):
    """The pose of a camera sensor on its link, and its angle of view.

    >>> CameraMount(Pose((0, 0, 0.1)), horizontal_fov=1.2).pose.position.z
    0.1
    """

    pose: Pose
    """Pose in the frame of its link; the camera looks along its +x axis, with +z up."""
    horizontal_fov: float
    """Full horizontal angle of view [rad], in (0, pi)."""

    def checked(self, camera: str) -> CameraMount:
        """Returns this mount with a unit quaternion; `camera` is the name for error messages.

        Raises:
            ValueError: The pose is not finite, its quaternion is zero, or the angle is invalid.
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
    """Capability of taking pictures of any world.

    Methods raise `UnknownEntityError` if no camera sensor has the name.

    >>> class DarkCameras:
    ...     names = ("car::link::eye",)
    ...
    ...     def render(self, camera, world=0):
    ...         return np.zeros((240, 320, 3), np.uint8)
    >>> simulator = TableSimulator()
    >>> simulator.cameras = DarkCameras()
    >>> World(simulator).render("car::link::eye").shape
    (240, 320, 3)
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``."""
        ...

    def render(self, camera: str | CameraView, world: int = 0) -> NDArray[np.uint8]:
        """Takes a picture at the present instant.

        Args:
            camera: Name of a camera sensor, or a free camera.
            world: Number of the world.

        Returns:
            The picture, (height, width, 3) RGB, a new array.
        """
        ...


class DepthCameras(Protocol):
    """Capability of measuring depths, with camera sensors and with free cameras.

    Methods raise `UnknownEntityError` if no camera sensor has the name.
    """

    def view(self, camera: str, world: int = 0) -> CameraView:
        """Returns a free camera with the present pose and lens of a camera sensor."""
        ...

    def measure(self, camera: str | CameraView, world: int = 0) -> DepthPicture:
        """Measures depths, models and links at the present instant.

        All visible surfaces up to the camera's far plane count, including translucent ones.
        """
        ...


class CameraMounts(Protocol):
    """Capability of moving camera sensors on their links and changing their lenses.

    A mount is the pose and the angle of view of one camera in one world. It returns to the model's
    description at each reset of the world. An unknown camera sensor raises `UnknownEntityError`, an
    invalid mount `ValueError`; nothing changes in either case.
    """

    def get(self, camera: str, world: int = 0) -> CameraMount:
        """Returns the present mount of a camera sensor."""
        ...

    def described(self, camera: str) -> CameraMount:
        """Returns the mount in the model's description."""
        ...

    def set(self, camera: str, mount: CameraMount, worlds: NDArray[np.intp] | None = None) -> None:
        """Sets the mount of a camera sensor in some worlds, (w,); all by default."""
        ...


STEP = 1.0 / 16.0
"""Resolution of disparities [pixels], as in common block matchers."""
_AGREE = 1.0  # largest difference between the disparities of the two cameras [pixels]


class StereoPicture(NamedTuple):
    """The measurement of a stereo pair, for each pixel of the left camera.

    >>> stereo_depth([[4.0] * 4], [[4.0] * 4], focal=100.0, baseline=0.08).depth
    array([[inf, inf,  4.,  4.]])
    """

    disparity: NDArray[np.float64]
    """Shift to the left in the right camera's picture, (height, width) [pixels]; 0 for none."""
    depth: NDArray[np.float64]
    """Depth along the optical axis from the disparity, (height, width) [m]; inf for none."""


def stereo_depth(left: ArrayLike, right: ArrayLike, focal: float, baseline: float) -> StereoPicture:
    """Returns the measurement of a stereo pair, given the exact depths of its two cameras.

    A surface at depth z has the disparity focal * baseline / z, rounded to 1/16 pixel, so that
    distant depths are coarse. It is measured where the right camera sees it too, which is where the
    disparities of both agree within a pixel, but not where it is hidden from the right camera or
    outside its picture. Brightness plays no role, so that plain surfaces are measured as well.

    >>> stereo_depth([[5.0] * 5], [[5.0] * 5], focal=100.0, baseline=0.1).disparity
    array([[0., 0., 2., 2., 2.]])

    Args:
        left: Depths along the optical axis, (height, width) [m]; inf for none.
        right: Depths of a camera with the same lens, `baseline` to the right.
        focal: Focal length [pixels], `CameraView.intrinsic[0, 0]`.
        baseline: Distance between the cameras [m], > 0.

    Raises:
        ValueError: The pictures differ in shape, or a length is not > 0.
    """
    here, there = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if here.ndim != 2 or here.shape != there.shape:
        raise ValueError(
            f"depths of both cameras must have one shape (h, w), got {here.shape}, {there.shape}"
        )
    if not (focal > 0.0 and baseline > 0.0):
        raise ValueError(f"focal and baseline must be > 0, got {focal:g} and {baseline:g}")
    disparity, other = focal * baseline / here, focal * baseline / there
    column = np.rint(np.arange(here.shape[1]) - disparity).astype(np.intp)
    seen = np.take_along_axis(other, np.maximum(column, 0), axis=1)
    rounded = np.rint(disparity / STEP) * STEP
    found = (column >= 0) & (np.abs(seen - disparity) <= _AGREE) & (rounded > 0.0)
    depth = np.full(here.shape, np.inf)
    np.divide(focal * baseline, rounded, out=depth, where=found)
    return StereoPicture(np.where(found, rounded, 0.0), depth)

# SPDX-License-Identifier: Apache-2.0
"""Cameras of the scenes, on the world or on a link."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deepsim_math import Pose, Quaternion, poses
from deepsim_sync import CameraView, UnsupportedError

from .entity import Entity

if TYPE_CHECKING:
    from .simulator import LabSimulator

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CameraConfig:
    """The place and lens of a camera.

    >>> CameraConfig(p=(2.0, 0.0, 1.0), look_at=(0.0, 0.0, 0.5)).fov
    1.0

    Attributes:
        base: What carries the camera: ``world``, or the path of an entity or link, such as
            ``robot/base_link``.
        p: Position in the frame of the base [m].
        q: Orientation in the frame of the base, w x y z; the camera looks along its +x axis, with
            +z up.
        look_at: A point in the frame of the base in the middle of the picture [m], instead of `q`.
        width: Width of the picture [pixels].
        height: Height of the picture [pixels].
        fov: Full vertical angle of view [rad], in (0, pi).
        near: Smallest depth that is measured [m].
        far: Largest depth that is measured [m].
        hide_link: Whether the link or model that carries the camera is invisible to it.

    Raises:
        ValueError: A value is invalid.
    """

    base: str = "world"
    p: tuple[float, float, float] = (0.0, 0.0, 0.0)
    q: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    look_at: tuple[float, float, float] | None = None
    width: int = 512
    height: int = 512
    fov: float = 1.0
    near: float = 0.1
    far: float = 100.0
    hide_link: bool = False

    def __post_init__(self) -> None:
        if not 0.0 < self.fov < math.pi:
            raise ValueError(f"fov must lie in (0, pi) rad, got {self.fov!r}")
        if not 0.0 <= self.near < self.far:
            raise ValueError(f"near and far must be 0 <= near < far, got {self.near}, {self.far}")
        if self.width < 1 or self.height < 1:
            raise ValueError(f"a picture needs >= 1 pixel, got {self.width} x {self.height}")
        if self.look_at is not None and self.q != (1.0, 0.0, 0.0, 0.0):
            raise ValueError("give q or look_at, not both")
        if self.hide_link and self.base == "world":
            raise ValueError("hide_link hides the base of the camera, and the world is its base")
        self.view()  # its errors

    def view(self) -> CameraView:
        """Returns the camera in the frame of its base."""
        slope = math.tan(self.fov / 2.0) * self.width / self.height
        lens: dict[str, Any] = {
            "horizontal_fov": 2.0 * math.atan(slope), "size": (self.width, self.height)
        }  # fmt: skip
        if self.look_at is not None:
            return CameraView.look_at(self.p, self.look_at, **lens)
        w, x, y, z = self.q
        return CameraView(
            Pose(self.p, Quaternion(x, y, z, w)), lens["horizontal_fov"], *lens["size"]
        )


class LabCamera:
    """A camera in all n scenes.

    Args:
        lab: The simulator.
        config: The place and lens.
    """

    def __init__(self, lab: LabSimulator, config: CameraConfig) -> None:
        self._lab, self.config = lab, config
        self._view = config.view()

    def get_pose(self) -> Floats:
        """Returns the pose x y z qx qy qz qw in each scene, (n, 7), world frame."""
        own = np.array([np.asarray(self._view.pose)] * self._lab.config.n_scenes)
        if self.config.base == "world":
            return own
        return np.asarray(poses.compose(self._base().get_pose(), own))

    def take_picture(self) -> dict[str, NDArray[Any]]:
        """Takes a picture of each scene at the present instant.

        Returns:
            ``rgb``, (n, height, width, 3) uint8; ``depth`` along the optical axis, (n, height,
            width) [m], which is inf outside of `near` to `far`; and ``segmentation``, (n, height,
            width), the row of the link in ``lab.world.entities.links``, or -1.

        Raises:
            UnsupportedError: The engine takes no pictures.
        """
        world, near, far = self._lab.world, self.config.near, self.config.far
        with self._hidden():
            views = list(enumerate(self._views()))
            rgb = np.stack([world.render(view, scene) for scene, view in views])
            measured = [world.measure(view, scene) for scene, view in views]
        depth = np.stack([each.depth for each in measured])
        return {
            "rgb": rgb,
            "depth": np.where((depth >= near) & (depth <= far), depth, np.inf),
            "segmentation": np.stack([each.links for each in measured]),
        }

    def get_camera_params(self) -> dict[str, Floats]:
        """Returns the matrices of the camera.

        Returns:
            ``intrinsic_cv`` (3, 3); ``extrinsic_cv`` (n, 3, 4), from the world to the frame of
            computer vision; and ``cam2world_gl`` (n, 4, 4), from OpenGL's frame to the world.
        """
        views = self._views()
        return {
            "intrinsic_cv": self._view.intrinsic,
            "extrinsic_cv": np.stack([view.extrinsic_cv for view in views]),
            "cam2world_gl": np.stack([view.cam2world_gl for view in views]),
        }

    def _views(self) -> list[CameraView]:
        lens = self._view.horizontal_fov, self._view.width, self._view.height
        return [
            CameraView(Pose(pose[:3], Quaternion(*pose[3:])), *lens) for pose in self.get_pose()
        ]

    def _base(self) -> Any:
        """Returns the handle of the link or model that carries the camera."""
        found = self._lab.find(self.config.base)
        return found.body if isinstance(found, Entity) and hasattr(found, "body") else found

    @contextmanager
    def _hidden(self) -> Iterator[None]:
        """Makes the visuals of the base invisible."""
        if not self.config.hide_link:
            yield
            return
        world = self._lab.world
        names = world.entities.visuals.within(self._base().name)
        if not names:
            raise UnsupportedError(f"{self.config.base!r} has no visuals that could be hidden")
        visuals = world.visuals.select(names)
        shown = visuals.visible.copy()
        visuals.visible = np.zeros_like(shown)
        try:
            yield
        finally:
            visuals.visible = shown
            world.flush()

# SPDX-License-Identifier: Apache-2.0
"""The optional capability to move camera sensors on their links, and to change their lenses."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol, runtime_checkable

from deepsim_math import Pose


class CameraMount(NamedTuple):
    """How a camera sensor is mounted."""

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


@runtime_checkable
class CameraMounts(Protocol):
    """A simulator whose camera sensors can be mounted anew; ask for it by ``isinstance``.

    Mounts are as described when a camera is spawned and after each reset of the simulator.
    """

    def camera_mount(self, camera: str) -> CameraMount:
        """How a camera sensor is mounted now.

        Raises:
            UnknownEntityError: No camera sensor has the name ``model::link::sensor``.
        """
        ...

    def described_camera_mount(self, camera: str) -> CameraMount:
        """How the model's description mounts it.

        Raises:
            UnknownEntityError: No camera sensor has the name.
        """
        ...

    def mount_camera(self, camera: str, mount: CameraMount) -> None:
        """Mounts a camera sensor anew; its next picture is from there.

        Raises:
            UnknownEntityError: No camera sensor has the name.
            ValueError: The mount is not fit; nothing was changed.
        """
        ...

# SPDX-License-Identifier: Apache-2.0
"""Random cameras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.random import Generator

from deepsim_math import Euler, Pose
from deepsim_sync import CameraMount, CameraMounts, UnsupportedError, World

from .distributions import Spec, distribution
from .randomizer import AbstractRandomizer


class CameraRandomizer(AbstractRandomizer):
    """Mounts a camera sensor a little other than described: moved, turned, with another lens.

    Offsets do not add up from one time to the next, and a reset of the world ends them.

    Args:
        camera: Name of the camera sensor, ``model::link::sensor``.
        position: Distribution of the offset [m] along the axes of the described mount: x ahead, y
            left, z up in the picture.
        rotation: Distribution of the turn about these axes: roll, pitch and yaw [rad].
        horizontal_fov: Distribution of the angle of view [rad], in (0, pi); by default it stays as
            described.
        name: In the log; by default it has the name of the camera.
        world: Where the camera is; by default the current one.

    Raises:
        ValueError: A distribution is not fit.
        UnsupportedError: The simulator has no `CameraMounts`.
    """

    def __init__(
        self,
        camera: str,
        *,
        position: Spec = (0.0, 0.0, 0.0),
        rotation: Spec = (0.0, 0.0, 0.0),
        horizontal_fov: Spec | None = None,
        name: str | None = None,
        world: World | None = None,
    ) -> None:
        super().__init__(name or f"camera {camera}", world)
        self.camera = camera
        self.position = distribution(position, (3,))
        self.rotation = distribution(rotation, (3,))
        self.horizontal_fov = None if horizontal_fov is None else distribution(horizontal_fov)
        self._simulator()

    def draw(self, rng: Generator) -> dict[str, Any]:
        """Draws a mount.

        Returns:
            ``pose``: x y z [m], qx qy qz qw in the link; ``horizontal_fov`` [rad].

        Raises:
            UnknownEntityError: There is no such camera.
        """
        described = self._simulator().described_camera_mount(self.camera)
        position = self.position(rng, (3,))
        pose = described.pose @ Pose(position, Euler(*self.rotation(rng, (3,))))
        angle = described.horizontal_fov
        if self.horizontal_fov is not None:
            angle = float(self.horizontal_fov(rng, ()))
        return {"pose": [float(number) for number in pose], "horizontal_fov": angle}

    def apply(self, values: Mapping[str, Any]) -> None:
        """Mounts the camera."""
        mount = CameraMount(Pose.from_array(values["pose"]), values["horizontal_fov"])
        self._simulator().mount_camera(self.camera, mount)

    def _simulator(self) -> CameraMounts:
        simulator = self.world.simulator
        if not isinstance(simulator, CameraMounts):
            raise UnsupportedError(
                f"the cameras of {type(simulator).__name__} cannot be moved: it has no CameraMounts"
            )
        return simulator

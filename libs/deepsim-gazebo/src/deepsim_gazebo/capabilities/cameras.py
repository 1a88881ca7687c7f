# SPDX-License-Identifier: Apache-2.0
"""Pictures from a gzserver that renders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_gazebo.errors import CallRefusedError
from deepsim_gazebo.session.session import Session
from deepsim_gazebo.session.single_world import check_world
from deepsim_sync import CameraView, UnknownEntityError


class GazeboCameras:
    """The capability `deepsim_sync.Cameras` of a gzserver that found a display when it started."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``, as of the last answer."""
        return self._session.names.present.cameras

    def render(self, camera: str | CameraView, world: int = 0) -> NDArray[np.uint8]:
        """Takes a picture at the present instant; in a free-running world, after a step.

        Args:
            camera: The name of a camera sensor, or a free camera; up to 4096 pixels a side.
            world: 0, the only world.

        Returns:
            (height, width, 3) RGB, a new array.

        Raises:
            UnknownEntityError: No camera sensor has the name.
            CallRefusedError: The server cannot take the picture; the message says why.
        """
        check_world(world)
        self._session.take_control()
        try:
            return self._session.client.image(camera)
        except CallRefusedError:
            self._session.names.invalidate()
            if isinstance(camera, str) and camera not in self.names:
                raise UnknownEntityError("camera", camera, self.names) from None
            raise

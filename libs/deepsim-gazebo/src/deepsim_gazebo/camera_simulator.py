# SPDX-License-Identifier: Apache-2.0
"""The simulator on a gzserver that renders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import CameraView, UnknownEntityError

from .errors import CallRefusedError
from .simulator import GazeboSimulator


class GazeboCameraSimulator(GazeboSimulator):
    """A `GazeboSimulator` that takes pictures; it has the capability `deepsim_sync.Cameras`.

    ``GazeboSimulator(...)`` makes one by itself where the server renders, which it does if it
    found a display when it was started.

    Raises:
        UnsupportedError: It is asked for by name, and the server renders nothing.
    """

    @property
    def cameras(self) -> tuple[str, ...]:
        """Names of the camera sensors, ``model::link::sensor``, as of the last answer."""
        return self._session.book.present.cameras

    def render(self, camera: str | CameraView) -> NDArray[np.uint8]:
        """A picture at the present instant; of a world that runs freely, at the end of a step.

        Args:
            camera: The name of a camera sensor, or a free camera, of up to 4096 pixels a side.

        Returns:
            (height, width, 3) RGB, a new array.

        Raises:
            UnknownEntityError: No camera sensor has the name.
            CallRefusedError: The server cannot take it, and why.
        """
        self._session.take_control()
        try:
            return self._client.image(camera)
        except CallRefusedError:
            self._session.book.forget()
            if isinstance(camera, str) and camera not in self.cameras:
                raise UnknownEntityError("camera", camera, self.cameras) from None
            raise

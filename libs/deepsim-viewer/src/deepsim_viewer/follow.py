# SPDX-License-Identifier: Apache-2.0
"""A view that follows a model: the scene moves below the cameras, which its users turn freely."""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from .joint import GuardedServer
from .scene.frame import Frame

_LAG = 0.05  # [s] of wall time in which the view makes up for 63 % of a motion
_JUMP = 1.0  # a motion within a frame, as by a reset, that is made up for at once [m]


class FollowedModel:
    """Keeps a model at the same place in all browsers' pictures.

    Not the cameras move but the scene, so that a user who turns a camera at the same time, or whose
    browser is slow, is not disturbed.

    Args:
        server: The server of the browsers.
        offsets: (w, 3) positions of the shown worlds [m].
        frame: The first frame, which the cameras are aimed at.
        model: The model that is followed at first; see `show`.
    """

    def __init__(
        self,
        server: GuardedServer,
        offsets: NDArray[np.float64],
        frame: Frame,
        model: str | None,
    ) -> None:
        self._server, self._offsets = server, offsets
        self._followed: tuple[str, int | None] | None = None
        self._last: NDArray[np.float64] | None = None  # position in the last frame
        self._goal = np.zeros(3)
        self._at = np.zeros(3)
        self._shown = time.monotonic()
        self.show(frame, model, None)

    def show(self, frame: Frame, model: str | None, world: int | None) -> None:
        """Follows a model from its position in this frame on.

        Args:
            frame: The frame that is shown.
            model: The model; None, or a model that is not there, holds the view.
            world: The model's world; None for the mean over all shown worlds.
        """
        now = time.monotonic()
        passed, self._shown = now - self._shown, now
        if model is None or model not in frame.entities.models:
            self._followed = self._last = None
            return
        places = frame.models[:, frame.entities.models.row(model), :3] + self._offsets
        place = places.mean(axis=0) if world is None else places[world]
        if (model, world) != self._followed or self._last is None:
            self._followed = model, world
        else:
            self._goal = self._goal + place - self._last
        self._last = place
        way = self._goal - self._at
        if np.abs(way).max() > _JUMP:
            self._shift(way)
        elif np.abs(way).max() > 1e-4:
            self._shift(-math.expm1(-passed / _LAG) * way)

    def _shift(self, way: NDArray[np.float64]) -> None:
        """Moves the view, and with it the view of browsers that connect later."""
        self._at = self._at + way
        camera = self._server.initial_camera
        with self._server.atomic():
            self._server.look_from(self._at)
            camera.position = camera.position + way
            camera.look_at = camera.look_at + way

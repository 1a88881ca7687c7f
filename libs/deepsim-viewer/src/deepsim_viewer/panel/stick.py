# SPDX-License-Identifier: Apache-2.0
"""A virtual joystick in the corner of the picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import viser
import viser.transforms as vtf
from numpy.typing import NDArray

_DEPTH = 0.3  # distance from the camera [m]
_CORNER = (-0.78, 0.7)  # offset right and down from the centre, relative to half the picture
_REACH = 0.16  # range of the knob relative to half the height
_KNOB, _PLATE = "/stick/knob", "/stick/plate"


class Stick:
    """A knob that springs back when released, in the picture of each browser.

    Args:
        server: The server of the browsers.
        touched: Called with the number of the browser that moves the knob.

    Attributes:
        left: Deflection to the left, -1..1.
        up: Deflection upwards, -1..1.
    """

    def __init__(self, server: viser.ViserServer, touched: Callable[[int], object]) -> None:
        self._server, self._touched = server, touched
        self.left = self.up = 0.0
        self._knobs: dict[int, Any] = {}
        self._plates: dict[int, Any] = {}
        self._grabbed: NDArray[np.float64] | None = None
        self._is_shown = False
        server.on_client_connect(self._join)
        server.on_client_disconnect(self._part)

    def show(self, shown: bool) -> None:
        """Shows the knob in all browsers, or hides it if `shown` is False."""
        self._is_shown = shown
        self.release()
        for client in self._server.get_clients().values():
            if shown:
                self._add(client)
            else:
                self._remove(client)

    def release(self) -> None:
        """Centres the knob."""
        self.left = self.up = 0.0
        self._grabbed = None
        for client in self._server.get_clients().values():
            self._place(client)

    def _add(self, client: viser.ClientHandle) -> None:
        number = client.client_id
        if number in self._knobs:
            return
        reach = _REACH * _half_height(client)
        plain: Any = {"cast_shadow": False, "receive_shadow": False}
        plate = client.scene.add_icosphere(_PLATE, reach, color=(40, 50, 70), opacity=0.25, **plain)
        knob = client.scene.add_icosphere(_KNOB, 0.45 * reach, color=(50, 190, 100), **plain)
        for node in (plate, knob):  # the pointer hits the plate before the knob
            node.on_drag(self._drag)
        self._plates[number], self._knobs[number] = plate, knob
        self._place(client)
        client.camera.on_update(lambda _: self._place(client))

    def _remove(self, client: viser.ClientHandle) -> None:
        for nodes in (self._knobs, self._plates):
            node = nodes.pop(client.client_id, None)
            if node is not None:
                node.remove()

    def _place(self, client: viser.ClientHandle) -> None:
        """Puts the knob in the corner of the camera's picture."""
        knob, plate = self._knobs.get(client.client_id), self._plates.get(client.client_id)
        if knob is None or plate is None:
            return
        camera, half = client.camera, _half_height(client)
        right, down = _CORNER[0] * half * camera.aspect, _CORNER[1] * half
        way = _REACH * half
        turn = vtf.SO3(camera.wxyz)
        with client.atomic():
            plate.position = camera.position + turn @ np.array([right, down, _DEPTH])
            knob.position = camera.position + turn @ np.array(
                [right - way * self.left, down - way * self.up, _DEPTH]
            )

    async def _drag(self, event: Any) -> None:
        """Moves the knob with the pointer; the server's event loop keeps the events in order."""
        if event.phase == "end":
            self.release()
            return
        now = np.asarray(event.end_screen_pos, np.float64)  # 0..1, right and down
        if event.phase == "start" or self._grabbed is None:
            self._grabbed = now
        self._touched(event.client_id)
        camera = event.client.camera
        right, down = (now - self._grabbed) * (camera.aspect, 1.0) / (_REACH / 2.0)
        length = max(1.0, math.hypot(right, down))
        self.left, self.up = -right / length, -down / length
        self._place(event.client)

    async def _join(self, client: viser.ClientHandle) -> None:
        if self._is_shown:
            self._add(client)

    async def _part(self, client: viser.ClientHandle) -> None:
        self._knobs.pop(client.client_id, None)
        self._plates.pop(client.client_id, None)


def _half_height(client: viser.ClientHandle) -> float:
    """Returns half the height of the camera's view at the depth of the knob [m]."""
    return _DEPTH * math.tan(client.camera.fov / 2.0)

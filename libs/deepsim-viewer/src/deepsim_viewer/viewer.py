# SPDX-License-Identifier: Apache-2.0
"""A live view of a world."""

from __future__ import annotations

import threading
import time
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import Priority, World

from .door import Door, GuardedServer
from .frame import Frame, FrameReader
from .mailbox import Mailbox
from .scene.scene import Scene


class Viewer:
    """Shows a world in the browser while somebody else ticks it.

    After a tick it copies the tables, at most `rate` times a second of wall time and only while a
    browser is connected. A thread of its own sends them, so that a tick never waits for a browser.

    Example::

        viewer = Viewer(world)
        print(viewer.url)
        while True:
            world.tick()

    Args:
        world: The world; the viewer is made in the thread that it belongs to.
        port: The TCP port on 127.0.0.1; 0 for any that is free.
        rate: Most frames per second of wall time [Hz].
        shown: How many of the W worlds are shown at most, in a grid.
        spacing: Distance of the worlds in the grid [m]; by default as far as they need.
        label: The title of the page.

    Attributes:
        world: As given.
        url: The address of the page, with the token without which nobody is let in.

    Raises:
        OSError: The port is taken.
        ValueError: `rate` or `shown` is not > 0.
    """

    def __init__(
        self,
        world: World,
        *,
        port: int = 8080,
        rate: float = 30.0,
        shown: int = 36,
        spacing: float | None = None,
        label: str = "DeepSim",
    ) -> None:
        if not rate > 0.0:
            raise ValueError(f"rate must be > 0 Hz, got {rate}")
        if shown < 1:
            raise ValueError(f"shown must be >= 1 world, got {shown}")
        self.world = world
        self._period = 1.0 / rate
        self._reader = FrameReader(world, min(shown, len(world)))
        self._next = 0.0
        world.flush()
        frame = self._reader.read()
        door = Door(port)
        self._server = GuardedServer(door, label)
        self.url = door.url
        try:
            self._scene = Scene(self._server, frame, spacing)
            self._mail: Mailbox[Frame] = Mailbox()
            self._clients: set[int] = set()
            self._server.on_client_connect(self._join)
            self._server.on_client_disconnect(self._part)
        except BaseException:
            self._server.stop()
            raise
        self._thread = threading.Thread(target=self._send, name="deepsim-viewer", daemon=True)
        self._thread.start()
        world.trackers.add(self, Priority.LOW)

    @property
    def clients(self) -> int:
        """The number of browsers that look."""
        return len(self._clients)

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Takes a frame of the tick, if one is due; the world calls it."""
        if self._clients:
            now = time.monotonic()
            if now >= self._next:
                self._next = now + self._period
                self._mail.put(self._reader.read())

    def show(self) -> None:
        """Shows the present instant between ticks; unsent changes are sent first."""
        self.world.flush()
        self._mail.put(self._reader.read())

    def close(self) -> None:
        """Closes all browsers' connections and the port; the world goes on. Twice does no harm."""
        if self in self.world.trackers:
            self.world.trackers.remove(self)
        self._mail.close()
        self._thread.join()
        self._server.stop()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _send(self) -> None:
        """Sends the latest frame, over and over; runs in a thread of its own."""
        for frame in self._mail:
            self._scene.show(frame)

    async def _join(self, client: object) -> None:
        self._clients.add(id(client))

    async def _part(self, client: object) -> None:
        self._clients.discard(id(client))

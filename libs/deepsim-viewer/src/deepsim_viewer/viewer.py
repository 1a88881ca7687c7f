# SPDX-License-Identifier: Apache-2.0
"""A live view of a world."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import viser
from numpy.typing import NDArray

from deepsim_sync import CameraView, Priority, World

from .access import AccessControl
from .control import Clock, ClockControl, Control
from .follow import FollowedModel
from .host import Host
from .joint import GuardedServer
from .keyboard import KEYS
from .marks import ShowFolder
from .panel.edit_folder import EditFolder
from .panel.plots import PerformancePlot, ValuePlot
from .panel.run_folder import CaptureFolder, RecordFolder, RunFolder, plain_lines
from .panel.selection_folder import EntityFolder, SelectionFolder
from .panel.tree_folder import TreeFolder
from .scene.frame import Frame, FrameReader
from .scene.scene import Scene

if TYPE_CHECKING:
    from deepsim_btree import Tree
    from deepsim_btree.snapshot import Snapshot


class Viewer(AbstractContextManager["Viewer"]):
    """A live view of a world in the browser while the world is ticked.

    After a tick the viewer copies the tables, at most `rate` times per second of wall time and only
    while a browser is connected. A separate thread sends them, so that a tick never waits for a
    browser.

    A notebook cell that ends with a viewer shows its page.

    >>> from deepsim_mujoco import MujocoSimulator
    >>> world = World(MujocoSimulator())
    >>> with Viewer(world, port=0) as viewer:
    ...     address = viewer.url  # such as http://127.0.0.1:8080/TOKEN/
    ...     for _ in range(100):
    ...         world.tick()
    >>> viewer.clients  # no browser was connected
    0

    Args:
        world: The world; the viewer must be created in its thread.
        port: The TCP port on 127.0.0.1; 0 for any free port.
        rate: Largest number of frames per second of wall time [Hz].
        shown: Largest number of worlds to show, in a grid.
        spacing: Distance between the worlds in the grid [m]; by default chosen to suit their size,
            and 0 on a landscape.
        shadows: Whether the first directional light casts shadows.
        label: The title of the page.
        speed: Initial simulated seconds per second of wall time, > 0; None for no limit.
        reset: Called in any thread with the seed when a browser requests a reset; by default the
            world is reset in its next tick.
        clock: The clock of a world that follows another process; pause, play and step are forwarded
            to it.
        trees: Behaviour trees that are ticked in the world's thread, by name; the page shows the
            selected tree with the status of each node.
        follow: The model that the view is centred on and follows, until a browser selects another
            one or switches this off; None shows all models, from a place that stays.
        camera: A camera of the world, such as that of a film, from whose side the page shows the
            world or the followed model at first.

    Attributes:
        world: The world.
        control: Pause, step and speed.
        latest: The frame shown.
        scene: The meshes in the browser.
        server: The viser server, for additional marks and controls.
        url: The address of the page, including the required token.

    Raises:
        OSError: The port is in use.
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
        shadows: bool = True,
        label: str = "DeepSim",
        speed: float | None = None,
        reset: Callable[[int], object] | None = None,
        clock: Clock | None = None,
        trees: Mapping[str, Tree] | None = None,
        follow: str | None = None,
        camera: CameraView | None = None,
    ) -> None:
        if not rate > 0.0:
            raise ValueError(f"rate must be > 0 Hz, got {rate}")
        if shown < 1:
            raise ValueError(f"shown must be >= 1 world, got {shown}")
        self.world = world
        self.control = (
            Control(world.post, speed)
            if clock is None
            else ClockControl(world.post, clock, self.post, world.steps_per_tick)
        )
        self._period = 1.0 / rate
        self._reader = FrameReader(world, min(shown, len(world)))
        self._next = 0.0
        world.flush()
        self.latest = frame = self._reader.read()
        access = AccessControl(port)
        self.server = GuardedServer(access, label)
        self.url = access.url
        try:
            self.scene = Scene(
                self.server,
                frame,
                spacing,
                self.select,
                shadows=shadows,
                focus=follow,
                camera=camera,
            )
            refresh = partial(self.control.call, self.show)
            scene = self.scene
            self._host = Host(self.server, world, scene.offsets, self.post, refresh, scene.show_fog)
            self._mail: Mailbox[tuple[Frame, dict[str, Any], Snapshot | None]] = Mailbox()
            self._clients: set[int] = set()
            self._run = RunFolder(
                self.server.gui,
                self.control,
                reset if reset is not None else self._reset,
                label,
            )
            self._record = RecordFolder(self._host)
            self._capture = CaptureFolder(self.server.gui)
            self._selection = SelectionFolder(self._host, frame, follow)
            self._followed = FollowedModel(self.server, self.scene.offsets, frame, follow)
            edits = EditFolder(self._host, self._selection)
            self._marks = ShowFolder(self._host)
            self._trees = TreeFolder(self._host, trees or {})
            self._entities = EntityFolder(self.server.gui, frame.entities, self.select)
            self._values = ValuePlot(self._host, frame.entities)
            self._performance = PerformancePlot(self._host)
            self.server.keyboard.presses.update(
                pause=self._run.toggle,
                step=self._run.step,
                reset=self._run.reset,
                follow=self._selection.choice.toggle_following,
                undo=edits.undo,
            )
            with self.server.gui.add_folder("Keys", expand_by_default=False):
                self.server.gui.add_html(
                    plain_lines(*(f"{key}: {effect}" for key, effect in KEYS.items()))
                )
            self.server.on_client_connect(self._join)
            self.server.on_client_disconnect(self._part)
        except BaseException:
            self.server.stop()
            raise
        self._thread = threading.Thread(target=self._send, name="deepsim-viewer", daemon=True)
        self._thread.start()
        world.trackers.add(self, Priority.LOW)

    @property
    def clients(self) -> int:
        """Number of connected browsers."""
        return len(self._clients)

    def update_tracker(self, delta_time: float, sim_time: NDArray[np.float64]) -> None:
        """Takes a frame if one is due, and delays or pauses the tick; called by the world."""
        self._performance.end_callbacks()
        self._values.add(float(sim_time[0]))
        control = self.control
        if self._clients:
            now = time.monotonic()
            if now >= self._next or control.paused:
                self._next = now + self._period
                self._put()
        if control.paused or control.speed is not None:
            control.wait(float(sim_time[0]), self.show)
        self._performance.resume(float(sim_time[0]))

    def post(self, function: Callable[[], object]) -> None:
        """Schedules a function for the world's thread; callable from any thread.

        It runs in the next tick (`World.post`), or immediately while the world is paused. A
        DeepSimError or ValueError is shown in the browser and does not stop the tick.
        """

        def run() -> None:
            with self._host.showing_refusals():
                function()
                self.world.flush()

        self.control.call(run)

    def select(self, model: str, world: int = 0) -> None:
        """Selects a model of a world, like a click on it, as soon as a picture contains it.

        Callable from any thread.
        """
        self._selection.select(model, world)

    def notify(self, title: str, text: str) -> None:
        """Shows a message in all browsers; callable from any thread."""
        self._host.notify(title, text)

    def show(self) -> None:
        """Shows the current state between ticks, after sending pending changes."""
        self.world.flush()
        self._put()

    def close(self) -> None:
        """Closes all connections and the port, but not the world; repeated calls have no effect."""
        if self in self.world.trackers:
            self.world.trackers.remove(self)
        self._record.close()
        self._capture.close()
        self._performance.close()
        self.control.release()
        self._mail.close()
        self._thread.join()
        self.server.stop()

    def _repr_html_(self) -> str:
        """Returns the page as the output of a notebook cell."""
        return f'<iframe src="{self.url}" width="100%" height="500" style="border:0"></iframe>'

    def __exit__(self, *_: object) -> None:
        self.close()

    def _put(self) -> None:
        """Passes the current state to the sending thread."""
        self._mail.put((self._reader.read(), self._marks.read(), self._trees.read()))

    def _send(self) -> None:
        """Sends the latest frame repeatedly; runs in a separate thread."""
        for frame, marks, tree in self._mail:
            try:
                self._show(frame, marks, tree)
            except RuntimeError as error:
                # viser wakes its loop from this thread too, which asyncio may reject while many
                # browsers wait. The data is queued, and the next frame has the rest.
                if "deque mutated during iteration" not in str(error):
                    raise

    def _show(self, frame: Frame, marks: dict[str, Any], tree: Snapshot | None) -> None:
        with self.server.atomic():
            self.scene.show(frame)
            self._marks.show(frame, marks)
            self._followed.show(frame, *self._selection.choice.followed)
            self.scene.mark(self._selection.choice.model, self._selection.choice.world)
        self.latest = frame
        self._run.show(float(frame.time[0]))
        self._selection.show(frame)
        self._entities.show(frame.entities)
        self._values.show(frame.entities)
        self._trees.show(tree)

    def _reset(self, seed: int) -> None:
        self.post(lambda: self.world.reset(seed))

    async def _join(self, client: viser.ClientHandle) -> None:
        self._clients.add(id(client))
        if client.camera.aspect < 1.0:  # a phone's picture is as wide as a square one
            half = math.tan(self.server.initial_camera.fov / 2.0)
            client.camera.fov = 2.0 * math.atan(half / client.camera.aspect)
        if self.control.paused:
            self.control.call(lambda: None)  # then shows the current state

    async def _part(self, client: object) -> None:
        self._clients.discard(id(client))


T = TypeVar("T")


class Mailbox(Generic[T]):
    """A place for one object; a newer object replaces one that was not taken."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._latest: T | None = None
        self._closed = False

    def put(self, thing: T) -> None:
        """Stores an object without waiting for the reader."""
        with self._changed:
            self._latest = thing
            self._changed.notify()

    def close(self) -> None:
        """Ends the iteration and drops an object that was not taken."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def __iter__(self) -> Iterator[T]:
        """Yields the latest object, then waits for a newer one, until the mailbox is closed."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._latest is not None or self._closed)
                if self._closed:
                    return
                thing, self._latest = self._latest, None
            if thing is not None:
                yield thing

# SPDX-License-Identifier: Apache-2.0
"""A server with the plugin's services, backed by the in-memory simulator."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from deepsim_gazebo import GazeboSimulator
from deepsim_gazebo.protocol.layout import SERVED, SERVICES, TABLES
from deepsim_math import Pose
from deepsim_sync import COLUMNS, Cells, Changes, SpawnRequest, Tables
from deepsim_sync.testing import TableModel, TableSimulator

SHAPES = {
    "free": TableModel(),
    "static": TableModel(static=True),
    "lamp": TableModel(static=True, lights=("bulb",)),
    "pair": TableModel(links=("base", "top"), offsets={"top": Pose((1, 0, 0))}),
}
"""The models that the texts of tests stand for."""

CAMERAS = ("eye::link::camera",)


class Request:
    """Reads a request field by field."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    def take(self, layout: str) -> tuple[Any, ...]:
        size = struct.calcsize("<" + layout)
        head, self._body = self._body[:size], self._body[size:]
        return struct.unpack("<" + layout, head)

    def number(self, layout: str) -> Any:
        return self.take(layout)[0]

    def array(self, code: str) -> list[Any]:
        return list(self.take(f"{self.number('I')}{code}"))

    def string(self) -> str:
        return bytes(self.take(f"{self.number('I')}s")[0]).decode()

    def end(self) -> None:
        assert self._body == b""


def string(text: str) -> bytes:
    return struct.pack("<I", len(text.encode())) + text.encode()


def strings(texts: Any) -> bytes:
    return struct.pack("<I", len(list(texts))) + b"".join(map(string, texts))


def floats(values: Any) -> bytes:
    flat = np.asarray(values, dtype="<f8").ravel()
    return struct.pack("<I", len(flat)) + flat.tobytes()


class PluginServer:
    """The plugin's services.

    Attributes:
        world: The simulator behind them; tests change it as another client would.
        shapes: The models that spawned texts stand for.
        calls: Names of the services that were called, in order.
        meddle: Called before each exchange, like another client between two calls.
        no_pictures: Why it takes no pictures.
        aimed: The camera of the last picture, its pose and its angle of view.
        lost_bytes: Number of bytes missing from its pictures.
        lost_numbers: Number of values missing from its bounds.
        hidden: Whether it refuses pictures.
        cameras: Names of its camera sensors.
        distance: All depths in its pictures [m].
        drawn: The links in its pictures: nothing, the first, the second, ... pixel by pixel.
        nothing: The number of what is no link.
        factors: Of each link, (n, 6).
        points: Of contacts, 12 numbers each.
        kinematics: The numbers of links, joints and gravity.
        sensors: Name, text, kind, rows and rays of each.
        measurements: The numbers of each sensor.
        watched: What it was told to watch.
        fault: A status that the next exchange returns instead of doing anything.
    """

    def __init__(self, network: Any) -> None:
        self.world = TableSimulator(timestep=0.001)
        self.shapes = dict(SHAPES)
        self.calls: list[str] = []
        self.meddle: Callable[[], None] = lambda: None
        self.fault: int | None = None
        self.gravity: tuple[float, ...] = ()
        self.lock = threading.Lock()
        self.first_generation = 1000
        self.no_pictures = ""
        self.aimed: tuple[Any, ...] = ()
        self.lost_bytes = 0
        self.lost_numbers = 0
        self.hidden = False
        self.cameras = CAMERAS
        self.distance = 2.0
        self.nothing = -1
        self.drawn: tuple[str, ...] = ("pair::top", "gone::link")
        self.factors = np.ones((0, 6))
        self.points: list[list[float]] = []
        self.kinematics: list[float] = []
        self.sensors: list[tuple[str, str, int, int, int]] = []
        self.measurements: list[list[float]] = []
        self.watched: list[str] = []
        self.shared_file: tuple[str, int, int] | None = None
        self.mailbox: tuple[str, int, int] | None = None
        self._network = network
        self.start()

    def start(self) -> None:
        """Offers the services, also after `kill`, like a restarted server."""
        self.listeners = [
            self._network.serve(f"/gazebo_batch_state/{name}", service.md5, self._handler(name))
            for name, service in SERVICES.items()
        ]

    def kill(self) -> None:
        """Closes all connections; the registrations stay."""
        for listener in self.listeners:
            listener.stop()

    @property
    def generation(self) -> int:
        return self.first_generation + self.world.entities.generation

    def flat(self, kind: Any) -> Any:
        """All rows of a table, (n, width)."""
        tables = Tables(self.world.entities)
        self.world.read(tables, [(kind, column) for column in COLUMNS[kind]])
        columns = [tables.columns[kind, column][0] for column in SERVED[kind]]
        return np.hstack([c.astype(float).reshape(len(c), *(c.shape[1:] or (1,))) for c in columns])

    def _handler(self, name: str) -> Callable[[Any, bytes], None]:
        answer = getattr(self, f"_{name}")

        def handle(peer: Any, body: bytes) -> None:
            request = Request(body)
            with self.lock:
                self.calls.append(name)
                reply = answer(request)
            request.end()
            peer.reply(reply)

        return handle

    def exchange(self, body: bytes) -> bytes:
        """Answers a request that did not come through ROS."""
        with self.lock:
            return self._exchange(Request(body))

    def _exchange(self, request: Request) -> bytes:
        generation, count = request.take("QI")
        entries = [
            (*request.take("BB"), request.array("I"), request.array("d")) for _ in range(count)
        ]
        steps, _, mask = request.take("I?B")
        sensors = request.array("I")
        self.meddle()
        status, refusals, message = 0, [], ""
        if self.fault is not None:
            status, self.fault, message = self.fault, None, "as the test wants it"
        elif entries and generation != self.generation:
            status = 1
        else:
            refusals = self._write(entries)
            if refusals:
                status = 2
            elif steps:
                self.world.step(steps)
        (time,) = self.world.time
        nanoseconds = round(time * 1e9)
        steps_so_far = round(time / self.world.timestep)
        return b"".join(
            (
                struct.pack("<B", status),
                string(message),
                struct.pack("<QQ", self.generation, steps_so_far),
                struct.pack("<II", nanoseconds // 10**9, nanoseconds % 10**9),
                struct.pack("<d", self.world.timestep),
                struct.pack("<I", len(refusals)),
                *(struct.pack("<II", *where) + string(why) for *where, why in refusals),
                *(
                    floats(self.flat(kind) if mask >> number & 1 else ())
                    for number, kind in enumerate(TABLES)
                ),
                floats([number for row in sensors for number in self.measurements[row]]),
            )
        )

    def _write(self, entries: list[Any]) -> list[tuple[int, int, str]]:
        cells, places = {}, {}
        for entry, (table, column, rows, values) in enumerate(entries):
            kind = TABLES[table]
            name = SERVED[kind][column]
            spec = COLUMNS[kind][name]
            shaped = np.array(values).reshape(len(rows), *spec.shape).astype(spec.dtype)
            cells[kind, name] = Cells(np.zeros(len(rows), dtype=np.intp), np.array(rows), shaped)
            for index, row in enumerate(rows):
                places[kind, name, self.world.entities.names(kind)[row]] = (entry, index)
        if not cells:
            return []
        refused = self.world.write(Changes(self.world.entities.generation, cells))
        return [(*places[each[:3]], each.reason) for each in refused]

    def _get_names(self, request: Request) -> bytes:
        request.take("Q")  # it remembers no other generation
        lists = [strings(self.world.entities.names(kind)) for kind in TABLES]
        return (
            struct.pack("<Q", self.generation)
            + b"".join(lists)
            + strings(self.cameras)
            + string(self.no_pictures)
        )

    def _get_image(self, request: Request) -> bytes:
        name, mounted = request.string(), request.take("?")[0]
        numbers, size = request.take("8d"), request.take("II")
        without_rgb, with_depth = request.take("??")
        if name not in ("", *self.cameras):
            return struct.pack("<?", False) + string(f"there is no camera {name!r}")
        if self.hidden:
            return struct.pack("<?", False) + string("not now")
        self.aimed = (name, *numbers)
        width, height = (4, 2) if name else size
        mount = numbers[:7] if mounted else (0, 0, 0.25, 0, 0, 0, 1)
        view = (0, 0, 1, 0, 0, 0, 1, numbers[7] if mounted else 0.5) if name else numbers
        rgb = np.arange(width * height * 3 * (not without_rgb), dtype=np.uint8)
        depth = np.full(width * height * with_depth, self.distance, dtype=np.float32)
        drawn = np.arange(len(depth), dtype=np.int32) % (len(self.drawn) + 1) - 1
        drawn[drawn < 0] = self.nothing
        arrays = [rgb[self.lost_bytes :], depth, drawn]
        return (
            struct.pack("<?", True)
            + string("")
            + struct.pack("<II15dII", 1, 0, *view[:7], *mount, view[7], width, height)
            + b"".join(struct.pack("<I", len(each)) + each.tobytes() for each in arrays)
            + strings(self.drawn)
        )

    def _get_bounds(self, request: Request) -> bytes:
        names = [request.string() for _ in range(request.number("I"))]
        known = self.world.entities.models
        numbers = [number for name in names for number in range(6)][self.lost_numbers :]
        reasons = ["" if name in known else f"there is no model or link '{name}'" for name in names]
        bounds = struct.pack(f"<I{len(numbers)}d", len(numbers), *numbers)
        return bounds + self._rows(reasons) + struct.pack("<II", 1, 0)

    def _get_factors(self, request: Request) -> bytes:
        return struct.pack("<Q", self.generation) + floats(self.factors)

    def _scale_links(self, request: Request) -> bytes:
        generation, column = request.take("QB")
        rows, factors = request.array("I"), request.array("d")
        if generation != self.generation:
            return struct.pack("<?", False) + string("rows are of another generation")
        self.factors[rows, column] = factors
        return self._done()

    def _get_contacts(self, request: Request) -> bytes:
        return struct.pack("<Q", self.generation) + floats(self.points)

    def _get_kinematics(self, request: Request) -> bytes:
        return struct.pack("<Q", self.generation) + floats(self.kinematics)

    def _get_sensors(self, request: Request) -> bytes:
        names, texts, kinds, rows, rays = zip(*self.sensors) if self.sensors else [()] * 5
        return (
            struct.pack("<Q", self.generation)
            + strings(names)
            + strings(texts)
            + struct.pack(f"<I{len(kinds)}B", len(kinds), *kinds)
            + struct.pack(f"<I{len(rows)}I", len(rows), *rows)
            + struct.pack(f"<I{len(rays)}I", len(rays), *rays)
        )

    def _watch(self, request: Request) -> bytes:
        names = [request.string() for _ in range(request.number("I"))]
        self.watched += names + ["contacts"] * request.number("?")
        return self._done()

    def _spawn_models(self, request: Request) -> bytes:
        reasons = []
        for _ in range(request.number("I")):
            name, xml, pose, frame = (
                request.string(),
                request.string(),
                request.take("7d"),
                request.string(),
            )
            assert frame == "world"
            if name in self.world.entities.models:
                reasons.append("the name is taken")
            elif xml not in self.shapes:
                reasons.append(f"no such shape: {xml}")
            else:
                self.world.spawn([SpawnRequest(self.shapes[xml], name, np.array([pose]))])
                reasons.append("")
        return self._rows(reasons)

    def _delete_models(self, request: Request) -> bytes:
        reasons = []
        for name in [request.string() for _ in range(request.number("I"))]:
            known = name in self.world.entities.models
            reasons.append("" if known else f"no model or light is named {name}")
            if known:
                self.world.delete(name)
        return self._rows(reasons)

    def _rows(self, reasons: list[str]) -> bytes:
        success = bytes(not reason for reason in reasons)
        return struct.pack("<I", len(success)) + success + strings(reasons)

    def _reset(self, request: Request) -> bytes:
        self.world.reset()
        return self._done()

    def _pause(self, request: Request) -> bytes:
        return self._done()

    def _unpause(self, request: Request) -> bytes:
        return self._done()

    def _set_physics(self, request: Request) -> bytes:
        timestep, *self.gravity = request.take("4d")
        if timestep <= 0:
            return struct.pack("<?", False) + string("timestep must be > 0 s")
        self.world.timestep = timestep
        return self._done()

    def _open_shared_memory(self, request: Request) -> bytes:
        return self._file(request, self.shared_file)

    def _open_mailbox(self, request: Request) -> bytes:
        return self._file(request, self.mailbox)

    def _file(self, request: Request, file: tuple[str, int, int] | None) -> bytes:
        assert request.string() == ""
        if file is None:
            return struct.pack("<?", False) + string("not here") + string("") + bytes(12)
        path, version, size = file
        return self._done() + string(path) + struct.pack("<IQ", version, size)

    def _done(self) -> bytes:
        return struct.pack("<?", True) + string("")


@pytest.fixture
def server(network: Any) -> PluginServer:
    """A server without models, with steps of 1 ms."""
    return PluginServer(network)


@pytest.fixture
def other_server(other_network: Any) -> PluginServer:
    """The same in another network."""
    return PluginServer(other_network)


@pytest.fixture
def connect(network: Any, server: PluginServer) -> Iterator[Callable[..., GazeboSimulator]]:
    """Makes simulators that are connected to the server."""
    made = []

    def connect(**options: Any) -> GazeboSimulator:
        made.append(GazeboSimulator(network.uri, **{"shared_memory": False, **options}))
        return made[-1]

    yield connect
    for simulator in made:
        simulator.close()


@pytest.fixture
def simulator(connect: Callable[..., GazeboSimulator], server: PluginServer) -> GazeboSimulator:
    """Connected, in lock-step, without shared memory; the calls so far are forgotten."""
    simulator = connect()
    server.calls.clear()
    return simulator

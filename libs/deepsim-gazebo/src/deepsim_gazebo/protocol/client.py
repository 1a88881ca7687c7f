# SPDX-License-Identifier: Apache-2.0
"""A client of the plugin's services, with one connection per service."""

from __future__ import annotations

import logging
import os
import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_gazebo.errors import (
    CallLostError,
    CallRefusedError,
    CallTimeoutError,
    MalformedReplyError,
    UnreachableError,
)
from deepsim_gazebo.ros.serialization import Reader, pack_string, pack_strings
from deepsim_gazebo.ros.tcpros import Master, ServiceClient
from deepsim_gazebo.shared_memory import Mailbox, SharedFile
from deepsim_math import Pose, Quaternion
from deepsim_sync import CameraMount, CameraView, Entities

from .exchange import ExchangeReply, ExchangeRequest
from .layout import SERVICES, TABLES

_LOGGER = logging.getLogger("deepsim_gazebo")

_GENERATION = struct.Struct("<Q")
_COUNT = struct.Struct("<I")
_BOOL = struct.Struct("<?")
_FILE = struct.Struct("<IQ")
_SHOT = struct.Struct("<?8dII??")
_STAMP = struct.Struct("<II")
_PICTURE = struct.Struct("<II15dII")
_MOST_LISTED = 20  # names in an error message
_MOST_PER_CALL = 100  # models: the timeout is for one call

T = TypeVar("T")


class Listing(NamedTuple):
    """The names of all entities of a server.

    >>> listing = Listing(Entities(1, models=["car"]), cameras=(), no_pictures="no display")
    >>> list(listing.entities.models)
    ['car']
    """

    entities: Entities
    """All rows, in order."""
    cameras: tuple[str, ...]
    """Names of the camera sensors, ``model::link::sensor``."""
    no_pictures: str
    """Why the server takes no pictures; empty if it takes them."""


class NewEntity(NamedTuple):
    """A model or light to be spawned.

    >>> def spawn_ball(client: BatchStateClient, sdf: str) -> bool:
    ...     reasons = client.spawn([NewEntity("ball", sdf, (0, 0, 1, 0, 0, 0, 1))])
    ...     return reasons == [None]
    """

    name: str
    """Name in the world; replaces the name in the text."""
    xml: str
    """SDF or URDF text of a model or a light."""
    pose: ArrayLike
    """(7,) in the world frame; replaces the pose in the text."""


class Shot(NamedTuple):
    """A picture, depths, or both, taken by a camera."""

    view: CameraView
    """Pose and lens of the camera."""
    mount: Pose
    """Pose of the camera in the frame of its link; the identity for a free camera."""
    rgb: NDArray[np.uint8]
    """(height, width, 3) RGB; empty if not requested."""
    depth: NDArray[np.float32]
    """(height, width) along the optical axis [m], inf for nothing; empty if not requested."""
    drawn: NDArray[np.int32]
    """(height, width) index into `links`, -1 for nothing and heightmaps; empty without depth."""
    links: Sequence[str]
    """Names of the links in the picture."""


class BatchStateClient:
    """Client of the plugin ``gazebo_batch_state``; needs no ROS on this side.

    Every call may raise a `GazeboError`. A client is not thread-safe.

    Args:
        master_uri: URI of the ROS master; defaults to ``ROS_MASTER_URI``.
        namespace: ROS namespace of the plugin's services.
        timeout: Longest wait for the answer to a call [s].

    Attributes:
        master: The ROS master.
        caller: The ROS name of this process.
        losses: The number of calls without an answer; after each, the next answer may come from
            another server.

    >>> def count_models() -> int:  # of the gzserver at ROS_MASTER_URI
    ...     client = BatchStateClient()
    ...     try:
    ...         return len(client.names().entities.models)
    ...     finally:
    ...         client.close()
    """

    def __init__(
        self,
        master_uri: str | None = None,
        *,
        namespace: str = "/gazebo_batch_state",
        timeout: float = 10.0,
    ) -> None:
        if not timeout > 0.0:
            raise ValueError(f"timeout must be > 0 s, got {timeout}")
        self.caller = f"/deepsim_{os.getpid()}"
        self.losses = 0
        self._timeout = timeout
        self._mailbox: Mailbox | None = None
        self.master = Master(master_uri, self.caller, timeout)
        space = f"/{namespace.strip('/')}".rstrip("/")
        self._services = {
            name: ServiceClient(self.master, f"{space}/{name}", service, self.caller, timeout)
            for name, service in SERVICES.items()
        }

    def exchange(self, request: ExchangeRequest) -> ExchangeReply:
        """Applies changes, runs physics steps and returns tables, in one round trip."""
        body = request.pack()
        if self._mailbox is None or not self._mailbox.fits(body):
            reply = self._call("exchange", body, request)
        else:
            try:
                reply = self._guarded(self._mailbox.call, body, request)
            except CallRefusedError:
                raise
            except BaseException:  # such as KeyboardInterrupt: the answer may come later
                self._close_mailbox()
                raise
        return ExchangeReply.unpack(reply, request.kinds)

    def names(self, generation: int = 0) -> Listing:
        """Returns the names of all entities.

        Args:
            generation: Generation of the names, if the server still knows it; for 0 or an unknown
                one, the server returns the names of the present generation.
        """
        reader = self.ask("get_names", _GENERATION.pack(generation), "all names")
        (generation,) = reader.fields(_GENERATION)
        *rows, cameras = (reader.strings() for _ in range(len(TABLES) + 1))
        no_pictures = reader.string()
        reader.end()
        entities = Entities(generation, **dict(zip(TABLES, rows)))
        return Listing(entities, tuple(cameras), no_pictures)

    def spawn(self, entities: Sequence[NewEntity]) -> list[str | None]:
        """Adds models and lights, 100 per call; returns None, or why it failed, for each.

        Logs a warning for plugins and meshes of visuals that the server did not find.
        """
        failures: list[str | None] = []
        for part in _parts(entities):
            requests = b"".join(
                pack_string(entity.name)
                + pack_string(entity.xml)
                + np.asarray(entity.pose, dtype="<f8").reshape(7).tobytes()
                + pack_string("world")
                for entity in part
            )
            names = [entity.name for entity in part]
            failures += self._rows("spawn_models", _COUNT.pack(len(names)) + requests, names)
        return failures

    def delete(self, names: Sequence[str]) -> list[str | None]:
        """Removes models and lights, 100 per call; returns None, or why it failed, for each."""
        failures: list[str | None] = []
        for part in _parts(names):
            failures += self._rows("delete_models", pack_strings(part), part)
        return failures

    def pause(self) -> None:
        """Stops time."""
        self.do("pause", b"", "stop time")

    def unpause(self) -> None:
        """Lets time run freely."""
        self.do("unpause", b"", "let time run")

    def reset(self) -> None:
        """Resets time to 0 and every model to its spawn pose, at rest."""
        self.do("reset", b"", "go back to time 0")

    def set_physics(self, timestep: float, gravity: ArrayLike) -> None:
        """Sets the step size [s] and gravity [m/s^2], (3,) in the world frame.

        Raises:
            ValueError: Gravity is not three numbers.
        """
        vector = np.asarray(gravity, dtype="<f8")
        if vector.shape != (3,):
            raise ValueError(f"gravity must be 3 numbers, got {gravity!r}")
        body = np.array([timestep, *vector], dtype="<f8").tobytes()
        self.do("set_physics", body, f"timestep {timestep} s, gravity {vector.tolist()}")

    def look(
        self,
        camera: str | CameraView,
        *,
        rgb: bool = True,
        depth: bool = False,
        mount: CameraMount | None = None,
    ) -> Shot:
        """Takes a picture, measures depths, or both, at the present instant.

        Args:
            camera: The name of a camera sensor, or a free camera.
            rgb: Whether to take a picture.
            depth: Whether to measure depths and to identify links.
            mount: The mount of a camera sensor, if it differs from the description.

        Raises:
            CallRefusedError: No camera sensor has the name, or the server cannot render it.
        """
        name, view = ("", camera) if isinstance(camera, CameraView) else (camera, None)
        place = (0.0,) * 6 + (1.0, 0.0, 0, 0)
        if view is not None:
            place = (*view.pose, view.horizontal_fov, view.width, view.height)
        elif mount is not None:
            place = (*mount.pose, mount.horizontal_fov, 0, 0)
        body = pack_string(name) + _SHOT.pack(mount is not None, *place, not rgb, depth)
        reader = self.ask("get_image", body, str(camera))
        self.check(reader, "get_image")
        _, _, *poses, angle, width, height = reader.fields(_PICTURE)
        colors = reader.octets()
        depths, drawn = reader.numbers("<f4"), reader.numbers("<i4")
        links = reader.strings()
        reader.end()
        pixels = width * height
        sizes = colors.size, depths.size, drawn.size
        if sizes != (3 * pixels * rgb, pixels * depth, pixels * depth):
            raise MalformedReplyError(
                f"the answer of get_image has {sizes} numbers for {width} x {height} pixels"
            )
        if depth and (drawn.min() < -1 or drawn.max() >= len(links)):
            raise MalformedReplyError("the answer of get_image shows links that it does not name")
        try:
            pose, mounted = (Pose(p[:3], Quaternion(*p[3:])) for p in (poses[:7], poses[7:]))
            view = CameraView(pose, angle, width, height)
        except ValueError as error:
            raise MalformedReplyError(f"the answer of get_image has no lens: {error}") from None
        return Shot(
            view,
            mounted,
            colors.reshape(height, width, 3).copy() if rgb else colors,
            depths.reshape(height, width).copy() if depth else depths,
            drawn.reshape(height, width).copy() if depth else drawn,
            links,
        )

    def bounds(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Returns the axis-aligned bounding boxes of collisions, from the physics engine.

        Boxes of rotated shapes may be larger than necessary; boxes of planes are infinite.

        Args:
            names: Models or links.

        Returns:
            (n, 2, 3): lowest and highest x, y, z of each [m], in the world frame.

        Raises:
            CallRefusedError: The model or link does not exist, or has no collision.
        """
        reader = self.ask("get_bounds", pack_strings(names), _listed(names))
        numbers, failures = reader.floats(), self._failures(reader, "get_bounds", names)
        reader.fields(_STAMP)
        reader.end()
        for failure in failures:
            if failure is not None:
                raise CallRefusedError(f"get_bounds was refused: {failure}")
        if numbers.size != 6 * len(names):
            raise MalformedReplyError(
                f"the answer of get_bounds has {numbers.size} numbers for {len(names)} names"
            )
        return numbers.reshape(-1, 2, 3).copy()

    def open_shared_memory(self, directory: str = "") -> SharedFile:
        """Makes the server write its tables to a file that can be mapped into memory.

        Args:
            directory: A folder in the server's file system; by default the server chooses one.
        """
        return self._open("open_shared_memory", directory)

    def open_mailbox(self, directory: str = "") -> None:
        """Opens a file that both sides map into memory, for all later calls to `exchange`.

        Requests that are too large, or follow a lost or late answer, go through ROS.

        Args:
            directory: A folder in the server's file system; by default the server chooses one.

        Raises:
            CallRefusedError: Another client has the mailbox, or the server can make none.
            SharedFileError: The file cannot be opened here.
        """
        self._close_mailbox()
        self._mailbox = Mailbox(self._open("open_mailbox", directory), self._timeout)

    def lose(self) -> None:
        """Counts a loss of the server, and closes the other connections, which broke with it."""
        self.losses += 1
        self.close()

    def close(self) -> None:
        """Closes all connections; the next call opens a new one."""
        self._close_mailbox()
        for service in self._services.values():
            service.close()

    def _call(self, service: str, body: bytes, asked: object) -> bytes:
        return self._guarded(self._services[service].call, body, asked)

    def _guarded(self, call: Callable[[bytes, object], bytes], body: bytes, asked: object) -> bytes:
        try:
            return call(body, asked)
        except (UnreachableError, CallLostError, CallTimeoutError):
            self.lose()
            raise

    def _close_mailbox(self) -> None:
        if self._mailbox is not None:
            self._mailbox.close()
            self._mailbox = None

    def _open(self, service: str, directory: str) -> SharedFile:
        reader = self.ask(service, pack_string(directory), "a shared file")
        self.check(reader, service)
        path = reader.string()
        version, size = reader.fields(_FILE)
        reader.end()
        return SharedFile(path, version, size)

    def ask(self, service: str, body: bytes, asked: str) -> Reader:
        """Calls a service and returns its answer; `asked` is for error messages."""
        return Reader(self._call(service, body, asked), service)

    def do(self, service: str, body: bytes, asked: str) -> None:
        """Calls a service that only answers whether it succeeded.

        Raises:
            CallRefusedError: The call did not succeed.
        """
        reader = self.ask(service, body, asked)
        self.check(reader, service)
        reader.end()

    def check(self, reader: Reader, service: str) -> None:
        """Reads the beginning of an answer: whether the call succeeded.

        Raises:
            CallRefusedError: The call did not succeed.
        """
        (success,) = reader.fields(_BOOL)
        message = reader.string()
        if not success:
            raise CallRefusedError(f"{service} was refused: {message}")

    def _rows(self, service: str, body: bytes, names: Sequence[str]) -> list[str | None]:
        reader = self.ask(service, body, _listed(names))
        failures = self._failures(reader, service, names)
        reader.end()
        return failures

    def _failures(self, reader: Reader, service: str, names: Sequence[str]) -> list[str | None]:
        success, messages = reader.bools(), reader.strings()
        if not len(success) == len(messages) == len(names):
            raise MalformedReplyError(
                f"the answer of {service} has {len(success)} rows for {len(names)} names"
            )
        for name, done, message in zip(names, success, messages):
            if done and message:
                _LOGGER.warning("%r is incomplete: %s", name, message)
        return [
            None if done else message or "without a reason"
            for done, message in zip(success, messages)
        ]


def _parts(items: Sequence[T]) -> list[Sequence[T]]:
    return [items[at : at + _MOST_PER_CALL] for at in range(0, len(items), _MOST_PER_CALL)]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
    return ", ".join(names[:_MOST_LISTED]) + more

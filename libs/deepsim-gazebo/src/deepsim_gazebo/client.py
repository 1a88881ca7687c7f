# SPDX-License-Identifier: Apache-2.0
"""The plugin's services as Python calls, each over a connection of its own."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Pose
from deepsim_sync import CameraView, Entities

from .errors import (
    CallLostError,
    CallRefusedError,
    CallTimeoutError,
    MalformedReplyError,
    UnreachableError,
)
from .exchange import ExchangeReply, ExchangeRequest
from .master import Master
from .services import SERVICES
from .tcpros import ServiceClient
from .wire import Reader, pack_string, pack_strings

_GENERATION = struct.Struct("<Q")
_COUNT = struct.Struct("<I")
_BOOL = struct.Struct("<?")
_FILE = struct.Struct("<IQ")
_FREE_CAMERA = struct.Struct("<8dII")
_STAMP = struct.Struct("<II")
_PICTURE = struct.Struct("<IIII")
_MOST_NAMED = 20  # in an error message


class Listing(NamedTuple):
    """What `get_names` answers."""

    entities: Entities
    """All rows, in order."""
    cameras: tuple[str, ...]
    """Names of the camera sensors, ``model::link::sensor``."""
    no_pictures: str
    """Why the server takes no pictures; empty where it does."""


class NewEntity(NamedTuple):
    """One model or light to be spawned."""

    name: str
    """Replaces the name in the text."""
    xml: str
    """SDF or URDF; a light where its root is one."""
    pose: Pose
    """In the world frame; replaces the pose in the text."""


class SharedFile(NamedTuple):
    """Where the server keeps its tables in shared memory."""

    path: str
    """In the server's file system."""
    version: int
    """Of the layout."""
    size: int
    """[bytes]"""


class BatchStateClient:
    """Calls the plugin ``gazebo_batch_state``; needs no ROS on this side.

    Every call may raise the errors of this library's `GazeboError` tree. To be used from one
    thread at a time.

    Args:
        master_uri: Where the ROS master is; by default what ``ROS_MASTER_URI`` says.
        namespace: Where the plugin's services are.
        timeout: Longest wait for the answer to a call [s].

    Attributes:
        master: Who knows where the services are.
        caller: The ROS name of this process.
        losses: How often a call found nobody; whoever answers next may be another server.
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
        self.master = Master(master_uri, self.caller, timeout)
        space = f"/{namespace.strip('/')}".rstrip("/")
        self._services = {
            name: ServiceClient(self.master, f"{space}/{name}", service, self.caller, timeout)
            for name, service in SERVICES.items()
        }

    def exchange(self, request: ExchangeRequest) -> ExchangeReply:
        """Applies rows, steps, and returns tables, in one round trip."""
        body = self._call("exchange", request.pack(), request)
        return ExchangeReply.unpack(body, request.kinds)

    def names(self) -> Listing:
        """The names of all rows."""
        reader = self._ask("get_names", b"", "all names")
        (generation,) = reader.fields(_GENERATION)
        models, links, visuals, lights, cameras = (reader.strings() for _ in range(5))
        no_pictures = reader.string()
        reader.end()
        entities = Entities(generation, models=models, links=links, visuals=visuals, lights=lights)
        return Listing(entities, tuple(cameras), no_pictures)

    def spawn(self, entities: Sequence[NewEntity]) -> list[str | None]:
        """Adds models and lights; why each one failed, or None."""
        requests = b"".join(
            pack_string(entity.name)
            + pack_string(entity.xml)
            + np.asarray(entity.pose, dtype="<f8").tobytes()
            + pack_string("world")
            for entity in entities
        )
        names = [entity.name for entity in entities]
        return self._rows("spawn_models", _COUNT.pack(len(names)) + requests, names)

    def delete(self, names: Sequence[str]) -> list[str | None]:
        """Removes models and lights; why each one failed, or None."""
        return self._rows("delete_models", pack_strings(names), names)

    def pause(self) -> None:
        """Stops time."""
        self._do("pause", b"", "stop time")

    def unpause(self) -> None:
        """Lets time run."""
        self._do("unpause", b"", "let time run")

    def reset(self) -> None:
        """Back to time 0: every model at its spawn pose and at rest."""
        self._do("reset", b"", "go back to time 0")

    def set_physics(self, timestep: float, gravity: ArrayLike) -> None:
        """Sets the step size [s] and gravity [m/s^2], (3,) in the world frame.

        Raises:
            ValueError: Gravity is not three numbers.
        """
        vector = np.asarray(gravity, dtype="<f8")
        if vector.shape != (3,):
            raise ValueError(f"gravity must be 3 numbers, got {gravity!r}")
        body = np.array([timestep, *vector], dtype="<f8").tobytes()
        self._do("set_physics", body, f"timestep {timestep} s, gravity {vector.tolist()}")

    def image(self, camera: str | CameraView) -> NDArray[np.uint8]:
        """A picture of the present instant.

        Args:
            camera: The name of a camera sensor, or a free camera.

        Returns:
            (height, width, 3) RGB, a new array.
        """
        name, view = ("", camera) if isinstance(camera, CameraView) else (camera, None)
        free = (0.0,) * 6 + (1.0, 0.0, 0, 0)
        if view is not None:
            free = (*view.pose, view.horizontal_fov, view.width, view.height)
        reader = self._ask("get_image", pack_string(name) + _FREE_CAMERA.pack(*free), str(camera))
        self._check(reader, "get_image")
        _, _, width, height = reader.fields(_PICTURE)
        rgb = reader.octets()
        reader.end()
        if rgb.size != width * height * 3:
            raise MalformedReplyError(
                f"the answer of get_image has {rgb.size} bytes for {width} x {height} pixels"
            )
        return rgb.reshape(height, width, 3).copy()

    def bounds(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Boxes around what collides, along the world's axes, as the physics engine keeps them.

        Around what is turned they may have room to spare, and around a plane they are infinite.

        Args:
            names: Models or links.

        Returns:
            (n, 2, 3): lowest and highest x, y, z of each [m].

        Raises:
            CallRefusedError: There is no such model or link, or nothing of it collides.
        """
        reader = self._ask("get_bounds", pack_strings(names), _listed(names))
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
        """Asks for the tables in a file that is mapped into memory.

        Args:
            directory: Where, in the server's file system; by default where the server likes.
        """
        reader = self._ask("open_shared_memory", pack_string(directory), "the tables in a file")
        self._check(reader, "open_shared_memory")
        path = reader.string()
        version, size = reader.fields(_FILE)
        reader.end()
        return SharedFile(path, version, size)

    def close(self) -> None:
        """Closes all connections; the next call makes a new one."""
        for service in self._services.values():
            service.close()

    def _call(self, service: str, body: bytes, asked: object) -> bytes:
        try:
            return self._services[service].call(body, asked)
        except (UnreachableError, CallLostError, CallTimeoutError):
            # One error per lost server: the other connections have ended with it.
            self.losses += 1
            self.close()
            raise

    def _ask(self, service: str, body: bytes, asked: str) -> Reader:
        return Reader(self._call(service, body, asked), service)

    def _do(self, service: str, body: bytes, asked: str) -> None:
        reader = self._ask(service, body, asked)
        self._check(reader, service)
        reader.end()

    def _check(self, reader: Reader, service: str) -> None:
        (success,) = reader.fields(_BOOL)
        message = reader.string()
        if not success:
            raise CallRefusedError(f"{service} was refused: {message}")

    def _rows(self, service: str, body: bytes, names: Sequence[str]) -> list[str | None]:
        reader = self._ask(service, body, _listed(names))
        failures = self._failures(reader, service, names)
        reader.end()
        return failures

    def _failures(self, reader: Reader, service: str, names: Sequence[str]) -> list[str | None]:
        success, messages = reader.bools(), reader.strings()
        if not len(success) == len(messages) == len(names):
            raise MalformedReplyError(
                f"the answer of {service} has {len(success)} rows for {len(names)} names"
            )
        return [
            None if done else message or "without a reason"
            for done, message in zip(success, messages)
        ]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more

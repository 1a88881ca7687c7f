# SPDX-License-Identifier: Apache-2.0
"""Implements the port `Simulator` on a simulator in another process."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import (
    ALL_COLUMNS,
    Changes,
    Descriptions,
    Entities,
    Key,
    Refusal,
    Seeds,
    SpawnError,
    SpawnRequest,
    Tables,
    WorldNumbers,
)
from deepsim_sync.port.forwarding import (
    ForwardedCameras,
    ForwardedContacts,
    ForwardedDynamics,
    ForwardedMounts,
    ForwardedPhysics,
    ForwardedSensors,
    Method,
)
from deepsim_transport.rows import Frame, arrays_of, entities_of, pack, refusals_of, unpack
from deepsim_transport.session import Transport
from deepsim_transport.session.transport import TIMEOUT

from .calls import LOOKING, packed_call, raised, unpacked_result
from .models import packed_model, read_descriptions

T = TypeVar("T")

CALL, ASK = "call", "ask"
"""Topics of requests to a `PhysicsServer`: for all calls, and for calls that change nothing."""


class RemoteSimulator:
    """A simulator that forwards all calls to the simulator of a `PhysicsServer`.

    Each call is a request that waits for its answer, so a `World` with this simulator runs in lock
    step and gives the same bits as one with the server's simulator. Time and entities are as of
    the latest call. Models are sent as SDF or MJCF; the server's process must find their files.

    Args:
        transport: The session; its namespace is the name of the server's world.
        timeout: Longest time to wait for an answer [s].

    Attributes:
        worlds: The number of worlds, W.
        timestep: Duration of one physics step [s].
        entities: The names of all entities.
        cameras: Pictures. This and each capability below is None if the server's simulator does
            not have it.
        depth_cameras: Depth, model and link of each pixel in pictures.
        camera_mounts: Poses and lenses of the camera sensors.
        contacts: The contact points of links.
        dynamics: Jacobians and bias forces, but not the solvers of inverse kinematics.
        sensors: Measurements of sensors.
        physics: Factors of mass, friction and damping.
        snapshots: None, because snapshots cannot be sent to other processes.

    Raises:
        NoAnswerError: No server answers for this world.

    >>> import threading
    >>> from deepsim_mujoco import MujocoSimulator
    >>> from deepsim_sync import World
    >>> from deepsim_transport import PhysicsServer
    >>> transport = Transport(namespace="lab")  # needs a master
    >>> server = PhysicsServer(MujocoSimulator(), transport, paused=True)
    >>> threading.Thread(target=server.run, daemon=True).start()  # in another process, elsewhere
    >>> world = World(RemoteSimulator(transport))
    >>> world.tick()
    >>> bool(world.time[0] == server.simulator.time[0] > 0.0)
    True
    >>> server.stop()
    >>> transport.close()
    """

    snapshots = None

    def __init__(self, transport: Transport, timeout: float = TIMEOUT) -> None:
        self._transport, self._timeout = transport, timeout
        self.entities = Entities(-1)
        self._time = np.zeros(0)
        answer = self._call("hello")
        self.worlds = int(answer.header["worlds"])
        self.timestep = float(answer.header["timestep"])
        has, forward = answer.header["has"], self._forward
        cameras = ForwardedCameras(forward)
        self.cameras = cameras if "cameras" in has else None
        self.depth_cameras = cameras if "depth_cameras" in has else None
        self.camera_mounts = ForwardedMounts(forward) if "camera_mounts" in has else None
        self.contacts = ForwardedContacts(forward) if "contacts" in has else None
        self.dynamics = ForwardedDynamics(forward, self.worlds) if "dynamics" in has else None
        self.physics = ForwardedPhysics(forward, self.worlds) if "physics" in has else None
        sensors = ForwardedSensors(forward, lambda: self.entities.generation)
        self.sensors = sensors if "sensors" in has else None

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time at the latest call, (W,) [s]."""
        return self._time.copy()

    @property
    def descriptions(self) -> Descriptions:
        """The descriptions of models and lights."""
        return read_descriptions(self._call("descriptions").header)

    def step(
        self, n: int = 1, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Applies a batch of changes, then advances by exactly `n` physics steps."""
        arrays = {} if changes is None else arrays_of(changes)
        if worlds is not None:
            arrays["worlds"] = np.asarray(worlds)
        batch = {} if changes is None else {"batch": changes.generation}
        answer = self._call("step", {"n": n, **batch}, arrays)
        return refusals_of(answer.header["refused"])

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Resets some worlds to time 0."""
        given = None if seeds is None else [None if each is None else int(each) for each in seeds]
        arrays = {} if worlds is None else {"worlds": np.asarray(worlds)}
        self._call("reset", {"seeds": given}, arrays)

    def read(self, tables: Tables, columns: Collection[Key] = ALL_COLUMNS) -> None:
        """Fills columns of the tables."""
        asked = [f"{kind}.{column}" for kind, column in columns]
        answer = self._call("read", {"columns": asked})
        for (kind, column), name in zip(columns, asked, strict=True):
            tables.columns[kind, column][...] = answer.arrays[name]

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies a batch of changes."""
        answer = self._call("write", {"batch": changes.generation}, arrays_of(changes))
        return refusals_of(answer.header["refused"])

    def spawn(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds models to every world."""
        models, poses = [], {}
        for number, request in enumerate(requests):
            try:
                model = packed_model(request.description)
            except AttributeError:
                raise SpawnError(
                    request.name,
                    f"a {type(request.description).__name__} is sent neither as SDF nor as MJCF",
                ) from None
            models.append([request.name, model])
            poses[f"pose/{number}"] = np.asarray(request.pose, np.float64)
        self._call("spawn", {"models": models}, poses)

    def delete(self, name: str) -> None:
        """Removes a model from every world."""
        self._call("delete", {"name": name})

    def close(self) -> None:
        """Does nothing: server and session are closed by their owners."""

    def _forward(self, method: Method[T], /, **arguments: Any) -> T:
        """Calls a method of a capability in the other process."""
        answer = self._call(method.key, *packed_call(arguments))
        result: T = unpacked_result(method, answer)
        return result

    def _call(
        self,
        name: str,
        header: dict[str, Any] | None = None,
        arrays: dict[str, NDArray[Any]] | None = None,
    ) -> Frame:
        """Sends a call and returns its answer.

        Raises:
            DeepSimError: The call failed in the other process; the error keeps its class if both
                processes know it.
        """
        known = {"call": name, "generation": self.entities.generation}
        request = pack(known | (header or {}), arrays)
        topic = ASK if name in LOOKING else CALL
        answer = unpack(self._transport.request(topic, request, self._timeout))
        self._time = answer.arrays["time"]
        if "names" in answer.header:
            self.entities = entities_of(answer.header["generation"], answer.header["names"])
        if "error" in answer.header:
            raise raised(answer.header)
        return answer

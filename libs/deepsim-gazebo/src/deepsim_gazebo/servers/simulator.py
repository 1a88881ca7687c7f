# SPDX-License-Identifier: Apache-2.0
"""The simulator of many worlds on Gazebo 11, with one server per world."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from deepsim_gazebo.description import DescribedWorld
from deepsim_gazebo.errors import (
    CallLostError,
    CallTimeoutError,
    GazeboError,
    UnreachableError,
)
from deepsim_gazebo.simulator import GazeboSimulator
from deepsim_sync import (
    ALL_COLUMNS,
    KINDS,
    Cells,
    Changes,
    DeepSimError,
    Descriptions,
    Entities,
    Key,
    Refusal,
    Seeds,
    SimulationError,
    SpawnRequest,
    Tables,
    WorldNumbers,
    checked_requests,
)
from deepsim_sync.port.forwarding import (
    ForwardedCameras,
    ForwardedContacts,
    ForwardedDynamics,
    ForwardedMounts,
    ForwardedPhysics,
    ForwardedSensors,
)

from .calls import Calls

Answer = TypeVar("Answer")

_GONE = (CallLostError, CallTimeoutError, UnreachableError)
_LOOK = 0.05  # between two attempts to reach a server that is restarting [s]


class GazeboServers:
    """The worlds of W gzservers as one simulator, called at the same time, in lock-step.

    Each server has its own ROS master, and all worlds have the same entities. A server that ends or
    does not answer counts as a world that diverged: `step` raises an error with the number of the
    world, and the other worlds go on. After a restart of the server, `reset` of its world restores
    the models, lights and watched sensors that were added by this object. Not thread-safe.

    Args:
        master_uris: URIs of the W ROS masters.
        namespace: ROS namespace of the plugin's services.
        timeout: Longest wait for the answer to a call, and for the restart of a server [s].
        shared_memory: Whether to use shared memory; see `GazeboSimulator`.

    Attributes:
        worlds: The number of worlds, W.
        cameras: Pictures, if all servers found a display when they started; otherwise None.
        depth_cameras: Depths, models and links in pictures; the same object.
        camera_mounts: Poses and lenses of the camera sensors, if there are cameras; otherwise None.
        physics: Factors of mass, weight, friction and damping.
        dynamics: Jacobians and bias forces.
        sensors: Measurements at the end of a step.

    Raises:
        UnreachableError: No gzserver with the plugin is running at one of the masters.

    >>> from deepsim_sync import World
    >>> def advance(masters: Sequence[str]) -> int:  # the gzservers at these masters by one tick
    ...     with World(GazeboServers(masters)) as world:
    ...         world.tick()
    ...         return len(world)
    """

    snapshots = None

    def __init__(
        self,
        master_uris: Sequence[str],
        *,
        namespace: str = "/gazebo_batch_state",
        timeout: float = 10.0,
        shared_memory: bool = True,
    ) -> None:
        if isinstance(master_uris, str) or len(set(master_uris)) != len(master_uris):
            raise ValueError(f"master_uris are different URIs in a list, got {master_uris!r}")
        if not master_uris:
            raise ValueError("master_uris names no ROS master: at least one is needed")
        self.worlds = len(master_uris)
        self._timeout = timeout
        self._servers: list[GazeboSimulator] = []
        try:
            for uri in master_uris:
                self._servers.append(
                    GazeboSimulator(
                        uri, namespace=namespace, timeout=timeout, shared_memory=shared_memory
                    )
                )
        except BaseException:
            for server in self._servers:
                server.close()
            raise
        self._calls = Calls(self._servers)
        self._lost: dict[int, GazeboError] = {}
        self._present: list[Entities] = []  # of each server, those that were compared
        self._entities = Entities(0)
        self._tables: dict[int, Tables] = {}  # of each server
        renders = all(server.cameras is not None for server in self._servers)
        forward = self._calls.forward
        self.cameras = self.depth_cameras = ForwardedCameras(forward) if renders else None
        self.camera_mounts = ForwardedMounts(forward) if renders else None
        self.physics = ForwardedPhysics(forward, self.worlds)
        self.dynamics = ForwardedDynamics(forward, self.worlds)
        self.sensors = ForwardedSensors(forward, lambda: self._servers[0].entities.generation)
        self._contacts = ForwardedContacts(forward)

    @property
    def contacts(self) -> ForwardedContacts:
        """The contact points of links; Gazebo keeps their forces from the first access on."""
        for server in self._servers:
            _ = server.contacts
        return self._contacts

    # Time

    @property
    def entities(self) -> Entities:
        """The names of all entities, the same in every world.

        Raises:
            DeepSimError: Another client added or removed entities in some of the worlds only.
        """
        present = [server.entities for _, server in self._alive()]
        if [id(each) for each in present] != [id(each) for each in self._present]:
            for (world, _), each in zip(self._alive(), present):
                _compare(present[0], each, world)
            if not self._present or not _are_alike(present[0], self._entities):
                names = {kind: present[0].names(kind) for kind in KINDS}
                self._entities = Entities(self._entities.generation + 1, **names)
            self._present = present
        return self._entities

    @property
    def descriptions(self) -> Descriptions:
        """The descriptions of the present models and lights that this object spawned or loaded."""
        (_, server), *_ = self._alive()
        return server.descriptions

    @property
    def time(self) -> NDArray[np.float64]:
        """(W,) simulated time of the last answers [s]."""
        return np.concatenate([server.time for server in self._servers])

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        return self._servers[0].timestep

    def step(
        self, n: int = 1, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Applies changes, then advances some worlds by exactly n >= 1 physics steps.

        Raises:
            SimulationError: The physics of some worlds diverged, or their servers are gone.
            ValueError: `n` is less than 1.
        """
        if n < 1:
            raise ValueError(f"a world advances by n >= 1 steps, got {n}")
        chosen = self._calls.chosen(worlds)
        refusals = () if changes is None else self.write(changes)
        if refusals:
            return refusals
        answers = self._call(lambda _, server: server.step(n), chosen)
        failed: dict[int, Exception] = {}
        for world in chosen:
            error = self._lost.get(world) or answers[world]
            if isinstance(error, (SimulationError, *_GONE)):
                failed[world] = error
            elif isinstance(error, Exception):
                raise error
        if failed:
            reasons = "; ".join(f"world {world}: {error}" for world, error in failed.items())
            raise SimulationError(reasons, worlds=failed)
        return ()

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Resets some worlds to time 0.

        The seeds are ignored, because Gazebo takes a seed only at start-up.

        Raises:
            GazeboError: A server is gone, and was not restarted in time.
        """
        chosen = self._calls.chosen(worlds)
        for world, answer in self._calls.of(self._reset, chosen).items():
            if isinstance(answer, Exception):
                raise answer
            self._lost.pop(world, None)

    # Rows

    def read(self, tables: Tables, columns: Collection[Key] = ALL_COLUMNS) -> None:
        """Fills columns of the tables for all worlds; rows of lost servers keep their values."""
        self._check_generation("tables", tables.entities.generation)

        def read(world: int, server: GazeboSimulator) -> None:
            mine = self._tables.get(world)
            if mine is None or mine.entities is not server.entities:
                mine = self._tables[world] = Tables(server.entities)
            server.read(mine, columns)
            for key in columns:
                tables.columns[key][world] = mine.columns[key][0]

        self._call_all(read)

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies changes; returns the refused rows, world by world."""
        self._check_generation("changes", changes.generation)

        def write(world: int, server: GazeboSimulator) -> Sequence[Refusal]:
            cells = {key: _of_world(each, world) for key, each in changes.cells.items()}
            mine = {key: each for key, each in cells.items() if each.rows.size}
            return server.write(Changes(server.entities.generation, mine)) if mine else ()

        return [
            refusal._replace(world=world)
            for world, refusals in self._call_all(write).items()
            for refusal in refusals
        ]

    # Entities

    def spawn(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds models to every world, all or none."""
        checked = checked_requests(requests, self.worlds, self.entities.models)
        answers = self._calls.of(
            lambda world, server: server.spawn([_in_world(each, world) for each in checked]),
            range(self.worlds),
        )
        errors = [answer for answer in answers.values() if isinstance(answer, Exception)]
        if errors:
            for world, answer in answers.items():
                for each in checked if answer is None else ():
                    self._servers[world].delete(each.name)
            raise errors[0]

    def delete(self, name: str) -> None:
        """Removes a model and everything nested in it from every world."""
        self._calls.each(lambda _, server: server.delete(name), range(self.worlds))

    def load(self, world: DescribedWorld) -> None:
        """Replaces all worlds with a described one; see `GazeboSimulator.load`."""
        self._calls.each(lambda _, server: server.load(world), range(self.worlds))

    def close(self) -> None:
        """Closes all connections; the worlds stay as they are."""
        self._calls.close()
        for server in self._servers:
            server.close()

    # Worlds

    def _alive(self) -> list[tuple[int, GazeboSimulator]]:
        alive = [each for each in enumerate(self._servers) if each[0] not in self._lost]
        if not alive:
            raise next(iter(self._lost.values()))
        return alive

    def _check_generation(self, what: str, generation: int) -> None:
        present = self.entities.generation
        if generation != present:
            raise ValueError(f"{what} are of generation {generation}, the present one is {present}")

    def _call(
        self, call: Callable[[int, GazeboSimulator], Answer], worlds: Iterable[int]
    ) -> dict[int, Answer | Exception]:
        """Calls the chosen servers that are not lost, and marks those that fail as lost."""
        answers = self._calls.of(call, [world for world in worlds if world not in self._lost])
        for world, answer in answers.items():
            if isinstance(answer, _GONE):
                self._lost[world] = answer
        return answers

    def _call_all(self, call: Callable[[int, GazeboSimulator], Answer]) -> dict[int, Answer]:
        """Returns the answers of all servers that are not lost."""
        answered: dict[int, Answer] = {}
        for world, answer in self._call(call, range(self.worlds)).items():
            if not isinstance(answer, Exception):
                answered[world] = answer
            elif world not in self._lost:
                raise answer
        return answered

    def _reset(self, world: int, server: GazeboSimulator) -> None:
        """Resets one world, if need be on a server that is starting again."""
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                return server.reset()
            except _GONE as error:
                self._lost[world] = error
                if time.monotonic() > deadline:
                    raise
                time.sleep(_LOOK)


def _of_world(cells: Cells, world: int) -> Cells:
    mine = np.flatnonzero(cells.worlds == world)
    return Cells(np.zeros(len(mine), np.intp), cells.rows[mine], cells.values[mine])


def _in_world(request: SpawnRequest, world: int) -> SpawnRequest:
    poses = np.asarray(request.pose)
    return request._replace(pose=poses[world : world + 1])


def _are_alike(one: Entities, other: Entities) -> bool:
    return all(tuple(one.names(kind)) == tuple(other.names(kind)) for kind in KINDS)


def _compare(first: Entities, other: Entities, world: int) -> None:
    """Checks that a world has the same entities as the first one."""
    for kind in KINDS:
        ours, theirs = tuple(first.names(kind)), tuple(other.names(kind))
        if ours != theirs:
            odd = sorted(set(ours) ^ set(theirs)) or "the same, in another order"
            raise DeepSimError(
                f"the servers must have the same entities: {kind} of world {world} differ in {odd}"
            )

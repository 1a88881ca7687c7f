# SPDX-License-Identifier: Apache-2.0
"""The simulator on Gazebo 11."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import (
    ALL_COLUMNS,
    COLUMNS,
    SCOPE,
    Changes,
    DeepSimError,
    Descriptions,
    DuplicateEntityError,
    Entities,
    Key,
    Kind,
    Names,
    Refusal,
    Seeds,
    SpawnError,
    SpawnRequest,
    Tables,
    UnknownEntityError,
    WorldNumbers,
    checked_requests,
)

from .capabilities.cameras import GazeboCameras, GazeboMounts
from .capabilities.physics import GazeboContacts, GazeboDynamics, GazeboPhysics
from .capabilities.sensors import GazeboSensors
from .description import DescribedWorld, sdf_of
from .errors import CallLostError, GazeboError, UnreachableError
from .protocol.client import BatchStateClient, NewEntity
from .protocol.exchange import ExchangeReply, ExchangeRequest
from .protocol.layout import TABLES
from .protocol.table_file import TableReader
from .ros.clock import Pace, SimulationClock
from .session import Session, is_chosen

_LOGGER = logging.getLogger("deepsim_gazebo")

_STEPS_PER_CALL = 1000  # the timeout is for one call
_PRESENT = 0.02  # how long an answer counts as the present, for what was not read of it yet [s]


class GazeboSimulator:
    """The world of a running gzserver that has loaded the plugin ``libgazebo_batch_state.so``.

    In lock-step, the default, time stands still except during `step`. A tick is one round trip:
    `step` sends the changed rows, and its answer has the tables that were read since the previous
    step. If server and client share memory, tables are read from there; otherwise columns that are
    read one by one at one instant come from one answer.

    In a free-running world, `step` waits until ``/clock`` has advanced; a step that is requested
    too late is counted in `late_ticks`. There is one world, whose number is 0.

    Every call may raise a `GazeboError`; the next call reconnects. A restarted gzserver counts as a
    world that diverged: calls raise SimulationError until `reset`, which restores the models,
    lights and watched sensors that were added by this object. Not thread-safe.

    Other clients, gazebo_ros and Gazebo's GUI may change a world that stands still: reads show that
    at once if server and client share memory, and else after at most 20 ms.

    Args:
        master_uri: URI of the ROS master; defaults to ``ROS_MASTER_URI``.
        namespace: ROS namespace of the plugin's services.
        timeout: Longest wait for the answer to a call, which may run up to 1000 steps [s].
        shared_memory: Whether to read and call through shared memory if server and client share a
            machine; the first client of a server gets the mailbox for calls.
        lock_step: Whether time stands still except during `step`.

    Attributes:
        cameras: Pictures, if gzserver found a display when it started; otherwise None. The reason
            is logged, and is part of `BatchStateClient.names`.
        depth_cameras: Depths, models and links in pictures; the same object.
        camera_mounts: Poses and lenses of the camera sensors, if there are cameras; otherwise None.
        physics: Factors of mass, weight, friction and damping.
        dynamics: Jacobians and bias forces.
        sensors: Measurements at the end of a step.

    Raises:
        UnreachableError: No gzserver with the plugin is running.

    >>> from deepsim_sync import World
    >>> def advance() -> float:  # the gzserver at ROS_MASTER_URI by one tick
    ...     with World(GazeboSimulator()) as world:
    ...         world.tick()
    ...         return float(world.time[0])
    """

    worlds = 1
    snapshots = None

    def __init__(
        self,
        master_uri: str | None = None,
        *,
        namespace: str = "/gazebo_batch_state",
        timeout: float = 10.0,
        shared_memory: bool = True,
        lock_step: bool = True,
    ) -> None:
        self._loaded: DescribedWorld | None = None
        self._spawned: dict[str, SpawnRequest] = {}
        self._models: dict[str, object] = {}
        self._lights: dict[str, object] = {}
        self._client = BatchStateClient(master_uri, namespace=namespace, timeout=timeout)
        self._session = Session(self._client, lock_step=lock_step, mailbox=shared_memory)
        self._shared = TableReader(self._client, usable=shared_memory)
        self._clock = SimulationClock(self._client.master, self._client.caller, timeout)
        self.physics = GazeboPhysics(self._session)
        self._pace = None if lock_step else Pace(self._clock)
        self._recent: set[Kind] = set()  # tables that were read since the last step
        self._reply: ExchangeReply | None = None  # of the last step or read
        self._reply_ends = 0.0  # when that may be of the past, by time.monotonic()
        self._unread: set[Key] = set()  # columns of the reply; each is delivered once
        try:
            self._session.exchange(ExchangeRequest())
            no_pictures = self._session.names.present.no_pictures
        except BaseException:
            self.close()
            raise
        self.camera_mounts = mounts = None if no_pictures else GazeboMounts(self._session)
        self.cameras = None if mounts is None else GazeboCameras(self._session, mounts)
        self.depth_cameras = self.cameras
        self.dynamics = GazeboDynamics(self._session, self.read)
        self.sensors = GazeboSensors(
            self._session, self.read, self.cameras, self._models, lock_step=lock_step
        )
        self._contacts: GazeboContacts | None = None
        if no_pictures:
            _LOGGER.info("Gazebo takes no pictures: %s", no_pictures)

    @property
    def contacts(self) -> GazeboContacts:
        """The contact points of links; Gazebo keeps their forces from the first access on."""
        if self._contacts is None:
            self._contacts = GazeboContacts(self._session)
        return self._contacts

    # Time

    @property
    def entities(self) -> Entities:
        """The names of all entities, as of the last answer."""
        return self._session.names.present.entities

    @property
    def descriptions(self) -> Descriptions:
        """The descriptions of the present models and lights that this object spawned or loaded."""
        here = self.entities
        return Descriptions(
            {name: each for name, each in self._models.items() if name in here.models},
            {name: each for name, each in self._lights.items() if name in here.lights},
        )

    @property
    def time(self) -> NDArray[np.float64]:
        """(1,) simulated time [s] of the last answer, or of ``/clock`` in a free-running world."""
        time = self._session.instant.time if self._pace is None else self._clock.look()
        return np.array([time])

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        return self._session.instant.timestep

    @property
    def late_ticks(self) -> int:
        """The number of steps that were requested after their time had passed; 0 in lock-step."""
        return 0 if self._pace is None else self._pace.late_ticks

    def step(
        self, n: int = 1, worlds: WorldNumbers | None = None, changes: Changes | None = None
    ) -> Sequence[Refusal]:
        """Applies changes, then advances by exactly n >= 1 physics steps, in one round trip.

        In a free-running world it waits for that time instead. If a row is refused, the world does
        not step.

        Raises:
            SimulationError: The physics diverged.
            ValueError: `n` is less than 1, or a world other than 0 is chosen.
        """
        if n < 1:
            raise ValueError(f"a world advances by n >= 1 steps, got {n}")
        if self._pace is not None or not is_chosen(worlds):
            refusals = () if changes is None else self.write(changes)
            if self._pace is not None and not refusals and is_chosen(worlds):
                self._wait(self._pace, n)
            return refusals
        wanted = [kind for kind in TABLES if kind in self._recent and not self._shared.usable]
        self._recent.clear()
        sensors = self.sensors.prefetched()
        self.sensors.begin_step()
        self._keep(None)
        while n > _STEPS_PER_CALL:
            _, refusals = self._session.write(changes, _STEPS_PER_CALL, more_steps=True)
            if refusals:
                return refusals
            changes = None
            n -= _STEPS_PER_CALL
        reply, refusals = self._session.write(changes, n, kinds=wanted, sensors=sensors)
        self._keep(reply)
        self.sensors.keep(reply, sensors)
        return refusals

    def _wait(self, pace: Pace, n: int) -> None:
        self._session.take_control()
        try:
            pace.wait(n * self.timestep, self.timestep)
        except (CallLostError, UnreachableError):
            self._client.lose()
            raise

    def reset(self, worlds: WorldNumbers | None = None, seeds: Seeds = None) -> None:
        """Resets the world to time 0; sets a restarted server up again.

        The seeds are ignored, because Gazebo takes a seed only at start-up.
        """
        if not is_chosen(worlds):
            return
        restarted = self._session.reconnect()
        self._client.reset()
        if self.camera_mounts is not None:
            self.camera_mounts.reset()
        self._invalidate()
        self._session.exchange(ExchangeRequest())
        if restarted:
            self._restore()

    def _restore(self) -> None:
        """Adds to a restarted server what was in the world of the one before."""
        spawned = list(self._spawned.values())
        try:
            if self._loaded is not None:
                self.load(self._loaded)
            present = self.entities.models
            self.spawn([each for each in spawned if each.name not in present])
            self.sensors.restore()
            if self._contacts is not None:
                self._contacts = GazeboContacts(self._session)
        except BaseException:
            self._spawned = {each.name: each for each in spawned}
            self._session.restarted = True
            raise

    def pause(self) -> None:
        """Stops time in a free-running world."""
        self._client.pause()
        self._invalidate()

    def resume(self) -> None:
        """Lets time run freely; in lock-step, only until the next call of `step`."""
        self._client.unpause()
        self._invalidate()

    # Rows

    def read(self, tables: Tables, columns: Collection[Key] = ALL_COLUMNS) -> None:
        """Fills the tables that the columns belong to, all at one instant.

        Tables of another generation are filled by name; rows that no longer exist keep their
        values.
        """
        wanted = _kinds(columns)
        self._recent.update(wanted)
        if not wanted:
            return
        instant = self._shared.read(tables, wanted)
        if instant is not None:
            self._session.instant = instant
            return
        reply = self._reply
        is_past = self._shared.usable or time.monotonic() > self._reply_ends
        if reply is None or is_past or not self._unread.issuperset(columns):
            reply = self._session.exchange(ExchangeRequest(kinds=wanted))
            self._keep(reply)
        self._unread.difference_update(columns)
        self._session.fill(tables, reply, wanted)

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies changes: models before links, poses before twists; returns the refused rows.

        Rows of an earlier generation are found by name; those that no longer exist are refused.

        Raises:
            ValueError: The generation of the changes is unknown or too old.
        """
        reply, refusals = self._session.write(changes)
        self._keep(reply)
        return refusals

    # Entities

    def spawn(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds models, all or none; no simulated time passes in lock-step.

        Args:
            requests: Their descriptions are SDF or URDF text, or objects with ``to_sdf()``.
        """
        checked = checked_requests(requests, 1, Names("models", ()))  # the server has the names
        new = [NewEntity(one.name, sdf_of(one.description), one.pose) for one in checked]
        self._session.take_control()
        failures = list(zip((one.name for one in checked), self._client.spawn(new)))
        self._invalidate()
        for name, failure in failures:
            if failure is not None:
                taken = name in self.entities.models
                self._client.delete([added for added, failure in failures if failure is None])
                self._invalidate()
                raise DuplicateEntityError("model", name) if taken else SpawnError(name, failure)
        self._models.update((one.name, one.description) for one in checked)
        self._spawned.update((one.name, one) for one in checked)

    def delete(self, name: str) -> None:
        """Removes a model and everything nested in it."""
        self._session.take_control()
        models = self.entities.models
        if name in models and SCOPE in name:
            whole = name.split(SCOPE)[0]
            raise DeepSimError(f"model {name!r} is a part of {whole!r}: delete that")
        (failure,) = self._client.delete([name])
        self._spawned.pop(name, None)
        self._invalidate()
        if failure is not None:
            if name not in self.entities.models:
                raise UnknownEntityError("model", name, self.entities.models)
            raise GazeboError(f"cannot delete model {name!r}: {failure}")
        if self.camera_mounts is not None:
            self.camera_mounts.forget(name)

    def load(self, world: DescribedWorld) -> None:
        """Replaces the world with a described one, and resets time to 0.

        Models, lights, step size and gravity come from the description, such as a
        `deepsim_spawn.WorldDescription`; the background and ambient light of the scene stay as they
        are on the server.

        Raises:
            GazeboError: A present model or light cannot be deleted.
            SpawnError: A model or light cannot be built; the others were added.
        """
        self._session.reconnect()
        self._session.names.invalidate()
        present = self.entities
        old = [name for name in (*present.models, *present.lights) if SCOPE not in name]
        for name, failure in zip(old, self._client.delete(old)):
            if failure is not None:
                raise GazeboError(f"cannot delete {name!r}: {failure}")
        self._client.set_physics(world.physics.max_step_size, world.gravity)
        new = [
            NewEntity(one.name, one.to_sdf(), one.pose) for one in (*world.lights, *world.models)
        ]
        failures = self._client.spawn(new)
        self._loaded = world
        self._spawned.clear()
        self._models.clear()
        self._models.update((one.name, one) for one in world.models)
        self._lights = {one.name: one for one in world.lights}
        self.reset()
        for entity, failure in zip(new, failures):
            if failure is not None:
                raise SpawnError(entity.name, failure)

    def close(self) -> None:
        """Closes all connections; the world stays as it is."""
        self._shared.close()
        self._clock.close()
        self._client.close()

    def _keep(self, reply: ExchangeReply | None) -> None:
        """Keeps a reply for reads at the same instant; time in a free-running world never stops."""
        if reply is None:
            self.sensors.forget()
        self._reply = None if self._pace is not None else reply
        self._reply_ends = time.monotonic() + _PRESENT
        kinds = () if self._reply is None else self._reply.tables
        self._unread = {(kind, column) for kind in kinds for column in COLUMNS[kind]}

    def _invalidate(self) -> None:
        """Drops cached answers after a call that changed more than rows."""
        self._keep(None)
        self._session.names.invalidate()
        if self._pace is not None:
            self._pace.restart()


def _kinds(columns: Collection[Key]) -> tuple[Kind, ...]:
    """Returns the tables that columns belong to, in the order of `TABLES`."""
    wanted = {kind for kind, _ in columns}
    return tuple(kind for kind in TABLES if kind in wanted)

# SPDX-License-Identifier: Apache-2.0
"""The simulator on Gazebo 11."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from deepsim_math import Pose
from deepsim_sync import (
    KINDS,
    SCOPE,
    Changes,
    DeepSimError,
    DuplicateEntityError,
    Entities,
    Kind,
    Refusal,
    SpawnError,
    SpawnRequest,
    Tables,
    UnknownEntityError,
    UnsupportedError,
)

from .client import BatchStateClient, NewEntity
from .clock import Pace, SimulationClock
from .description import DescribedWorld, sdf_of
from .errors import GazeboError
from .exchange import ExchangeReply, Status
from .moved_rows import fill_tables, moved_cells
from .session import Session
from .shared_tables import SharedTables

_ATTEMPTS = 8  # at a world whose entities another client keeps changing
_LONGEST_CALL = 1000  # steps: a timeout is about a stretch of time, not about a whole episode
_MOST_AT_ONCE = 100  # models: likewise


class GazeboSimulator:
    """A world of a running gzserver that has loaded the plugin ``libgazebo_batch_state.so``.

    In lock-step, the default, the world stands still except during `step`. Tables that were read
    since the last step come along with the answer of the next one, or lie in shared memory: one
    tick is one round trip, or two where rows are written apart from stepping (see `exchange`).

    Where the server renders, this makes a `GazeboCameraSimulator`, which takes pictures too.

    A world that runs freely is not held: `step` waits until ``/clock`` has advanced, and counts
    in `late_ticks` what came too late.

    Every call may raise a `GazeboError` that says what was asked of whom. The next call connects
    anew, also to a gzserver that was started again; what was spawned is gone with the old one. To
    be used from one thread at a time.

    Args:
        master_uri: Where the ROS master is; by default what ``ROS_MASTER_URI`` says.
        namespace: Where the plugin's services are.
        timeout: Longest wait for the answer to a call, such as of up to 1000 steps [s].
        shared_memory: Whether to read through shared memory where server and client share a
            machine.
        lock_step: Whether the world stands still except during `step`.

    Raises:
        UnreachableError: No gzserver with the plugin is running.
    """

    def __init__(
        self,
        master_uri: str | None = None,
        *,
        namespace: str = "/gazebo_batch_state",
        timeout: float = 10.0,
        shared_memory: bool = True,
        lock_step: bool = True,
    ) -> None:
        self._client = BatchStateClient(master_uri, namespace=namespace, timeout=timeout)
        self._session = Session(self._client, lock_step=lock_step)
        self._shared = SharedTables(self._client) if shared_memory else None
        self._clock = SimulationClock(self._client.master, self._client.caller, timeout)
        self._pace = None if lock_step else Pace(self._clock)
        self._recent: set[Kind] = set()  # tables that were read since the last step
        self._ahead: ExchangeReply | None = None  # the answer of the last step, until it is read
        try:
            self._session.exchange()
            self._see()
        except BaseException:
            self.close()
            raise

    def _see(self) -> None:
        """Becomes one that takes pictures, if the server does: a capability is a matter of type."""
        from .camera_simulator import GazeboCameraSimulator  # noqa: PLC0415 (made of this class)

        reason = self._session.book.present.no_pictures
        if not reason and type(self) is GazeboSimulator:
            self.__class__ = GazeboCameraSimulator
        elif reason and isinstance(self, GazeboCameraSimulator):
            raise UnsupportedError(f"Gazebo takes no pictures: {reason}")

    # Time

    @property
    def entities(self) -> Entities:
        """The names of all entities, as of the last answer."""
        return self._session.book.present.entities

    @property
    def time(self) -> float:
        """Simulated time [s] of the last answer; of the last ``/clock`` where it runs freely."""
        return self._session.instant.time if self._pace is None else self._clock.look()

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        return self._session.instant.timestep

    @property
    def late_ticks(self) -> int:
        """How many steps were asked for when their time was over; 0 in lock-step."""
        return 0 if self._pace is None else self._pace.late_ticks

    def step(self, n: int = 1) -> None:
        """Advances by exactly n >= 1 physics steps; running freely, waits for so long.

        Raises:
            SimulationError: The physics diverged.
        """
        if n < 1:
            raise ValueError(f"a world advances by n >= 1 steps, got {n}")
        if self._pace is not None:
            self._pace.wait(n * self.timestep, self.timestep)
            return
        wanted = [kind for kind in KINDS if kind in self._recent]
        self._recent.clear()
        self._ahead = None
        while n > _LONGEST_CALL:
            self._session.exchange(steps=_LONGEST_CALL)
            n -= _LONGEST_CALL
        self._ahead = self._session.exchange(steps=n, kinds=() if self._shares() else wanted)

    def reset(self, seed: int | None = None) -> None:
        """Goes back to time 0: every model at its spawn pose and at rest.

        Gazebo takes its seed when it is started, so it is not used here.
        """
        self._session.take_control()
        self._client.reset()
        self._forget()
        self._session.exchange()

    def pause(self) -> None:
        """Stops time in a world that runs freely."""
        self._client.pause()
        self._forget()

    def resume(self) -> None:
        """Lets time run on by itself; in lock-step, the next `step` ends that."""
        self._client.unpause()
        self._forget()

    # Rows

    def read(self, tables: Tables, kinds: Collection[Kind] = KINDS) -> None:
        """Fills the named tables, all at one instant.

        Tables of another generation are filled by name; rows that are gone keep what they had.
        """
        wanted = tuple(kind for kind in KINDS if kind in kinds)
        self._recent.update(wanted)
        if not wanted or self._read_shared(tables, wanted):
            return
        ahead, self._ahead = self._ahead, None
        for _ in range(_ATTEMPTS):
            if ahead is None or not all(kind in ahead.tables for kind in wanted):
                ahead = self._session.exchange(kinds=wanted)
            now = tables.entities
            if now.generation != ahead.instant.generation:
                now = self.entities
            if now.generation == ahead.instant.generation:
                fill_tables(tables, ahead.tables, wanted, now)
                return
            ahead = None
        raise _restless(f"read {', '.join(wanted)}")

    def write(self, changes: Changes) -> Sequence[Refusal]:
        """Applies a batch: models before links, poses before twists; returns refused rows.

        Rows of an earlier generation are found again by name; those that are gone are refused.

        Raises:
            ValueError: The generation of the changes is not known, or long gone.
        """
        return self.exchange(changes)

    def exchange(
        self, changes: Changes | None = None, n: int = 0, kinds: Collection[Kind] = ()
    ) -> tuple[Refusal, ...]:
        """A whole tick in one round trip: `write`, then `step`, then what `read` needs.

        Args:
            changes: Rows to be written first; none by default.
            n: Physics steps, >= 0. None is made if any row is refused.
            kinds: Tables that the next `read` is going to ask for.

        Returns:
            The rows that were not accepted, empty if all were. They keep their old values.

        Raises:
            SimulationError: The physics diverged.
        """
        if n < 0:
            raise ValueError(f"a world advances by n >= 0 steps, got {n}")
        if n:
            self._recent.clear()
        self._ahead = None
        steps = n if self._pace is None else 0
        wanted = () if self._shares() else tuple(kinds)
        if changes is not None and changes.cells:
            reply, refusals = self._send(changes, steps, wanted)
        else:
            reply, refusals = self._session.exchange(steps=steps, kinds=wanted), ()
        if self._pace is None or not n or refusals:
            self._ahead = reply
        else:
            self._pace.wait(n * self.timestep, self.timestep)
        return refusals

    # Entities

    def spawn(self, description: Any, name: str, pose: Pose) -> None:
        """Adds a model at a pose in the world frame; time stands still meanwhile.

        Args:
            description: SDF or URDF text, or an object with ``to_sdf()``.
            name: A name that no model has; not empty, and without ``::``.
            pose: Pose of the model frame.

        Raises:
            DuplicateEntityError: The name is taken.
            SpawnError: The description cannot be built, or the name cannot be used; nothing was
                added.
        """
        self.spawn_many([SpawnRequest(description, name, pose)])

    def spawn_many(self, requests: Sequence[SpawnRequest]) -> None:
        """Adds all models or none, by a request for each hundred; time stands still meanwhile.

        Args:
            requests: Descriptions, names and poses as `spawn` takes them.

        Raises:
            DuplicateEntityError: A name is taken, or occurs twice.
            SpawnError: A description cannot be built, or a name cannot be used; nothing was added.
        """
        names: set[str] = set()
        for name in (request.name for request in requests):
            if not name or SCOPE in name:
                raise SpawnError(name, f"a model's name is not empty and has no {SCOPE!r}")
            if name in names:
                raise DuplicateEntityError("model", name)
            names.add(name)
        if not requests:
            return
        self._session.take_control()
        new = [NewEntity(one.name, sdf_of(one.description), one.pose) for one in requests]
        added: list[str] = []
        for start in range(0, len(new), _MOST_AT_ONCE):
            part = new[start : start + _MOST_AT_ONCE]
            failures = dict(zip((entity.name for entity in part), self._client.spawn(part)))
            self._forget()
            added += [name for name, failure in failures.items() if failure is None]
            for name, failure in failures.items():
                if failure is not None:
                    taken = name in self.entities.models
                    self._withdraw(added)
                    raise (
                        DuplicateEntityError("model", name) if taken else SpawnError(name, failure)
                    )

    def _withdraw(self, names: Sequence[str]) -> None:
        for start in range(0, len(names), _MOST_AT_ONCE):
            self._client.delete(names[start : start + _MOST_AT_ONCE])
        self._forget()

    def delete(self, name: str) -> None:
        """Removes a model and all below it.

        Raises:
            UnknownEntityError: There is no such model.
            DeepSimError: The model is a part of another one.
        """
        self._session.take_control()
        models = self.entities.models
        if name in models and SCOPE in name:
            whole = name.split(SCOPE)[0]
            raise DeepSimError(f"model {name!r} is a part of {whole!r}: delete that")
        (failure,) = self._client.delete([name])
        self._forget()
        if failure is not None:
            if name not in self.entities.models:
                raise UnknownEntityError("model", name, self.entities.models)
            raise GazeboError(f"cannot delete model {name!r}: {failure}")

    def load(self, world: DescribedWorld) -> None:
        """Puts a described world in the place of the present one, at time 0.

        Models, lights, step size and gravity are those of the description; the scene's background
        and ambient light stay those of the server.

        Args:
            world: Such as a `deepsim_spawn.WorldDescription`.

        Raises:
            SpawnError: A model or light cannot be built; the others are there.
        """
        self._session.take_control()
        self._session.book.forget()
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
        self.reset()
        for entity, failure in zip(new, failures):
            if failure is not None:
                raise SpawnError(entity.name, failure)

    def close(self) -> None:
        """Ends all connections; the world stays as it is."""
        if self._shared is not None:
            self._shared.close()
        self._clock.close()
        self._client.close()

    # What is known

    def _send(
        self, changes: Changes, steps: int, kinds: Collection[Kind]
    ) -> tuple[ExchangeReply, tuple[Refusal, ...]]:
        """An exchange with changes, whose rows follow their names to the present generation."""
        cells, before = changes.cells, self._session.book.of(changes.generation)
        refusals: list[Refusal] = []
        for _ in range(_ATTEMPTS):
            if before is not self.entities:
                cells, lost = moved_cells(cells, before, self.entities)
                before = self.entities
                refusals += lost
            some = 0 if refusals else steps
            reply = self._session.exchange(cells, before.generation, some, kinds)
            if reply.status is not Status.STALE:
                break
        else:
            raise _restless(f"write {', '.join(f'{column} of {kind}' for kind, column in cells)}")
        keys = list(cells)
        for change, position, reason in reply.refusals:
            kind, column = keys[change]
            name = before.names(kind)[int(cells[kind, column].rows[position])]
            refusals.append(Refusal(kind, column, name, reason))
        return reply, tuple(refusals)

    def _read_shared(self, tables: Tables, kinds: Collection[Kind]) -> bool:
        instant = None if self._shared is None else self._shared.read(tables, kinds)
        if instant is None:
            return False
        self._session.instant = instant
        return True

    def _shares(self) -> bool:
        return self._shared is not None and self._shared.usable

    def _forget(self) -> None:
        """After a call that changed more than rows."""
        self._ahead = None
        self._session.book.forget()
        if self._pace is not None:
            self._pace.restart()


def _restless(what: str) -> GazeboError:
    return GazeboError(
        f"cannot {what}: entities came or went {_ATTEMPTS} times meanwhile; does another client "
        "spawn and delete models?"
    )

# SPDX-License-Identifier: Apache-2.0
"""A world: one simulator, its tables, and all that runs in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import partial
from types import TracebackType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_math import Pose

from .batch_spawning import SpawnRequest, spawn_all
from .behaviour_manager import BehaviourManager
from .callbacks import call_all, called
from .cameras import Cameras, CameraView
from .current import PerWorld, current_world, entered
from .entities import Entities, Kind
from .errors import DeepSimError, DuplicateEntityError, UnsupportedError
from .mirror import Mirror
from .new_models import checked_poses
from .simulator import Simulator
from .snapshots import Snapshots, WorldState, entity_names
from .table_views import TableViews
from .trackers import (
    GetLinkStateTracker,
    GetModelStateTracker,
    GetVisualTracker,
    Priority,
    SetLinkStateTracker,
    SetModelStateTracker,
    SetVisualTracker,
    TrackerManager,
)
from .trackers.getters import Getter
from .trackers.setters import Setter

T = TypeVar("T", bound=PerWorld)

_GETTERS: tuple[type[Getter], ...] = (
    GetModelStateTracker,
    GetLinkStateTracker,
    GetVisualTracker,
)
_SETTERS: tuple[type[Setter], ...] = (
    SetModelStateTracker,
    SetLinkStateTracker,
    SetVisualTracker,
)


class World(TableViews):
    """Owns the tables, the managers and the random numbers of one simulation.

    A tick reads the tables in one batch, runs behaviours and trackers, writes all changed rows in
    one batch, and then advances the simulator by a fixed number of physics steps.

    A changed row reads back at once. Rows that depend on it (a model's links, nested models)
    follow when the batch is sent: by the setters at the end of the tick, or by `flush`. (What a
    tracker puts after the setters waits for the next of these, see `Priority.LOW`.)

    Args:
        simulator: The physics; the world owns it from now on.
        seed: Seed of the random generator.
        steps_per_tick: Physics steps of one tick.

    Attributes:
        simulator: The physics.
        rng: The source of all randomness in this world.
        steps_per_tick: Physics steps of one tick.
        ticks: Ticks since the last reset.

    Raises:
        TypeError: The simulator is none, or the seed is not a whole number.
        ValueError: A number is too small.
    """

    def __init__(self, simulator: Simulator, *, seed: int = 0, steps_per_tick: int = 1) -> None:
        if isinstance(simulator, type) or not hasattr(simulator, "read"):
            raise TypeError(f"simulator must be a Simulator, got {simulator!r}")
        if seed is not None and not isinstance(seed, (int, np.integer)):
            raise TypeError(f"seed must be a whole number, got {seed!r}")
        if steps_per_tick < 1:
            raise ValueError(f"steps_per_tick must be >= 1, got {steps_per_tick}")
        self.simulator = simulator
        self.steps_per_tick = steps_per_tick
        self.rng = np.random.default_rng(seed)
        self.ticks = 0
        self._last_tick: float | None = None
        self._ticking = False
        self._mirror = Mirror(simulator)
        self._singles: dict[type[PerWorld], PerWorld] = {}
        for getter in _GETTERS:
            self.trackers.add(self.get(getter), Priority.HIGH)
        self.trackers.add(self.behaviours, Priority.NORMAL)
        for setter in _SETTERS:
            self.trackers.add(self.get(setter), Priority.LOW)

    # The rows

    @property
    def entities(self) -> Entities:
        """The names of all models, links, visuals and lights."""
        return self.simulator.entities

    def put(
        self,
        kind: Kind,
        columns: Mapping[str, ArrayLike],
        rows: Iterable[int] | None = None,
    ) -> None:
        """Changes rows of a table: seen at once, sent with the next flush.

        Args:
            kind: The table.
            columns: New values by column: whole cells, of a shape that broadcasts to (W, k, ...).
            rows: The k rows; all of them by default.

        Raises:
            ValueError: There is no such table or column, or a value is not fit for its column;
                nothing was changed.
        """
        self._mirror.put(kind, columns, rows)

    def refresh(self) -> None:
        """Reads every table in use that is out of date, in one batch."""
        self._mirror.refresh()

    def flush(self) -> None:
        """Sends everything that was put since the last flush, in one batch.

        Raises:
            WriteRefusedError: The simulator refused rows; all others were applied.
        """
        self._mirror.flush()

    # Time

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self.simulator.time

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        return self.simulator.timestep

    def tick(self) -> None:
        """One tick: getters, behaviours and users' trackers, setters, then the physics.

        Within it this world is the current one.

        Raises:
            CallbackError: A behaviour or tracker raised; the physics did not advance.
            WriteRefusedError: The simulator refused rows; the physics did not advance.
            SimulationError: The physics diverged.
            DeepSimError: A tick is under way already.
        """
        if self._ticking:
            raise DeepSimError("tick() was called within a tick, by a hook or a tracker")
        now = self.time
        delta = 0.0 if self._last_tick is None else now - self._last_tick
        self._ticking = True
        try:
            with self:
                self.trackers.update(delta, now)
        finally:
            self._ticking = False
        self._last_tick = self.time  # not `now`: a hook may have reset the world
        self._mirror.expire()
        self.simulator.step(self.steps_per_tick)
        self.ticks += 1

    def stream(self, name: str) -> np.random.Generator:
        """Random numbers of their own, for what must leave those of `rng` to others.

        They follow from the name and from where `rng` stands, which stays there: the same seed
        gives the same ones. A look that is drawn from them, say, changes no pose that is not.

        Args:
            name: What they are for, such as ``"looks"``; other names have other numbers.

        Returns:
            A new generator, at its beginning; it has the same numbers until `rng` goes on.
        """
        state = self.rng.bit_generator.state["state"]  # two numbers of 128 bits
        stand = b"".join(state[each].to_bytes(16, "little") for each in ("state", "inc"))
        own = hashlib.sha256(stand + name.encode()).digest()
        return np.random.default_rng(np.frombuffer(own, "<u4"))

    def reset(self, seed: int | None = None) -> None:
        """Back to time 0: every model at its spawn pose and at rest.

        Then all managers and trackers of this world are reset, and the behaviours last. Changes of
        pose and twist that are still pending are void; what visuals and lights look like stays.

        An error does not end it halfway: all others are reset, what they set is sent, and then the
        first error is raised.

        Args:
            seed: New seed of the random generator; without one its stream goes on.

        Raises:
            CallbackError: A behaviour, an effect or a manager raised.
            WriteRefusedError: The simulator refused what the behaviours set.
        """
        if seed is not None:
            # In place, for those who keep a reference.
            self.rng.bit_generator.state = np.random.default_rng(seed).bit_generator.state
        self._mirror.void_states()
        self.simulator.reset(seed)
        self.ticks = 0
        self._last_tick = None
        behaviours = self.behaviours
        others = [single for single in self._singles.values() if single is not behaviours]
        resets = [
            partial(called, type(single).__name__, self, single.reset)
            for single in (*others, behaviours)
        ]
        call_all([*resets, self.flush])

    # Snapshots

    def get_state(self) -> WorldState:
        """This instant, to come back to by `set_state`; what was put before is sent first.

        It holds the physics, looks, random numbers and what behaviours remember (`Behaviour.
        get_state`). Users' trackers and effects are no part of it: what effects show at the instant
        comes back as the visuals' own look.

        Raises:
            UnsupportedError: The simulator cannot go back.
            CallbackError: A behaviour raised.
            WriteRefusedError: The simulator refused what was put before.
            DeepSimError: A tick is under way.
        """
        simulator = self._snapshots("get_state")
        self.flush()
        with self:
            return WorldState(
                entities=entity_names(self.entities),
                simulator=simulator.get_state(),
                looks=self._mirror.looks(),
                rng=deepcopy(self.rng.bit_generator.state),
                ticks=self.ticks,
                last_tick=self._last_tick,
                behaviours={
                    each.name: called(each.name, self, each.get_state) for each in self.behaviours
                },
            )

    def set_state(self, state: WorldState) -> None:
        """Goes back to an instant, and goes on from there bit for bit; what was put before is void.

        Args:
            state: What `get_state` returned, here or in another world with the same entities and
                behaviours.

        Raises:
            ValueError: The state is one of other entities or behaviours; nothing has changed.
            UnsupportedError: The simulator cannot go back.
            CallbackError: A behaviour raised; those after it remember what they did.
            DeepSimError: A tick is under way.
        """
        simulator = self._snapshots("set_state")
        state.require_fit(self.entities, [each.name for each in self.behaviours])
        self._mirror.restore_looks(state.looks)
        simulator.set_state(state.simulator)
        self._mirror.expire()
        self.rng.bit_generator.state = deepcopy(dict(state.rng))
        self.ticks = state.ticks
        self._last_tick = state.last_tick
        with self:
            for each in self.behaviours:
                called(each.name, self, each.set_state, state.behaviours[each.name])

    def _snapshots(self, method: str) -> Snapshots:
        if self._ticking:
            raise DeepSimError(f"{method}() was called within a tick, by a hook or a tracker")
        if not isinstance(self.simulator, Snapshots):
            raise UnsupportedError(f"{type(self.simulator).__name__} cannot go back to an instant")
        return self.simulator

    # Entities

    def spawn(self, description: Any, name: str, pose: Pose) -> None:
        """Adds a model; what was put before is sent first.

        Args:
            description: What the simulator builds models from (`deepsim_spawn.ModelDescription`).
            name: A name that no model has; printable, without ``::``, and no name of the world
                frame.
            pose: Pose of the model frame in the world.

        Raises:
            DuplicateEntityError: The name is taken.
            SpawnError: The name cannot be used, or the description cannot be built; the world is
                as it was.
            ValueError: The pose is not finite, or its quaternion is zero.
            WriteRefusedError: The simulator refused what was put before; nothing was added.
        """
        placed = checked_poses([name], [pose])
        self.flush()
        self.simulator.spawn(description, name, placed[0])

    def spawn_many(self, requests: Iterable[SpawnRequest]) -> None:
        """Adds many models, or none; what was put before is sent first.

        A simulator with the capability `BatchSpawning` adds them at once, which is much quicker.

        Args:
            requests: Tuples of what `spawn` takes.

        Raises:
            DuplicateEntityError: A name is taken, or occurs twice; the world is as it was.
            SpawnError: A name cannot be used, or a description cannot be built; the world is as it
                was.
            ValueError: A pose is not finite, or its quaternion is zero.
            WriteRefusedError: The simulator refused what was put before; nothing was added.
        """
        asked = [SpawnRequest(*request) for request in requests]
        if not asked:
            return
        names = [request.name for request in asked]
        poses = checked_poses(names, [request.pose for request in asked])
        for name in names:
            if name in self.entities.models:
                raise DuplicateEntityError("model", name)
        self.flush()
        spawn_all(self.simulator, [r._replace(pose=pose) for r, pose in zip(asked, poses)])

    def delete(self, name: str) -> None:
        """Removes a model; what was put before is sent first.

        Raises:
            UnknownEntityError: There is no such model.
            WriteRefusedError: The simulator refused what was put before; nothing was removed.
        """
        self.flush()
        self.simulator.delete(name)

    # Pictures

    def render(self, camera: str | CameraView) -> NDArray[np.uint8]:
        """A picture of the present instant; what was put before is sent first.

        Args:
            camera: Name of a camera sensor, or a free camera.

        Returns:
            (height, width, 3) RGB, a new array.

        Raises:
            UnsupportedError: The simulator takes no pictures.
            UnknownEntityError: No camera sensor has the name.
        """
        if not isinstance(self.simulator, Cameras):
            raise UnsupportedError(f"{type(self.simulator).__name__} takes no pictures")
        self.flush()
        return self.simulator.render(camera)

    # What there is one of

    @property
    def trackers(self) -> TrackerManager:
        """What runs once per tick."""
        return self.get(TrackerManager)

    @property
    def behaviours(self) -> BehaviourManager:
        """The behaviours of this world, by name and by tag."""
        return self.get(BehaviourManager)

    def get(self, kind: type[T]) -> T:
        """This world's one instance of a manager or tracker, made at its first use."""
        single = self._singles.get(kind)
        if single is None:
            single = self._singles[kind] = kind(self)
        return cast(T, single)

    @staticmethod
    def current() -> World:
        """The world that ``get_instance()`` answers for.

        Raises:
            NoCurrentWorldError: There is none.
        """
        return current_world()

    def make_current(self) -> None:
        """Lets ``get_instance()`` answer for this world from now on, in this thread."""
        entered.set((*entered.get()[:-1], self))

    def __enter__(self) -> World:
        entered.set((*entered.get(), self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        entered.set(entered.get()[:-1])

    def close(self) -> None:
        """Ends the simulator; the world is current no more."""
        entered.set(tuple(None if world is self else world for world in entered.get()))
        self.simulator.close()

# SPDX-License-Identifier: Apache-2.0
"""The world: a simulator, its tables as rows, and everything that runs in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from functools import partial
from threading import get_ident
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync.behaviours.manager import BehaviourManager
from deepsim_sync.current import PerWorld, blocks, current_world
from deepsim_sync.errors import (
    CallbackError,
    DeepSimError,
    SimulationError,
    UnsupportedError,
    call_all,
)
from deepsim_sync.port.cameras import CameraView, DepthPicture
from deepsim_sync.port.capabilities import Snapshots
from deepsim_sync.port.changes import checked_rows
from deepsim_sync.port.entities import KINDS, Entities, Kind
from deepsim_sync.port.simulator import Simulator, WorldNumbers
from deepsim_sync.port.spawning import SpawnRequest, checked_requests
from deepsim_sync.state.rows import (
    ActuatorRows,
    JointRows,
    LightRows,
    LinkRows,
    StateRows,
    VisualRows,
)
from deepsim_sync.state.seeds import checked_int, checked_worlds, world_seeds
from deepsim_sync.state.state_cache import Ownership, StateCache
from deepsim_sync.trackers.manager import TrackerManager

from .sensors import WorldSensors
from .snapshots import WorldState, capture, restore

T = TypeVar("T", bound=PerWorld)
R = TypeVar("R")


class World:
    """W worlds of the same entities, ticked together; W = 1 unless the simulator has more.

    A tick reads the tables in one batch, runs behaviours and trackers, writes all changed rows in
    one batch, and then advances the simulator by a fixed number of physics steps. World w of W
    gives the same bits as if it were alone.

    A changed row reads back at once. Rows that depend on it (a model's links, nested models)
    follow when the batch is sent, at the end of the tick or by `flush`. Of two changes to rows that
    depend on each other, the later one counts. Methods that begin by sending unsent changes raise
    `WriteRefusedError` if the simulator refuses rows, and then do nothing else.

    A world belongs to the thread that made it or last called `claim`. Other threads may only call
    `post`.

    >>> world = World(TableSimulator(worlds=2, timestep=0.1))
    >>> world.spawn(TableModel(gravity=False), "ball", Pose((0, 0, 1)))
    >>> world.models.twist = (1, 0, 0, 0, 0, 0)
    >>> world.tick()
    >>> world.models.pose[:, 0, 0]  # of both worlds [m]
    array([0.1, 0.1])

    Args:
        simulator: The simulator, which the world owns from now on.
        seed: Seed of the random generators; world w is seeded with ``seed + w``.
        steps_per_tick: Physics steps per tick.

    Attributes:
        simulator: The simulator.
        rngs: Random generator of each world, the source of all its randomness.
        steps_per_tick: Physics steps per tick.
        ticks: Ticks since the last reset of each world, (W,).
        ticking: Numbers of the worlds that take part in the current tick, (w,); between ticks, all
            worlds.
        models: Rows of all models; ``models.select(names)`` returns some.
        links: Rows of all links.
        joints: Rows of all axes of joints.
        actuators: Rows of all actuators that are not servos of joint axes.
        visuals: Rows of all visuals.
        lights: Rows of all lights.
        cache: The tables behind the rows.

    Raises:
        TypeError: `simulator` is not a Simulator, or `seed` or `steps_per_tick` is not an int.
        ValueError: `seed` is negative, or `steps_per_tick` is less than 1.
    """

    def __init__(self, simulator: Simulator, *, seed: int = 0, steps_per_tick: int = 1) -> None:
        if isinstance(simulator, type) or not hasattr(simulator, "read"):
            raise TypeError(f"simulator must be a Simulator, got {simulator!r}")
        self.simulator = simulator
        self.steps_per_tick = checked_int("steps_per_tick", steps_per_tick, 1)
        self.ticks = np.zeros(simulator.worlds, dtype=np.int64)
        self._owner = Ownership()
        self._every = np.arange(simulator.worlds)
        seeds = world_seeds(checked_int("seed", seed, 0), self._every)
        self.rngs = [np.random.default_rng(own) for own in seeds]
        self._once = np.ones_like(self.ticks)
        self.ticking: WorldNumbers = self._every
        self._ticking = False
        self.cache = StateCache(simulator, self._owner)
        self.models = StateRows(self.cache, "models")
        self.links = LinkRows(self.cache, "links")
        self.joints = JointRows(self.cache, "joints")
        self.actuators = ActuatorRows(self.cache, "actuators")
        self.visuals = VisualRows(self.cache, "visuals")
        self.lights = LightRows(self.cache, "lights")
        self._singles: dict[type[PerWorld], PerWorld] = {}
        self._trackers = self.get(TrackerManager)

    def __len__(self) -> int:
        """Returns the number of worlds, W."""
        return len(self.ticks)

    # The rows

    @property
    def entities(self) -> Entities:
        """Names of all entities, the same in every world."""
        return self.simulator.entities

    def put(
        self,
        kind: Kind,
        columns: Mapping[str, ArrayLike],
        rows: Iterable[int] | None = None,
        worlds: WorldNumbers | None = None,
    ) -> None:
        """Changes rows of a table, given by number; see `Rows.put`.

        Args:
            kind: The table.
            columns: Values by column, whole cells of a shape that broadcasts to (w, k, ...).
            rows: Numbers of the k rows; all by default.
            worlds: Numbers of the w worlds; all by default.

        Raises:
            ValueError: The table, a row or a column is unknown, or a value is invalid; nothing was
                changed.
        """
        if kind not in KINDS:
            raise ValueError(f"unknown table {kind!r}; known: {', '.join(KINDS)}")
        names = self.cache.follow_entities().names(kind)
        chosen = np.arange(len(names)) if rows is None else checked_rows(names, rows)
        self.cache.put_checked(names, chosen, chosen, columns, worlds)

    def refresh(self) -> None:
        """Reads every column in use that is out of date, in one batch."""
        self._owner.require()
        self.cache.refresh()

    def flush(self) -> None:
        """Sends all unsent changes in one batch.

        Raises:
            WriteRefusedError: The simulator refused rows; all others were applied.
        """
        self.cache.flush()

    # Time

    @property
    def time(self) -> NDArray[np.float64]:
        """Simulated time of each world, (W,) [s]; a new array."""
        return self.simulator.time.copy()

    @property
    def timestep(self) -> float:
        """Duration of one physics step [s]."""
        return self.simulator.timestep

    @property
    def delta_time(self) -> float:
        """Duration of one tick [s]."""
        return self.simulator.timestep * self.steps_per_tick

    def tick(self, worlds: WorldNumbers | None = None) -> None:
        """Runs one tick: reads, calls behaviours and trackers, writes, then steps the physics.

        During the tick this world is the current one. Changes to worlds that do not tick are sent,
        too.

        Args:
            worlds: Numbers of the worlds that tick, (w,); all by default.

        Raises:
            CallbackError: A behaviour or tracker raised an error; the physics did not advance.
            WriteRefusedError: The simulator refused rows; the physics did not advance.
            SimulationError: The physics of some worlds diverged; the others ticked.
            DeepSimError: The call came from within a tick.
        """
        if self._ticking or get_ident() != self._owner.thread:
            self._require_idle("tick")
        if worlds is not None:
            worlds = checked_worlds(worlds, len(self))
        self._ticking = True
        once = self._once
        if worlds is not None:
            self.ticking = worlds
            once = np.zeros_like(once)
            once[worlds] = 1
        try:
            posted, trackers = len(self._owner.posted), self._trackers
            calls = posted or trackers.early or trackers.late
            if not calls or blocks.get()[-1][1] is self:
                sent = self._run_trackers(posted)
            else:
                with self:
                    sent = self._run_trackers(posted)
        finally:
            self._ticking = False
            self.ticking = self._every
        before = self.ticks
        self.ticks = before + once
        try:
            if sent:  # by trackers of low priority, whose own changes wait for the next tick
                self.cache.expire()
                self.simulator.step(self.steps_per_tick, worlds)
            else:  # sends the changed rows and steps, in one call
                self.cache.step(self.steps_per_tick, worlds)
        except SimulationError as error:
            self.ticks[list(error.worlds)] -= 1
            raise
        except BaseException:
            self.ticks = before
            raise

    def invoke(self, owner: str, callback: Callable[..., R], *args: Any) -> R:
        """Calls a user's callback, which belongs to the named owner, and returns its result.

        Raises:
            CallbackError: The callback raised an exception, which is the cause of this error. A
                nested CallbackError is re-raised unchanged.
        """
        try:
            return callback(*args)
        except CallbackError:
            raise
        except Exception as error:
            raise CallbackError(owner, callback, int(self.ticks.max()), error) from error

    def post(self, function: Callable[[], object]) -> None:
        """Queues a function, from any thread; the next tick calls it after reading."""
        self._owner.posted.append(function)

    def claim(self) -> None:
        """Transfers the world to the calling thread; the former owner must stop using it."""
        self._owner.claim()

    @property
    def rng(self) -> np.random.Generator:
        """The random generator of a single world; several worlds have one each in `rngs`."""
        self.require_single("World.rng")
        return self.rngs[0]

    def uniform(
        self,
        low: ArrayLike,
        high: ArrayLike,
        size: int | tuple[int, ...] = (),
        worlds: WorldNumbers | None = None,
    ) -> NDArray[np.float64]:
        """Draws uniform numbers in [low, high) from each world's own generator, (w, *size).

        Args:
            low: Lower bound, a number or an array of a shape that broadcasts with `size`.
            high: Upper bound, likewise.
            size: Shape of the numbers of one world.
            worlds: Numbers of the w worlds; all by default.
        """
        chosen = self._every if worlds is None else checked_worlds(worlds, len(self))
        return np.array([self.rngs[world].uniform(low, high, size) for world in chosen.tolist()])

    def stream(self, name: str, world: int = 0) -> np.random.Generator:
        """Returns an independent random stream; drawing from it does not advance `rngs`.

        It depends only on the name, such as ``"looks"``, and the present state of the world's own
        generator: the same seed gives the same stream.
        """
        key = deepcopy(self.rngs[world]).integers(2**32, size=4)
        return np.random.default_rng([*key.tolist(), *name.encode()])

    def reset(
        self,
        seed: int | Iterable[int | None] | None = None,
        worlds: WorldNumbers | None = None,
    ) -> None:
        """Resets some worlds to time 0, with every model at its spawn pose and at rest.

        Commands of joints return to their defaults. Appearance stays; other unsent changes are
        dropped. Then all managers and trackers of this world are reset, and the behaviours last. If
        some of them raise errors, the others are still reset and all changes are sent, before the
        first error is raised.

        Args:
            seed: New seeds of the random generators: either an int n, which gives world w the
                seed n + w, or a sequence with a seed or None for each world that is reset. A
                generator without a new seed continues.
            worlds: Numbers of the worlds, (w,); all by default.

        Raises:
            CallbackError: A behaviour, an effect or a manager raised an error.
            WriteRefusedError: The simulator refused changes that behaviours made.
            TypeError, ValueError: A seed is invalid; nothing was reset.
        """
        self._owner.require()
        if worlds is not None:
            worlds = checked_worlds(worlds, len(self))
        chosen = self._every if worlds is None else worlds
        seeds = world_seeds(seed, chosen)
        for number, own in zip(chosen.tolist(), seeds):
            if own is not None:  # in place, for users who keep a reference
                fresh = type(self.rngs[number].bit_generator)(own)
                self.rngs[number].bit_generator.state = fresh.state
        self.cache.void(worlds)
        self.simulator.reset(worlds, seeds)
        self.ticks[chosen] = 0
        behaviours = self.behaviours
        others = [single for single in self._singles.values() if single is not behaviours]
        resets = [
            partial(self.invoke, type(single).__name__, single.reset, chosen)
            for single in (*others, behaviours)
        ]
        call_all([*resets, self.flush])

    # Snapshots

    def get_state(self) -> WorldState:
        """Returns a snapshot for `set_state`; unsent changes are sent first.

        It comprises physics, appearance, random generators, effects and the state of behaviours
        (`Behaviour.get_state`), but not users' own trackers.

        Raises:
            UnsupportedError: The simulator does not offer snapshots.
            CallbackError: A behaviour raised an error.
            DeepSimError: The call came from within a tick.
        """
        snapshots = self._snapshots("get_state")
        self.flush()
        with self:
            return capture(self, snapshots)

    def set_state(self, state: WorldState) -> None:
        """Restores a snapshot of this world, or of another one with the same entities, bit for bit.

        Unsent changes are dropped. It raises the errors of `get_state`; if a behaviour raises one,
        the behaviours after it keep their present state.

        Raises:
            ValueError: The worlds, entities or behaviours differ; nothing was changed.
        """
        snapshots = self._snapshots("set_state")
        with self:
            restore(self, snapshots, state)

    def _snapshots(self, method: str) -> Snapshots:
        self._require_idle(method)
        return self._offered(self.simulator.snapshots, "cannot go back to an instant")

    def _offered(self, capability: R | None, lack: str) -> R:
        if capability is None:
            raise UnsupportedError(f"{type(self.simulator).__name__} {lack}")
        return capability

    # Entities

    def spawn(self, description: Any, name: str, pose: ArrayLike) -> None:
        """Adds a model to every world; unsent changes are sent first.

        Args:
            description: Description that the simulator accepts, such as
                `deepsim_spawn.ModelDescription`.
            name: Unused name; printable, without ``::``, and not a name of the world frame.
            pose: Pose of the model frame in the world frame: a `Pose` for all worlds, or (W, 7).

        Raises:
            DuplicateEntityError: The name is in use.
            SpawnError: The name is invalid, or the description cannot be built.
            ValueError: The pose is not finite, or its quaternion is zero.
        """
        self.spawn_many([SpawnRequest(description, name, pose)])

    def spawn_many(self, requests: Iterable[SpawnRequest]) -> None:
        """Adds many models at once, or none; raises the errors of `spawn`."""
        checked = checked_requests(requests, len(self), self.cache.follow_entities().models)
        if checked:
            self.flush()
            self.simulator.spawn(checked)

    def delete(self, name: str) -> None:
        """Removes a model from every world; unsent changes are sent first.

        Raises:
            UnknownEntityError: No model has the name.
        """
        self.flush()
        self.simulator.delete(name)

    # Pictures

    def render(self, camera: str | CameraView, world: int = 0) -> NDArray[np.uint8]:
        """Takes a picture of the present instant; unsent changes are sent first.

        Args:
            camera: Name of a camera sensor, or a free camera.
            world: Number of the world.

        Returns:
            The picture, (height, width, 3) RGB, a new array.

        Raises:
            UnsupportedError: The simulator does not take pictures.
            UnknownEntityError: No camera sensor has the name, or no model that a camera follows.
        """
        cameras = self._offered(self.simulator.cameras, "takes no pictures")
        self.flush()
        return cameras.render(self._at_present(camera, world), world)

    def measure(self, camera: str | CameraView, world: int = 0) -> DepthPicture:
        """Measures depths, models and links in a picture; see `render`."""
        cameras = self._offered(self.simulator.depth_cameras, "measures no depths")
        self.flush()
        return cameras.measure(self._at_present(camera, world), world)

    def _at_present(self, camera: str | CameraView, world: int) -> str | CameraView:
        """Returns a camera sensor, or a free camera where it is at present."""
        if isinstance(camera, str) or (camera.follows is None and not camera.orbit_rate):
            return camera
        place = (0.0, 0.0)
        if camera.follows is not None:
            place = tuple(self.models.select([camera.follows]).pose[world, 0, :2])
        return camera.standing(float(self.time[world]), place)

    # Sensors

    @property
    def sensors(self) -> WorldSensors:
        """The sensors by name: ``world.sensors["robot::base::imu"].angular_velocity``."""
        return self.get(WorldSensors)

    # Managers, and the current world

    @property
    def managers(self) -> Mapping[type[PerWorld], PerWorld]:
        """The managers and trackers in use, by class, in the order of their first use."""
        return self._singles

    @property
    def trackers(self) -> TrackerManager:
        """The trackers of this world."""
        return self._trackers

    @property
    def behaviours(self) -> BehaviourManager:
        """The behaviours of this world, by name and by tag."""
        return self.get(BehaviourManager)

    def get(self, kind: type[T]) -> T:
        """Returns this world's only instance of a manager or tracker, made at its first use."""
        single: Any = self._singles.get(kind)
        if single is None:
            single = self._singles[kind] = kind(self)
        found: T = single
        return found

    def require_single(self, what: str) -> None:
        """Raises UnsupportedError if there are several worlds; `what` names the feature."""
        if len(self.ticks) > 1:
            raise UnsupportedError(
                f"{what} is for one world, but there are {len(self)}: use rows, "
                "as in world.models.select(names).pose"
            )

    @staticmethod
    def current() -> World:
        """Returns the current world, which ``get_instance()`` uses."""
        return current_world()

    def make_current(self) -> None:
        """Makes this the current world of this thread, which ``get_instance()`` uses."""
        *outer, (opener, _) = blocks.get()
        blocks.set((*outer, (opener, self)))

    def __enter__(self) -> World:
        blocks.set((*blocks.get(), (self, self)))
        return self

    def __exit__(self, *error: object) -> None:
        entered = blocks.get()
        for n in reversed(range(len(entered))):  # not always the last: generators may alternate
            if entered[n][0] is self:
                blocks.set((*entered[:n], *entered[n + 1 :]))
                return

    def close(self) -> None:
        """Closes the simulator; the world is no longer current and cannot be used any more."""
        entered = blocks.get()
        blocks.set(tuple((by, None if now is self else now) for by, now in entered))
        self._owner.close()
        self.simulator.close()

    def _require_idle(self, method: str) -> None:
        self._owner.require()
        if self._ticking:
            raise DeepSimError(f"{method}() was called within a tick, by a hook or a tracker")

    def _run_trackers(self, posted: int) -> bool:
        """Reads, runs posted functions and trackers; returns whether changes were sent."""
        self.cache.refresh()
        sensors: Any = self._singles.get(WorldSensors)
        if sensors is not None:
            sensors.poll()
        for _ in range(posted):
            self.invoke("World", self._owner.posted.popleft())
        trackers = self._trackers
        return trackers.update() if trackers.early or trackers.late else False

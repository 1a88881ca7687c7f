# SPDX-License-Identifier: Apache-2.0
"""The worlds behind a server: state, clock, entities, frames, and refused requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from simulation_interfaces.msg import EntityCategory, EntityInfo, Result, SimulationState

from deepsim_envs import Environment
from deepsim_math import poses, quaternions
from deepsim_spawn import MjcfModel, ModelDescription, SearchPath, WorldDescription
from deepsim_sync import SCOPE, SpawnRequest, UnknownEntityError, World

from .errors import Ros2Error
from .geometry import WORLD, Floats, is_robot, pose_of, twist_of


class RefusedError(Ros2Error):
    """A request is refused.

    Attributes:
        code: A code of ``simulation_interfaces/msg/Result``, or of the service.
    """

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def code_of(error: Exception) -> int:
    """Returns the result code of an error."""
    if isinstance(error, RefusedError):
        return error.code
    unknown = isinstance(error, UnknownEntityError)
    return int(Result.RESULT_NOT_FOUND if unknown else Result.RESULT_OPERATION_FAILED)


def not_found(text: str) -> RefusedError:
    """Returns the refusal of a request that names something unknown."""
    return RefusedError(Result.RESULT_NOT_FOUND, text)


def unsupported(text: str) -> RefusedError:
    """Returns the refusal of a request for a feature that is missing."""
    return RefusedError(Result.RESULT_FEATURE_UNSUPPORTED, text)


def failed(text: str) -> RefusedError:
    """Returns the refusal of a request that cannot be fulfilled."""
    return RefusedError(Result.RESULT_OPERATION_FAILED, text)


Served: TypeAlias = "World | Environment"
Opener: TypeAlias = Callable[[WorldDescription, int], Served]
"""Opens a number of worlds that a client loads."""


class Simulation:
    """The worlds that a server serves; all have the same entities.

    Args:
        served: The worlds, or a task with its worlds.
        opener: Opens the worlds that clients load; None if they cannot.
        search_path: Folders of the models and worlds that clients may load.

    Attributes:
        search_path: The search path.
        resource: The resource of the present world, as a client loaded it.
        namespaces: The namespace of each model that a client spawned, by name.
        infos: Category, description and tags of entities by name, once a client sets them.
        worlds: Each of the worlds.
        opened: How often worlds were opened.
    """

    def __init__(self, served: Served, opener: Opener | None, search_path: SearchPath) -> None:
        self.opener = opener
        self.search_path = search_path
        self.count = len(served)
        self.opened = 0
        self.worlds = [ServedWorld(self, number) for number in range(self.count)]
        self.open(served)

    def open(self, served: Served, name: str = "", resource: Any = None) -> None:
        """Serves other worlds, in the place of those that were closed."""
        self._environment = served if isinstance(served, Environment) else None
        self._world: World | None = served.world if isinstance(served, Environment) else served
        self.name, self.resource = name, resource
        self.namespaces: dict[str, str] = {}
        self.infos: dict[str, EntityInfo] = {}
        self._before: Floats | None = None
        self.opened += 1
        if self._environment is not None:
            self._environment.reset_worlds()
        world = self.world
        known = world.simulator.descriptions.models
        self._start = [
            SpawnRequest(known[name], name, world.models.select([name]).pose[:, 0])
            for name in world.entities.models
            if name in known
        ]

    def close(self) -> None:
        """Closes the present worlds."""
        (self._environment or self.world).close()
        self._world = self._environment = None

    @property
    def is_open(self) -> bool:
        """Whether there is a world."""
        return self._world is not None

    @property
    def world(self) -> World:
        """The present worlds.

        Raises:
            RefusedError: No world is loaded.
        """
        if self._world is None:
            raise RefusedError(Result.RESULT_INCORRECT_STATE, "no world is loaded")
        return self._world

    # Time

    def tick(self, worlds: NDArray[np.intp]) -> None:
        """Ticks some worlds."""
        world = self.world
        served = [self.worlds[number] for number in worlds.tolist()]
        for each in served:
            if each.topics is not None:
                each.topics.before_step()
        now = world.models.twist
        if self._before is None or self._before.shape != now.shape:
            self._before = now
        self._before[worlds] = now[worlds]
        world.tick(worlds if len(served) < self.count else None)  # all at once is cheaper
        for each in served:
            if each.topics is not None:
                each.topics.after_step()

    def forget_acceleration(self) -> None:
        """Is called when a client changed velocities."""
        self._before = None

    def acceleration(self, number: int, row: int) -> Floats:
        """Returns the mean acceleration of a model in the latest tick of a world, (6,).

        It is 0 if the world has not ticked since it was reset, entities were added or removed, or a
        client set a state.
        """
        now = self.world.models.twist
        if self._before is None or self._before.shape != now.shape or not self.world.ticks[number]:
            return np.zeros(6)
        change = now[number, row] - self._before[number, row]
        return np.asarray(change / self.world.delta_time)

    def reset(self, number: int) -> None:
        """Resets a world, or begins the next episode of its task."""
        worlds = np.array([number])
        self._before = None
        if self._environment is not None:
            self._environment.reset_worlds(worlds=worlds)
        else:
            self.world.reset(worlds=worlds)

    # Entities

    def spawn(self, description: Any, name: str, pose: Floats, namespace: str) -> None:
        """Adds a model to all worlds."""
        self.world.spawn(description, name, pose)
        self.namespaces[name] = namespace
        self._before = None

    def delete(self, name: str) -> None:
        """Removes a model from all worlds."""
        self.world.delete(name)
        self.namespaces.pop(name, None)
        self.infos.pop(name, None)
        self._before = None

    def delete_spawned(self) -> None:
        """Removes all models that clients spawned from all worlds."""
        for name in [*self.namespaces]:
            self.delete(name)

    def restore(self) -> None:
        """Spawns the models that were there at first and that clients deleted, in all worlds."""
        there = self.world.entities.models
        self.world.spawn_many(each for each in self._start if each.name not in there)
        self.infos.clear()

    def info(self, name: str) -> EntityInfo:
        """Returns category, description and tags of an entity."""
        found = self.infos.get(name)
        if found is not None:
            return found
        description = self.description(name)
        info = EntityInfo()
        if is_static(description):
            info.category.category = EntityCategory.CATEGORY_STATIC_OBJECT
        elif self.is_robot(name):
            info.category.category = EntityCategory.CATEGORY_ROBOT
        return info

    def description(self, name: str) -> ModelDescription | MjcfModel | None:
        """Returns the description of a model, or None if it is not known."""
        found = self.world.simulator.descriptions.models.get(name.partition(SCOPE)[0])
        for part in name.split(SCOPE)[1:]:
            nested = found.models if isinstance(found, ModelDescription) else ()
            found = next((each for each in nested if each.name == part), None)
        return found if isinstance(found, (ModelDescription, MjcfModel)) else None

    def is_robot(self, name: str) -> bool:
        """Returns whether a model has joints or sensors of its own."""
        return is_robot(name, self.world.entities, [*self.world.sensors])


def is_static(description: Any) -> bool:
    """Returns whether a model cannot move."""
    return isinstance(description, ModelDescription) and description.static


class StepListener(Protocol):
    """Takes part in the steps of a world."""

    def before_step(self) -> None:
        """Is called before each step."""

    def after_step(self) -> None:
        """Is called after each step."""

    def reset(self) -> None:
        """Is called when the state of the world was reset."""


class ServedWorld:
    """One of the worlds, as its clients see it.

    Args:
        simulation: The worlds.
        number: The number of this world.

    Attributes:
        state: A state of ``simulation_interfaces/msg/SimulationState``.
        changed: Whether a request changed the world since its topics were published.
        stepped: Whether a request has made steps since then.
        topics: Publishes the world after each step, once there is a node.
    """

    def __init__(self, simulation: Simulation, number: int) -> None:
        self.simulation = simulation
        self.number = number
        self.state: int = SimulationState.STATE_STOPPED
        self.changed = True
        self.stepped = False
        self.topics: StepListener | None = None
        self._offset = 0.0

    @property
    def time(self) -> float:
        """The time of the world's clock [s]."""
        return float(self.simulation.world.simulator.time[self.number]) + self._offset

    def enter(self, state: int) -> None:
        """Enters a state with another world, or without one."""
        self.state, self._offset, self.changed = state, 0.0, True

    def step(self) -> None:
        """Makes one step: a tick of this world alone."""
        self.simulation.tick(np.array([self.number]))

    def reset(self, *, time: bool = True, state: bool = True) -> None:
        """Resets the clock, the state of all entities, or both."""
        kept = 0.0 if time else self.time
        if state:
            self.simulation.reset(self.number)
        self._offset += kept - self.time
        self.changed = True
        if state and self.topics is not None:
            self.topics.reset()


def frame_pose(served: ServedWorld, frame: str) -> Floats:
    """Returns the pose of a frame in the world frame, (7,).

    Raises:
        UnknownEntityError: Neither an entity nor a link has the name.
    """
    world, number = served.simulation.world, served.number
    if frame in ("", WORLD):
        return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    for rows in (world.models, world.links):
        if frame in rows.names:
            return np.asarray(rows.select([frame]).pose[number, 0])
    raise UnknownEntityError("frame", frame, (WORLD, *world.models.names))


def pose_in_world(served: ServedWorld, frame: str, pose: Any) -> Floats:
    """Returns the pose of a message in the world frame, (7,), which may be invalid as given."""
    return poses.compose(frame_pose(served, frame), pose_of(pose))


def twist_in_world(served: ServedWorld, frame: str, twist: Any) -> Floats:
    """Returns the twist of a message, whose components are along a frame's axes, in world axes."""
    turn = frame_pose(served, frame)[3:]
    return quaternions.rotate(turn, twist_of(twist).reshape(2, 3)).reshape(6)

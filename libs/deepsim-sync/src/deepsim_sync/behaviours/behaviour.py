# SPDX-License-Identifier: Apache-2.0
"""Behaviours: the life-cycle and the hooks of one model."""

from __future__ import annotations

import warnings
from abc import ABCMeta
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from deepsim_math import (
    Color,
    Euler,
    Material,
    Plane,
    Point,
    Pose,
    Quaternion,
    Ray,
    Twist,
    Vector3,
)
from deepsim_sync.current import current_world

from .transform import Transform

if TYPE_CHECKING:
    from deepsim_sync.world.world import World

_VALUES = (
    *(type(None), bool, int, float, complex, str, bytes, Enum, np.generic),
    *(Color, Euler, Material, Plane, Point, Pose, Quaternion, Ray, Twist, Vector3),
)


class _GeneratorState(NamedTuple):
    state: Mapping[str, Any]


def plain_attributes(owner: object) -> dict[str, Any]:
    """Returns copies of an object's attributes with plain values, by name.

    Plain values are None, numbers, strings, enumeration members, values of `deepsim_math`, arrays
    without objects, random generators, and lists, tuples, dicts, sets and deques of plain values.
    """
    kept: dict[str, Any] = {}
    copies: dict[int, Any] = {}  # attributes with one object get one copy
    for name, value in vars(owner).items():
        if isinstance(value, np.random.Generator):
            kept[name] = _GeneratorState(deepcopy(value.bit_generator.state))
        elif _is_plain(value):
            kept[name] = deepcopy(value, copies)
    return kept


def restore_attributes(owner: object, kept: Mapping[str, Any]) -> None:
    """Restores attributes that `plain_attributes` returned.

    Containers and generators are changed in place where possible, because other objects may share
    them; attributes that share one object now, but did not then, get objects of their own.
    Attributes that were added since then are deleted if the class has a default for them.
    """
    present = vars(owner)
    for name in [name for name in present if name not in kept]:
        if hasattr(type(owner), name) and _is_plain(present[name]):
            delattr(owner, name)
    refilled: dict[int, int] = {}
    copies: dict[int, Any] = {}
    for name, value in kept.items():
        now = present.get(name)
        if isinstance(value, _GeneratorState):
            if not isinstance(now, np.random.Generator):
                raise ValueError(
                    f"attribute {name!r} of {type(owner).__name__} was a random generator, "
                    f"and is {now!r}: keep the generator there"
                )
            now.bit_generator.state = deepcopy(value.state)
        elif refilled.get(id(now), id(value)) == id(value) and _refill(now, value):
            refilled[id(now)] = id(value)
        else:
            setattr(owner, name, deepcopy(value, copies))


def _is_plain(value: Any) -> bool:
    if isinstance(value, _VALUES):
        return True
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    if isinstance(value, (list, tuple, set, frozenset, deque)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    return False


def _refill(now: Any, value: Any) -> bool:
    """Copies a value into a container of the same type; returns whether that was possible."""
    if type(now) is not type(value):
        return False
    if isinstance(now, np.ndarray):
        if now.shape != value.shape or now.dtype != value.dtype or not now.flags.writeable:
            return False
        now[...] = value
    elif isinstance(now, list):
        now[:] = deepcopy(value)
    elif isinstance(now, (dict, set)):
        now.clear()
        now.update(deepcopy(value))
    elif isinstance(now, deque) and now.maxlen == value.maxlen:
        now.clear()
        now.extend(deepcopy(value))
    else:
        return False
    return True


class Spawner(Protocol):
    """Object that creates and removes the model of a behaviour.

    >>> class BallSpawner:
    ...     def spawn(self, world, name, pose=None):
    ...         world.spawn(TableModel(), name, pose or Pose())
    ...     def delete(self, world, name):
    ...         world.delete(name)
    >>> with World(TableSimulator()):
    ...     ball = Behaviour("ball", spawner=BallSpawner(), initial_pose=Pose((0, 0, 1)))
    >>> ball.spawn()
    >>> ball.is_spawned
    True
    """

    def spawn(self, world: World, name: str, pose: Pose | None = None) -> None:
        """Adds the model under a name, at a pose or by default at the pose in its description."""
        ...

    def delete(self, world: World, name: str) -> None:
        """Removes the model."""
        ...


class NeverSpawnedWarning(UserWarning):
    """Warning that a world ticks while a behaviour with a spawner has never been spawned."""


class _BehaviourType(ABCMeta):
    """Metaclass that removes a behaviour from its world if its constructor raises an error."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        behaviour: Any = cls.__new__(cls, *args, **kwargs)  # type: ignore[arg-type]  # of type itself
        try:
            behaviour.__init__(*args, **kwargs)
        except BaseException:
            world = getattr(behaviour, "world", None)
            if world is not None and any(each is behaviour for each in world.behaviours):
                world.behaviours.remove(behaviour)
            raise
        return behaviour


class Behaviour(metaclass=_BehaviourType):
    """Object that steers one model of a single world (W = 1) through hooks.

    Subclasses override hooks, ``on_...``, which do nothing by default. During a hook, the
    behaviour's world is the current one. An exception in a hook is raised as `CallbackError`, which
    names the behaviour, the hook and the tick.

    The hooks for updates and resets are only called while the model exists, from `spawn` until it
    is deleted. Without a spawner, they are always called.

    >>> class Ball(Behaviour):
    ...     def on_fixed_update(self, delta_time, sim_time):
    ...         print(f"at {sim_time} s: x = {self.transform.pose.position.x} m")
    >>> with World(TableSimulator(timestep=0.5)) as world:
    ...     world.spawn(TableModel(gravity=False), "ball", Pose())
    ...     Ball("ball").transform.twist = Twist((2, 0, 0))
    ...     world.tick()
    ...     world.tick()
    at 0.0 s: x = 0.0 m
    at 0.5 s: x = 1.0 m

    Args:
        name: Name of the model, unique among the world's behaviours.
        tags: Group or groups of the behaviour.
        spawner: Creator of the model; None if the world has the model already.
        initial_pose: Pose in the world frame at which `spawn` and `reset` put the model. With None,
            `spawn` uses the pose in the description, and `reset` does not move the model.
        world: The world; the current one by default.

    Attributes:
        transform: Pose, twist and appearance of the model.
        enabled: Whether `update` and `fixed_update` call their hooks.

    Raises:
        DuplicateEntityError: The world has a behaviour with this name.
        NoCurrentWorldError: No world is given, and none is current.
        UnsupportedError: The simulator has several worlds.
    """

    _waits_to_spawn = True

    def __init__(
        self,
        name: str,
        *,
        tags: str | Iterable[str] = (),
        spawner: Spawner | None = None,
        initial_pose: Pose | None = None,
        world: World | None = None,
    ) -> None:
        self.world = world if world is not None else current_world()
        if not isinstance(name, str):
            raise TypeError(f"a behaviour's name must be a str, got {name!r}")
        self.world.require_single(f"{type(self).__name__} {name!r}")
        self.name = name
        if initial_pose is not None and not isinstance(initial_pose, Pose):
            raise TypeError(f"initial_pose of {name!r} must be a Pose, got {initial_pose!r}")
        self.tags = frozenset([tags] if isinstance(tags, str) else tags)
        self.spawner = spawner
        self.initial_pose = initial_pose
        self.transform = Transform(self.world, name)
        self.enabled = True
        self.world.behaviours.add(self)

    @property
    def is_spawned(self) -> bool:
        """Whether the world has the model."""
        return self.name in self.world.entities.models

    def spawn(self) -> None:
        """Creates the model, then calls `on_spawn`.

        Raises:
            ValueError: The behaviour has no spawner.
            DuplicateEntityError: The world has a model with this name.
            SpawnError: The model cannot be built.
            TypeError: A subclass did not call the constructor of `Behaviour`.
        """
        if not hasattr(self, "spawner"):
            kind = type(self).__name__
            raise TypeError(
                f"{kind} has neither name nor world: "
                f"{kind}.__init__ must call super().__init__(name) before anything else"
            )
        if self.spawner is None:
            raise ValueError(
                f"behaviour {self.name!r} has no spawner: pass one, or do not spawn it"
            )
        self.spawner.spawn(self.world, self.name, self.initial_pose)
        self._waits_to_spawn = False
        self._call(self.on_spawn)

    def delete(self) -> None:
        """Removes the model, then calls `on_delete`; the behaviour can be spawned again."""
        if self.spawner is None:
            self.world.delete(self.name)
        else:
            self.spawner.delete(self.world, self.name)
        self._waits_to_spawn = False
        self._call(self.on_delete)

    def enable(self) -> None:
        """Enables updates, after calling `on_enable` if they were disabled."""
        if not self.enabled:
            self._call(self.on_enable)
            self.enabled = True

    def disable(self) -> None:
        """Disables updates, after calling `on_disable` if they were enabled."""
        if self.enabled:
            self._call(self.on_disable)
            self.enabled = False

    def reset(self) -> None:
        """Returns the model to its initial pose, at rest, then calls `on_reset`.

        Joints keep their positions and velocities, which `World.reset` resets.
        """
        if not self._is_active:
            return
        if self.initial_pose is not None and self.is_spawned:
            self.transform.pose = self.initial_pose
            self.transform.twist = Twist()
        self._call(self.on_reset)

    def update(self) -> None:
        """Calls `on_update` if updates are enabled; the environment calls this once per step."""
        if self.enabled and self._is_active:
            self._call(self.on_update)

    def fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Calls `on_fixed_update` if updates are enabled; the world calls this once per tick."""
        if not self.enabled:
            return
        if self._is_active:  # during a tick, this world is the current one
            if not _is_empty(self.on_fixed_update):
                self.world.invoke(self.name, self.on_fixed_update, delta_time, sim_time)
        elif self._waits_to_spawn:
            self._waits_to_spawn = False
            warnings.warn(
                f"behaviour {self.name!r} has a spawner and was never spawned, so its hooks are "
                "not called: call spawn()",
                NeverSpawnedWarning,
                stacklevel=2,
            )

    # Snapshots

    def get_state(self) -> Any:
        """Returns the behaviour's own state for `World.get_state`, without its model.

        By default, this is a copy of all attributes with plain values (`plain_attributes`).
        Override it to add other state::

            def get_state(self):
                return super().get_state(), self.filter.state

        Attributes that hold other objects are not saved; `set_state` leaves them as they are, even
        if they are None by then. The order of a set is not preserved; sort it if the order matters.
        """
        return plain_attributes(self)

    def set_state(self, state: Any) -> None:
        """Restores the behaviour's own state, after the state of its model."""
        restore_attributes(self, state)

    # Hooks

    def on_spawn(self) -> None:
        """Called after the model was created."""

    def on_delete(self) -> None:
        """Called after the model was removed."""

    def on_enable(self) -> None:
        """Called before updates are enabled again."""

    def on_disable(self) -> None:
        """Called before updates are disabled."""

    def on_reset(self) -> None:
        """Called at the start of an episode."""

    def on_update(self) -> None:
        """Called once per step of the environment."""

    def on_fixed_update(self, delta_time: float, sim_time: float) -> None:
        """Called once per tick of the world.

        Args:
            delta_time: Duration of a tick [s].
            sim_time: Present simulated time [s].
        """

    @property
    def _is_active(self) -> bool:
        return self.spawner is None or self.is_spawned

    def _call(self, hook: Callable[..., None], *args: Any) -> None:
        if not _is_empty(hook):
            with self.world:
                self.world.invoke(self.name, hook, *args)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"


_EMPTY = frozenset(hook for name, hook in vars(Behaviour).items() if name.startswith("on_"))


def _is_empty(hook: Callable[..., None]) -> bool:
    """Returns whether no subclass overrides a hook."""
    return getattr(hook, "__func__", None) in _EMPTY

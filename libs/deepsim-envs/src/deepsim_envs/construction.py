# SPDX-License-Identifier: Apache-2.0
"""Makes environments by functions, and joins environments of one world each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, nullcontext, suppress
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from deepsim_sync import UnsupportedError, call_all, world_seeds

from .environment import Environment
from .environment.info import world_values
from .errors import ResetNeededError
from .results import EnvironmentState, Step
from .spaces import GroupBatches, leafwise


class JoinedEnvironment:
    """Environments of one world each, with the interface on arrays of a single `Environment`.

    The environments are stepped in turn. World w belongs to environment w, and gives the same bits
    as that environment alone.

    Args:
        makers: Functions that make the environments, which must have the same agents and spaces. If
            a function raises an error, the environments made before are closed.

    Attributes:
        environments: The environments.
        groups: The groups of agents with equal spaces.
        agents: The names of all agents, in the order of the groups.
        frame_skip: Physics steps in one environment step.

    Raises:
        ValueError: There are no makers, or an environment has several worlds or differs from the
            first.

    Example:
        `make` is the function from the `Area` example:

        >>> environment = JoinedEnvironment([make] * 3)
        >>> observations = environment.reset_worlds(seed=7)
        >>> environment.step_worlds(([[[1.0]], [[0.0]], [[-1.0]]],)).reward.ravel()
        array([ 0.5,  0. , -0.5])
    """

    def __init__(self, makers: Iterable[Callable[[], Environment]]) -> None:
        with ExitStack() as stack:
            self.environments = [stack.enter_context(closing(make())) for make in makers]
            if not self.environments:
                raise ValueError("at least one environment is needed, got no makers")
            first = self.environments[0]
            wanted = {"worlds": 1, "groups": first.groups, "frame_skip": first.frame_skip}
            for number, each in enumerate(self.environments):
                found = {"worlds": len(each), "groups": each.groups, "frame_skip": each.frame_skip}
                if found != wanted:
                    raise ValueError(f"environment {number} has {found}, instead of {wanted}")
            stack.pop_all()
        self.groups, self.agents, self.frame_skip = first.groups, first.agents, first.frame_skip
        self._actions = GroupBatches("action", self.groups, len(self), type(first.area).__name__)
        self._seen: list[tuple[Any, ...]] = [()] * len(self)
        self._no_step_because: str | None = "no episode has begun"

    def __len__(self) -> int:
        """Returns the number of worlds, W."""
        return len(self.environments)

    @property
    def live(self) -> NDArray[np.bool_]:
        """Whether each agent takes part and is not done, (W, A) bool; a new array."""
        return np.concatenate([environment.live for environment in self.environments])

    @property
    def waiting(self) -> NDArray[np.bool_]:
        """Whether each agent has yet to join the episode, (W, A) bool; a new array."""
        return np.concatenate([environment.waiting for environment in self.environments])

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Whether the physics of each world diverged in the latest step, (W,) bool."""
        return np.concatenate([environment.diverged for environment in self.environments])

    def reset_worlds(
        self,
        seed: int | Sequence[int | None] | None = None,
        worlds: ArrayLike | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, ...]:
        """Begins new episodes in all or some worlds; see `Environment.reset_worlds`."""
        chosen = np.arange(len(self)) if worlds is None else np.asarray(worlds)
        if len(chosen) < len(self) and self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        seeds = world_seeds(seed, chosen)
        self._no_step_because = "the last reset failed halfway"
        for world, own in zip(chosen.tolist(), seeds, strict=True):
            self._seen[world] = self.environments[world].reset_worlds(own, options=options)
        self._no_step_because = None
        return self._observations()

    def step_worlds(self, actions: Sequence[Any], worlds: ArrayLike | None = None) -> Step:
        """Steps all or some worlds; see `Environment.step_worlds`."""
        if self._no_step_because is not None:
            raise ResetNeededError(self._no_step_because)
        chosen = range(len(self)) if worlds is None else np.asarray(worlds).tolist()
        live = self.live
        live[[world for world in range(len(self)) if world not in chosen]] = False
        checked = self._actions.checked(actions, live, bounds=True)
        reward = np.zeros(live.shape)
        terminated, truncated = np.zeros((2, *live.shape), np.bool_)
        self._no_step_because = "the last step failed halfway"
        for world in chosen:
            own = leafwise(lambda part, world=world: part[world : world + 1], checked)
            step = self.environments[world].step_worlds(own)
            self._seen[world], reward[world], terminated[world], truncated[world] = step
        self._no_step_because = None
        return Step(self._observations(), reward, terminated, truncated)

    def info(self, agent: str | None = None) -> dict[str, Any]:
        """Returns the info of all worlds, as `Environment.info`; missing values are None."""
        return self._joined_info([environment.info(agent) for environment in self.environments])

    def compute_reward(self, achieved_goal: Any, desired_goal: Any, info: Any) -> Any:
        """Returns the rewards for achieved goals; see `Area.compute_reward`."""
        return self.environments[0].compute_reward(achieved_goal, desired_goal, info)

    def get_state(self) -> tuple[EnvironmentState, ...]:
        """Returns a snapshot between two steps; see `Environment.get_state`."""
        return tuple(environment.get_state() for environment in self.environments)

    def set_state(self, state: Sequence[EnvironmentState]) -> None:
        """Restores a snapshot; see `Environment.set_state`."""
        if len(state) != len(self):
            raise ValueError(f"expected the states of {len(self)} worlds, got {len(state)}")
        self._no_step_because = "the last set_state failed halfway"
        for world, (environment, own) in enumerate(zip(self.environments, state, strict=True)):
            environment.set_state(own)
            self._seen[world] = () if own.observation is None else tuple(own.observation)
        self._no_step_because = state[0].no_step_because

    def close(self) -> None:
        """Closes all environments."""
        call_all(environment.close for environment in self.environments)

    def _observations(self) -> tuple[Any, ...]:
        joined: tuple[Any, ...] = leafwise(lambda *parts: np.concatenate(parts), *self._seen)
        return joined

    def _joined_info(self, infos: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        joined: dict[str, Any] = {}
        for key in dict.fromkeys(key for info in infos for key in info):
            values = [info.get(key) for info in infos]
            if any(isinstance(value, dict) for value in values):
                joined[key] = self._joined_info([value or {} for value in values])
            else:
                entries = [None if value is None else value[0] for value in values]
                joined[key] = world_values(entries, len(self), f"info {key!r}")
        return joined


def located(environment: Environment | JoinedEnvironment, world: int) -> tuple[Environment, int]:
    """Returns the environment that contains a world, and the world's number within it."""
    if isinstance(environment, Environment):
        return environment, world
    return environment.environments[world], 0


def is_function_name(name: str) -> bool:
    """Returns whether a string has the form ``"package.module:name"``."""
    module, colon, function = name.partition(":")
    return bool(colon) and function.isidentifier() and all(map(str.isidentifier, module.split(".")))


def require_function_name(what: str, name: str) -> None:
    """Checks that a string has the form of a function's or class's name.

    Raises:
        ValueError: The string does not have the form ``"package.module:name"``.
    """
    if not is_function_name(name):
        raise ValueError(f"{what} must be of the form 'package.module:function', got {name!r}")


def find_function(name: str) -> Any:
    """Imports the module of a function or class, and returns the function or class.

    Raises:
        ImportError: The module or the name does not exist.
    """
    module, _, function = name.partition(":")
    try:
        return getattr(import_module(module), function)
    except AttributeError:
        raise ImportError(f"{module} has no {function!r}, which {name!r} names") from None


def takes_worlds(make: Callable[..., Any]) -> bool:
    """Returns whether a function that makes environments takes the argument ``worlds``."""
    return "worlds" in signature(make).parameters


def make_worlds(
    make: Callable[..., Environment], worlds: int, **options: Any
) -> Environment | JoinedEnvironment:
    """Makes an environment of several worlds.

    Args:
        make: Function that makes an environment. It is called once if it takes ``worlds`` and does
            not raise UnsupportedError for this number; otherwise once for each world.
        worlds: The number of worlds.
        options: Keyword arguments of the function. A ``seed`` is for world 0; world w gets
            ``seed + w``.

    Raises:
        TypeError: The function does not return an `Environment`.
        ValueError: The environment has a different number of worlds.

    Example:
        `make` is the function from the `Area` example:

        >>> make_worlds(make, 2).slots
        ('puck/0', 'puck/1')
    """
    if takes_worlds(make):
        with nullcontext() if worlds == 1 else suppress(UnsupportedError):
            return _checked(make(worlds=worlds, **options), make, worlds)
    if worlds == 1:
        return _checked(make(**options), make, worlds)
    seeds = range(options["seed"], options["seed"] + worlds) if "seed" in options else None
    each = [{"seed": seed} for seed in seeds] if seeds else [{}] * worlds
    return JoinedEnvironment(partial(make, **{**options, **own}) for own in each)


def _checked(made: Any, make: Callable[..., Any], worlds: int) -> Environment:
    name = getattr(make, "__name__", make)
    if not isinstance(made, Environment):
        raise TypeError(f"{name} must return an Environment, got {made!r}")
    if len(made) != worlds:
        made.close()
        raise ValueError(f"{name} was asked for {worlds} worlds, but made {len(made)}")
    return made

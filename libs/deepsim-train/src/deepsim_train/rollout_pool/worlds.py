# SPDX-License-Identifier: Apache-2.0
"""The worlds of a rollout, and the plain data from which each worker makes its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from numpy.typing import NDArray

from deepsim_envs.area import Agents
from deepsim_envs.construction import (
    JoinedEnvironment,
    find_function,
    is_function_name,
    make_worlds,
    takes_worlds,
)
from deepsim_envs.environment import Environment
from deepsim_envs.results import Step
from deepsim_envs.spaces import leafwise
from deepsim_sync import call_all


@dataclass(frozen=True)
class Spec:
    """Names an environment or a policy, so that each worker can make its own.

    Args:
        make: A function or class, as ``"package.module:name"``; for an environment, alternatively
            an id that is registered with Gymnasium in this process.
        kwargs: Keyword arguments for it, which must be plain data.

    Raises:
        TypeError: The arguments cannot be written as JSON.

    Example:
        >>> Spec("rinks.tasks:make", {"frame_skip": 4}).kwargs
        {'frame_skip': 4}
    """

    make: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            json.dumps(dict(self.kwargs))
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"arguments of {self.make} must be plain data, as in JSON: {error}"
            ) from None


def portable(spec: Spec) -> Spec:
    """Returns an equivalent spec for other processes, in which its id may not be registered.

    Raises:
        gymnasium.error.Error: The id is not registered in this process.
        ValueError: The id is registered with a function instead of a function's name.
    """
    if is_function_name(spec.make):
        return spec
    registered = gymnasium.spec(spec.make)
    if callable(registered.entry_point):
        raise ValueError(
            f"{spec.make} is registered with a function that other processes cannot find: "
            "register it as 'package.module:name'"
        )
    kwargs = {"registered": registered.to_json(), "kwargs": dict(spec.kwargs)}
    return Spec(f"{__name__}:make_registered", kwargs)


def make_registered(registered: str, kwargs: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    """Makes an environment that another process has registered, from the JSON of its spec."""
    return gymnasium.make(EnvSpec.from_json(registered), disable_env_checker=True, **kwargs)


class GymnasiumWorlds:
    """Gymnasium environments behind the array methods of an `Environment`.

    An agent without a name is called ``"agent"``.

    Attributes:
        groups: One group with the only agent.
        live: Whether the episode in each world continues, (W, 1) bool.
        waiting: False for each world, (W, 1): the agent never joins later.
    """

    def __init__(self, makers: Sequence[Callable[[], gymnasium.Env[Any, Any]]]) -> None:
        self._envs = [make() for make in makers]
        first = self._envs[0]
        name = str(getattr(first.unwrapped, "agent", "agent"))
        self._space = first.observation_space
        self._action_batch = batch_space(first.action_space, len(makers))
        self.groups = (Agents([name], first.observation_space, first.action_space),)
        self.live, self.waiting = np.zeros((2, len(makers), 1), np.bool_)
        self._seen: list[Any] = [None] * len(makers)

    def reset_worlds(self, seed: Sequence[int], worlds: NDArray[np.intp]) -> tuple[Any, ...]:
        """Begins episodes in some worlds; returns the observations in all worlds."""
        for world, own in zip(worlds.tolist(), seed, strict=True):
            self._seen[world], _ = self._envs[world].reset(seed=own)
        self.live[worlds] = True
        return self._observations()

    def step_worlds(self, actions: Sequence[Any], worlds: NDArray[np.intp] | None = None) -> Step:
        """Steps all worlds, or those in `worlds`.

        Raises:
            ValueError: An action holds NaN.
        """
        chosen = range(len(self._envs)) if worlds is None else worlds.tolist()
        own = list(iterate(self._action_batch, leafwise(self._own_actions, actions[0])))
        reward = np.zeros(self.live.shape)
        terminated, truncated = np.zeros((2, *self.live.shape), np.bool_)
        for world in chosen:
            found = self._envs[world].step(own[world])
            self._seen[world], reward[world], terminated[world], truncated[world], _ = found
        self.live &= ~(terminated | truncated)
        return Step(self._observations(), reward, terminated, truncated)

    def _observations(self) -> tuple[Any, ...]:
        batch: Any = create_empty_array(self._space, len(self._envs), np.zeros)
        seen = concatenate(self._space, self._seen, batch)
        return (leafwise(lambda part: part[:, None], seen),)

    def _own_actions(self, part: NDArray[Any]) -> NDArray[Any]:
        if part.dtype.kind == "f" and np.isnan(part).any():
            name = self.groups[0].names[0]
            raise ValueError(f"action of agent {name!r} must not hold NaN, got {part[:, 0]!r}")
        return part[:, 0]

    def close(self) -> None:
        """Closes all environments."""
        call_all(env.close for env in self._envs)


RolloutWorlds: TypeAlias = Environment | JoinedEnvironment | GymnasiumWorlds


def make_rollout_worlds(spec: Spec, worlds: int) -> RolloutWorlds:
    """Makes the worlds of a spec: with one call if it takes ``worlds``, else with a call for each.

    Raises:
        TypeError: The spec makes neither an `Environment` nor a `gymnasium.Env`.
    """
    make = partial(find_function(spec.make), **spec.kwargs)
    if takes_worlds(make):
        return make_worlds(make, worlds)
    first = make()
    makers: list[Callable[[], Any]] = [lambda: first, *[make] * (worlds - 1)]
    if isinstance(first, Environment):
        return first if worlds == 1 else JoinedEnvironment(makers)
    if isinstance(first, gymnasium.Env):
        return GymnasiumWorlds(makers)
    raise TypeError(f"{spec.make} must make an Environment or a gymnasium.Env, got {first!r}")

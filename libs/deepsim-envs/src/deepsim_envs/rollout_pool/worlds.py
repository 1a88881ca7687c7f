# SPDX-License-Identifier: Apache-2.0
"""The worlds of a rollout, on arrays by agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import Any, NamedTuple, Protocol

import gymnasium
import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from deepsim_envs.environment import Environment
from deepsim_envs.joined_environment import JoinedEnvironment, make_worlds, takes_worlds
from deepsim_envs.spaces import leafwise
from deepsim_sync import call_all

from .columns import allocated, put, taken

Columns = dict[str, Any]
"""By agent: an array (W, ...), or dicts and tuples of such arrays."""
Bools = NDArray[np.bool_]


class Outcome(NamedTuple):
    """The results of a step; rows of agents that did not act are void."""

    observation: Columns
    reward: NDArray[np.float64]
    """(W, A)."""
    terminated: Bools
    truncated: Bools


class RolloutWorlds(Protocol):
    """W worlds of a task."""

    observation_space: dict[str, Space[Any]]
    """By agent, in one world."""
    action_space: dict[str, Space[Any]]

    def reset(self, worlds: Sequence[int], seeds: Sequence[int]) -> Columns:
        """Begins episodes in some worlds; returns the observations in all of them."""
        ...

    def step(self, actions: Columns) -> Outcome:
        """Steps all worlds; actions of agents that are done are ignored."""
        ...

    def close(self) -> None:
        """Closes all worlds."""
        ...


class EnvironmentWorlds:
    """All agents of an environment."""

    def __init__(self, environment: Environment | JoinedEnvironment) -> None:
        self._environment = environment
        members = [(name, group) for group in environment.groups for name in group.names]
        self.observation_space = {name: group.observation_space for name, group in members}
        self.action_space = {name: group.action_space for name, group in members}

    def reset(self, worlds: Sequence[int], seeds: Sequence[int]) -> Columns:
        """See `Environment.reset_worlds`."""
        return self._columns(self._environment.reset_worlds(seeds, worlds))

    def step(self, actions: Columns) -> Outcome:
        """See `Environment.step_worlds`."""
        batches = [
            leafwise(
                lambda *columns: np.stack(columns, axis=1), *(actions[name] for name in group.names)
            )
            for group in self._environment.groups
        ]
        observation, *rest = self._environment.step_worlds(batches)
        return Outcome(self._columns(observation), *rest)

    def close(self) -> None:
        """Closes the environment."""
        self._environment.close()

    def _columns(self, batches: Sequence[Any]) -> Columns:
        return {
            name: leafwise(lambda part, row=row: part[:, row], batch)
            for group, batch in zip(self._environment.groups, batches, strict=True)
            for row, name in enumerate(group.names)
        }


class GymnasiumWorlds:
    """Gymnasium environments, whose one agent is named ``"agent"`` if it has no name."""

    def __init__(self, envs: Sequence[gymnasium.Env[Any, Any]]) -> None:
        self._envs = envs
        self._agent = str(getattr(envs[0].unwrapped, "agent", "agent"))
        self.observation_space = {self._agent: envs[0].observation_space}
        self.action_space = {self._agent: envs[0].action_space}
        self._seen = allocated(envs[0].observation_space, (len(envs),), self._what)

    @property
    def _what(self) -> str:
        return f"observation of agent {self._agent!r}"

    def reset(self, worlds: Sequence[int], seeds: Sequence[int]) -> Columns:
        """See `gymnasium.Env.reset`."""
        for world, seed in zip(worlds, seeds, strict=True):
            put(self._seen, world, self._envs[world].reset(seed=seed)[0])
        return {self._agent: self._seen}

    def step(self, actions: Columns) -> Outcome:
        """See `gymnasium.Env.step`."""
        shape = (len(self._envs), 1)
        reward = np.zeros(shape)
        terminated, truncated = np.zeros((2, *shape), np.bool_)
        for world, env in enumerate(self._envs):
            seen, reward[world], terminated[world], truncated[world], _ = env.step(
                taken(actions[self._agent], world)
            )
            put(self._seen, world, seen)
        return Outcome({self._agent: self._seen}, reward, terminated, truncated)

    def close(self) -> None:
        """Closes all environments."""
        call_all(env.close for env in self._envs)


def make_rollout_worlds(make: Callable[..., Any], name: str, worlds: int) -> RolloutWorlds:
    """Makes so many worlds: by one call if `make` takes ``worlds``, or by one for each.

    Args:
        make: Makes an `Environment` or a `gymnasium.Env`.
        name: Its name, for messages.
        worlds: The number of worlds.

    Raises:
        TypeError: It makes something else.
    """
    if takes_worlds(make):
        return EnvironmentWorlds(make_worlds(make, worlds))
    with ExitStack() as stack:
        made = []
        for _ in range(worlds):
            one = make()
            if not isinstance(one, (Environment, gymnasium.Env)):
                raise TypeError(f"{name} must make an Environment or a gymnasium.Env, got {one!r}")
            made.append(stack.enter_context(closing(one)))
        kept: RolloutWorlds = (
            EnvironmentWorlds(JoinedEnvironment(partial(_same, one) for one in made))
            if isinstance(made[0], Environment)
            else GymnasiumWorlds(made)
        )
        stack.pop_all()
    return kept


def _same(environment: Environment) -> Environment:
    return environment

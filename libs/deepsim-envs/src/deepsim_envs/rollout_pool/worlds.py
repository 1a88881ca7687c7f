# SPDX-License-Identifier: Apache-2.0
"""The worlds of a rollout, on arrays by agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from numpy.typing import NDArray

from deepsim_envs.environment import Environment
from deepsim_envs.joined_environment import JoinedEnvironment, make_worlds, takes_worlds
from deepsim_envs.spaces import leafwise

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


class EnvironmentWorlds:
    """All agents of an environment, in all its worlds."""

    def __init__(self, environment: Environment | JoinedEnvironment) -> None:
        self._environment = environment
        members = [(name, group) for group in environment.groups for name in group.names]
        self.observation_space = {name: group.observation_space for name, group in members}
        self.action_space = {name: group.action_space for name, group in members}

    def reset(self, worlds: Sequence[int], seeds: Sequence[int]) -> Columns:
        """Begins episodes in some worlds; returns the observations in all of them."""
        return self._columns(self._environment.reset_worlds(seeds, worlds))

    def step(self, actions: Columns) -> Outcome:
        """Steps all worlds; actions of agents that are done are ignored."""
        batches = [
            leafwise(
                lambda *columns: np.stack(columns, axis=1), *(actions[name] for name in group.names)
            )
            for group in self._environment.groups
        ]
        step = self._environment.step_worlds(batches)
        return Outcome(self._columns(step.observation), *step[1:])

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

    def __init__(self, makers: Sequence[Callable[[], gymnasium.Env[Any, Any]]]) -> None:
        self._envs = SyncVectorEnv(makers, autoreset_mode=AutoresetMode.DISABLED)
        self._agent = str(getattr(self._envs.envs[0].unwrapped, "agent", "agent"))
        self.observation_space = {self._agent: self._envs.single_observation_space}
        self.action_space = {self._agent: self._envs.single_action_space}

    def reset(self, worlds: Sequence[int], seeds: Sequence[int]) -> Columns:
        """Begins episodes in some worlds; returns the observations in all of them."""
        own: list[int | None] = [None] * self._envs.num_envs
        mask = np.zeros(self._envs.num_envs, np.bool_)
        mask[worlds] = True
        for world, seed in zip(worlds, seeds, strict=True):
            own[world] = seed
        return {self._agent: self._envs.reset(seed=own, options={"reset_mask": mask})[0]}

    def step(self, actions: Columns) -> Outcome:
        """Steps all worlds."""
        seen, reward, terminated, truncated, _ = self._envs.step(actions[self._agent])
        return Outcome(
            {self._agent: seen}, reward[:, None], terminated[:, None], truncated[:, None]
        )

    def close(self) -> None:
        """Closes all environments."""
        self._envs.close()


RolloutWorlds: TypeAlias = EnvironmentWorlds | GymnasiumWorlds
"""W worlds of a task; `observation_space` and `action_space` are by agent, in one world."""


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
    first = make()
    if not isinstance(first, (Environment, gymnasium.Env)):
        raise TypeError(f"{name} must make an Environment or a gymnasium.Env, got {first!r}")
    makers: list[Callable[[], Any]] = [lambda: first, *[make] * (worlds - 1)]
    if isinstance(first, Environment):
        return EnvironmentWorlds(JoinedEnvironment(makers))
    return GymnasiumWorlds(makers)

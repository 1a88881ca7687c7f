# SPDX-License-Identifier: Apache-2.0
"""The kinds of environments that a rollout steps, seen alike: dicts by agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import gymnasium
from gymnasium.spaces import Space

from deepsim_envs.environment import Environment


class Outcome(NamedTuple):
    """What a step was for an agent."""

    observation: Any
    reward: float
    terminated: bool
    truncated: bool


class RolloutWorld(Protocol):
    """One copy of the task."""

    observation_space: dict[str, Space[Any]]
    action_space: dict[str, Space[Any]]

    def reset(self, seed: int) -> Mapping[str, Any]:
        """What each agent observes at the beginning of an episode."""
        ...

    def step(self, actions: Mapping[str, Any]) -> Mapping[str, Outcome]:
        """One step of the agents that act."""
        ...

    def close(self) -> None:
        """Frees what the task holds."""
        ...


class AgentsWorld:
    """All agents of an `Environment`."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.observation_space = environment.observation_space
        self.action_space = environment.action_space

    def reset(self, seed: int) -> Mapping[str, Any]:
        """See `Environment.reset`."""
        return self._environment.reset(seed)[0]

    def step(self, actions: Mapping[str, Any]) -> Mapping[str, Outcome]:
        """See `Environment.step`."""
        result = self._environment.step(actions)
        ends = result.info["deepsim"]
        return {
            agent: Outcome(
                seen, result.reward[agent], ends["terminated"][agent], ends["truncated"][agent]
            )
            for agent, seen in result.observation.items()
        }

    def close(self) -> None:
        """Closes the environment."""
        self._environment.close()


class GymnasiumWorld:
    """The one agent of a Gymnasium environment, named ``"agent"`` if it has no name."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        self._env = env
        self._agent = str(getattr(env.unwrapped, "agent", "agent"))
        self.observation_space = {self._agent: env.observation_space}
        self.action_space = {self._agent: env.action_space}

    def reset(self, seed: int) -> Mapping[str, Any]:
        """See `gymnasium.Env.reset`."""
        return {self._agent: self._env.reset(seed=seed)[0]}

    def step(self, actions: Mapping[str, Any]) -> Mapping[str, Outcome]:
        """See `gymnasium.Env.step`."""
        seen, reward, terminated, truncated, _ = self._env.step(actions[self._agent])
        return {self._agent: Outcome(seen, float(reward), terminated, truncated)}

    def close(self) -> None:
        """Closes the environment."""
        self._env.close()


def rollout_world(environment: object, make: str) -> RolloutWorld:
    """An environment as a rollout sees it.

    Raises:
        TypeError: It is none.
    """
    if isinstance(environment, Environment):
        return AgentsWorld(environment)
    if isinstance(environment, gymnasium.Env):
        return GymnasiumWorld(environment)
    raise TypeError(f"{make} must make an Environment or a gymnasium.Env, got {environment!r}")

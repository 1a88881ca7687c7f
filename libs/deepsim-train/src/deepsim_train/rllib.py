# SPDX-License-Identifier: Apache-2.0
"""The view of all agents as RLlib's `MultiAgentEnv`; needs ``deepsim-train[rllib]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from deepsim_envs.environment import Environment, info_of
from deepsim_envs.viewing import drawn_seed

try:
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
except ImportError as error:
    raise ImportError(
        "deepsim_train.rllib needs RLlib: pip install --find-links dist 'deepsim-train[rllib]'"
    ) from error

__all__ = ["RLlibEnv"]

Dicts: TypeAlias = tuple[
    dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


class RLlibEnv(MultiAgentEnv):  # type: ignore[misc]  # not typed where it is not installed
    """The view of all agents, which act at once, as RLlib's `MultiAgentEnv`.

    With several worlds, the agents are the slots of all worlds, such as ``"red_car/3"``; an episode
    ends when all of them are done. If the first reset gets no seed, it draws one, like Gymnasium's
    own environments.

    Args:
        environment: The task; closing the view closes it.

    Example:
        `make` is the function from the `Area` example:

        >>> env = RLlibEnv(make())
        >>> observations, infos = env.reset(seed=7)
        >>> env.step({"puck": [1.0]})[1]
        {'puck': 0.5}
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.possible_agents = list(environment.slots)
        self.agents = list(environment.slots)
        self.observation_spaces = dict(environment.observation_space)
        self.action_spaces = dict(environment.action_space)
        self._seeded = False
        super().__init__()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begins an episode; see `Environment.reset`."""
        super().reset(seed=seed)
        if seed is None and not self._seeded:
            seed = drawn_seed(self.np_random)
        observation, info = self.environment.reset(seed, options)
        self._seeded = True
        self.agents = list(observation)
        return observation, self._infos(info)

    def step(self, action_dict: Mapping[str, Any]) -> Dicts:
        """Steps all live agents; see `Environment.step`.

        If some agents are truncated in the last step of an episode, ``truncateds`` has
        ``"__all__"`` instead of their entries. With an entry for every agent, RLlib would
        treat the episode as terminated, and learn that a truncated state has no value.
        """
        result = self.environment.step(action_dict)
        ends = result.info["deepsim"]
        terminateds: dict[str, bool] = dict(ends["terminated"])
        truncateds: dict[str, bool] = dict(ends["truncated"])
        over = not self.environment.live_agents
        truncated = over and any(truncateds.values())
        if truncated:
            truncateds = {name: False for name, cut in truncateds.items() if not cut}
        terminateds["__all__"] = over and not truncated
        truncateds["__all__"] = truncated
        self.agents = list(result.observation)
        return (
            result.observation,
            result.reward,
            terminateds,
            truncateds,
            self._infos(result.info),
        )

    def close(self) -> None:
        """Closes the environment; further calls have no effect."""
        self.environment.close()

    def _infos(self, info: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        return {agent: info_of(agent, self.environment, info) for agent in self.agents}

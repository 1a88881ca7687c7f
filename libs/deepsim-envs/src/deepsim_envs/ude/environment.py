# SPDX-License-Identifier: Apache-2.0
"""An environment in this process, with the interface that a remote one has."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from gymnasium.spaces import Space

from deepsim_envs.environment import Environment
from deepsim_envs.results import StepResult

from .side_channel import SideChannel


class ResetMode(Enum):
    """The one that begins the next episode."""

    MANUAL = "manual"
    """The caller, by `reset`."""
    AUTO = "auto"
    """The step that ends an episode."""


class GameOver(Enum):
    """The end of an episode of several agents, for `ResetMode.AUTO`."""

    ANY = "any"
    """The first agent is done."""
    ALL = "all"
    """The last agent is done."""


class UDEEnvironment:
    """An `Environment` with a side channel and UDE's reset modes.

    If the area has an attribute ``side_channel`` that is a `SideChannel`, it is joined to this one.

    Args:
        environment: The task; closed with this.
        reset_mode: With AUTO the step that ends an episode returns the observations and info of the
            next; those of the end are in ``info["deepsim"]`` as ``"final_observation"`` and
            ``"final_info"``.
        game_over: The end of an episode, for AUTO.

    Attributes:
        environment: As given.
        observation_space: The space of each agent's observations, by name.
        action_space: The space of each agent's actions, by name.
        reset_mode: As given.
        game_over: As given.
        side_channel: The trainer's end.

    Example:
        The task is that of the example of `Area`, whose episodes have two steps:

        >>> environment = UDEEnvironment(make(), reset_mode="auto")
        >>> observation, info = environment.reset(seed=7)
        >>> results = [environment.step({"puck": [1.0]}) for _ in range(2)]
        >>> results[1].observation, results[1].info["deepsim"]["final_observation"]
        ({'puck': array([0.], dtype=float32)}, {'puck': array([1.], dtype=float32)})
    """

    def __init__(
        self,
        environment: Environment,
        *,
        reset_mode: ResetMode | str = ResetMode.MANUAL,
        game_over: GameOver | str = GameOver.ANY,
    ) -> None:
        if not isinstance(environment, Environment):
            raise TypeError(f"environment must be an Environment, got {environment!r}")
        self.environment = environment
        self.observation_space: Mapping[str, Space[Any]] = environment.observation_space
        self.action_space: Mapping[str, Space[Any]] = environment.action_space
        self.reset_mode = ResetMode(reset_mode)
        self.game_over = GameOver(game_over)
        self.side_channel = SideChannel()
        task_end = getattr(environment.area, "side_channel", None)
        if isinstance(task_end, SideChannel):
            self.side_channel.join(task_end)

    @property
    def live_agents(self) -> tuple[str, ...]:
        """The agents whose actions the next step needs."""
        return self.environment.live_agents

    def reset(self, seed: int | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins an episode; see `Environment.reset`."""
        return self.environment.reset(seed)

    def step(self, action_dict: Mapping[str, Any]) -> StepResult:
        """Steps; see `Environment.step`."""
        result = self.environment.step(action_dict)
        over = any(result.done.values())
        if self.game_over is GameOver.ALL:
            over = not self.environment.live_agents
        if self.reset_mode is ResetMode.MANUAL or not over:
            return result
        observation, info = self.environment.reset()
        ends = {
            **result.info["deepsim"],
            "final_observation": result.observation,
            "final_info": {key: part for key, part in result.info.items() if key != "deepsim"},
        }
        return result._replace(observation=observation, info={**info, "deepsim": ends})

    def close(self) -> None:
        """Closes the environment."""
        self.environment.close()

# SPDX-License-Identifier: Apache-2.0
"""An environment in this process, with the interface that a remote one has."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from gymnasium.spaces import Space

from deepsim_envs.environment import Environment
from deepsim_envs.step_result import StepResult

from .side_channel import SideChannel


class ResetMode(Enum):
    """Who begins the next episode."""

    MANUAL = "manual"
    """The caller, by `reset`."""
    AUTO = "auto"
    """The step that ends an episode."""


class GameOver(Enum):
    """When an episode of several agents ends, for `ResetMode.AUTO`."""

    ANY = "any"
    """When the first agent is done."""
    ALL = "all"
    """When the last agent is done."""


class UDEEnvironment:
    """An `Environment` with a side channel and UDE's reset modes.

    If the area has an attribute ``side_channel`` that is a `SideChannel`, it is joined to this one.

    Args:
        environment: What is stepped, and closed.
        reset_mode: Who begins the next episode. With AUTO the step that ends one returns the
            observations and info of the next; those of the end are in ``info["deepsim"]`` as
            ``"final_observation"`` and ``"final_info"``.
        game_over: When an episode ends, for AUTO.

    Attributes:
        environment: As given.
        reset_mode: As given.
        game_over: As given.
        side_channel: The trainer's end.
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
        self.reset_mode = ResetMode(reset_mode)
        self.game_over = GameOver(game_over)
        self.side_channel = SideChannel()
        task_end = getattr(environment.area, "side_channel", None)
        if isinstance(task_end, SideChannel):
            self.side_channel.join(task_end)

    @property
    def observation_space(self) -> Mapping[str, Space[Any]]:
        """What each agent observes, by name."""
        return self.environment.observation_space

    @property
    def action_space(self) -> Mapping[str, Space[Any]]:
        """How each agent may act, by name."""
        return self.environment.action_space

    @property
    def live_agents(self) -> tuple[str, ...]:
        """Agents whose actions the next step needs."""
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

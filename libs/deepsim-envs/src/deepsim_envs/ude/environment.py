# SPDX-License-Identifier: Apache-2.0
"""An environment in this process, with the same interface as `RemoteEnvironment`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from gymnasium.spaces import Space

from deepsim_envs.environment import Environment
from deepsim_envs.results import StepResult

from .side_channel import SideChannel


class ResetMode(Enum):
    """How the next episode begins.

    Example:
        >>> UDEEnvironment(make(), reset_mode="auto").reset_mode
        <ResetMode.AUTO: 'auto'>
    """

    MANUAL = "manual"
    """The caller calls `reset`."""
    AUTO = "auto"
    """The step that ends an episode begins the next one."""


class GameOver(Enum):
    """When an episode with several agents is over, for `ResetMode.AUTO`.

    Example:
        >>> UDEEnvironment(make(), reset_mode="auto", game_over="all").game_over
        <GameOver.ALL: 'all'>
    """

    ANY = "any"
    """When the first agent is done."""
    ALL = "all"
    """When all agents are done."""


class UDEEnvironment:
    """An `Environment` with a side channel and UDE's reset modes.

    If the area's attribute ``side_channel`` is a `SideChannel`, the two channels are joined.

    Args:
        environment: The task; closing this object closes it.
        reset_mode: How the next episode begins. With AUTO, the step that ends an episode returns
            the observations and info of the next episode; the last ones of the old episode are in
            ``info["deepsim"]`` as ``"final_observation"`` and ``"final_info"``.
        game_over: When an episode is over, for AUTO.

    Attributes:
        environment: The task.
        observation_space: The observation space of each agent, by name.
        action_space: The action space of each agent, by name.
        reset_mode: How the next episode begins.
        game_over: When an episode is over.
        side_channel: The trainer's end of the side channel.

    Example:
        `make` is the function from the `Area` example; an episode has two steps:

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
        """The agents for which the next step needs actions."""
        return self.environment.live_agents

    def reset(self, seed: int | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins an episode; see `Environment.reset`."""
        return self.environment.reset(seed)

    def step(self, action_dict: Mapping[str, Any]) -> StepResult:
        """Steps the environment; see `Environment.step`."""
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

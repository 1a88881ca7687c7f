# SPDX-License-Identifier: Apache-2.0
"""A `VecEnv` in which every agent of every world is a slot: one policy learns from all agents."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from deepsim_envs.environment import Environment
from deepsim_envs.joined_environment import JoinedEnvironment
from deepsim_envs.spaces import leafwise
from deepsim_envs.viewing import only_group

from .agent_slots import AgentSlots
from .auto_reset import AutoReset
from .slots_vec_env import Steps


class AgentsVecEnv(AgentSlots):
    """All agents of all worlds, each in its own slot.

    The slots are the agents of world 0 in the order of `Environment.agents`, then those of
    world 1, and so on.

    A world is reset within the step that ends its episode. With ``game_over="all"``, the slot of an
    agent that is done earlier waits until all agents are done. A waiting slot gets no reward,
    ignores its actions, repeats its last observation, and has ``info["waiting"]``; when its world
    is reset, it reports done again, without ``info["episode"]``. With ``game_over="any"``, the
    first agent that is done ends the episode, and all others are truncated.

    Only in the last step of an episode does a slot's info have the area's info for its world and
    agent; call ``environment.info()`` to get it at other times.

    Args:
        environment: The task; closing the `VecEnv` closes it.
        game_over: Whether an episode is over when all agents are done, or when any is.

    Attributes:
        environment: The task.
        slots: World and agent of each slot.

    Raises:
        ValueError: Agents differ in their spaces, or `game_over` is unknown.

    Example:
        `make` is the function from the `Area` example:

        >>> slots = AgentsVecEnv(make(worlds=3))
        >>> slots.seed(7)
        [7, 8, 9]
        >>> slots.reset().shape
        (3, 1)
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        *,
        game_over: Literal["all", "any"] = "all",
    ) -> None:
        self._worlds = AutoReset(environment, game_over)
        group = only_group(
            environment,
            "one policy acts in all slots (else take GymnasiumEnv, or SharedWorlds)",
        )
        super().__init__(environment, environment.agents, group)

    def _step_slots(self, actions: Any) -> Steps:
        batch = leafwise(lambda part: part.reshape(*self._shape, *part.shape[1:]), actions)
        return self._finish(self._worlds.step((batch,)))

    def _reset_slots(self, seeds: list[int | None]) -> Any:
        first = None if seeds[0] is None else seeds[:: self._shape[1]]
        seen, infos = self._worlds.reset(first)
        self._keep_infos(np.arange(self._shape[0]), infos)
        return self._flat(seen)

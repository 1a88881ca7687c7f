# SPDX-License-Identifier: Apache-2.0
"""Every agent of every world as a slot of SB3's `VecEnv`: one policy learns from all of them."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.environment import Environment
from deepsim_envs.joined_environment import JoinedEnvironment
from deepsim_envs.spaces import leafwise
from deepsim_envs.viewing import entries_of, only_group, own_info

from .slots_vec_env import Bools, SlotsVecEnv, Steps


class AgentsVecEnv(SlotsVecEnv):
    """All agents of all worlds, each in a slot of its own.

    The slots are the agents of world 0 in the order of `Environment.agents`, then those of
    world 1, and so on.

    A world is reset within the step that ends its episode. Agents may be done before: with
    ``game_over="all"``, their slots then wait until all are. A slot that waits earns nothing,
    ignores its actions, sees its last observation again, and has ``info["waiting"]``; where
    the world is reset, it is done once more, without ``info["episode"]``. With
    ``game_over="any"``, the first agent that is done ends the episode; all others are truncated.

    The info of a slot's last step has the area's info of its world and agent; those of other steps
    lack it. ``environment.info()`` has it at any time.

    Args:
        environment: The task; closed with this.
        game_over: Whether an episode is over when all agents are done, or when any is.

    Attributes:
        environment: The task.
        slots: World and agent of each slot.

    Raises:
        ValueError: Agents differ in their spaces, or `game_over` is neither.

    Example:
        The task is that of the example of `Area`:

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
        if game_over not in ("all", "any"):
            raise ValueError(f"game_over must be 'all' or 'any', got {game_over!r}")
        group = only_group(
            environment, "Stable-Baselines3 has one policy for all slots (else take GymnasiumEnv)"
        )
        self.environment = environment
        self.slots = [
            (world, agent) for world in range(len(environment)) for agent in environment.agents
        ]
        self._game_over = game_over
        super().__init__(
            environment,
            len(self.slots),
            deepcopy(group.observation_space),
            deepcopy(group.action_space),
        )
        self._shape = (len(environment), len(environment.agents))

    def _step_slots(self, actions: Any) -> Steps:
        live = self.environment.live
        actions = leafwise(lambda part: part.reshape(*self._shape, *part.shape[1:]), actions)
        step = self.environment.step_worlds((actions,))
        done = step.terminated | step.truncated
        over: Bools = (
            np.logical_or.reduce(done, axis=1)
            if self._game_over == "any"
            else np.logical_and.reduce(done | ~live, axis=1)
        )
        self._returns += step.reward.ravel()
        self._lengths += live.ravel()
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in self.slots]
        for slot in np.flatnonzero(~live).tolist():
            infos[slot]["waiting"] = True
        seen = self._flat(step.observation)
        dones = (done | over[:, None]).ravel()
        if dones.any():
            self._end_episodes(np.flatnonzero(dones), infos, seen, live, step.terminated)
        if over.any():
            worlds = np.flatnonzero(over)
            seen = self._flat(self.environment.reset_worlds(worlds=worlds))
            self._keep_infos(worlds)
        return seen, step.reward.astype(np.float32).ravel(), dones, infos

    def _end_episodes(
        self,
        slots: NDArray[np.intp],
        infos: list[dict[str, Any]],
        seen: Any,
        live: Bools,
        terminated: Bools,
    ) -> None:
        own, diverged = self._agent_infos(), self.environment.diverged
        for slot in slots.tolist():
            world, column = divmod(slot, self._shape[1])
            final = leafwise(lambda part, slot=slot: part[slot].copy(), seen)
            if live[world, column]:
                infos[slot].update(entries_of(own[column], world))
                if diverged[world]:
                    infos[slot]["diverged"] = True
                self._end(slot, infos[slot], final, not terminated[world, column])
            else:
                infos[slot]["terminal_observation"] = final

    def _reset_slots(self, seeds: list[int | None]) -> Any:
        first = None if seeds[0] is None else seeds[:: self._shape[1]]
        seen = self._flat(self.environment.reset_worlds(first))
        self._keep_infos(np.arange(self._shape[0]))
        return seen

    def _keep_infos(self, worlds: NDArray[np.intp]) -> None:
        """Sets `reset_infos` of the slots of some worlds."""
        own = self._agent_infos()
        for world in worlds.tolist():
            for column, values in enumerate(own):
                self.reset_infos[world * self._shape[1] + column] = entries_of(values, world)

    def _agent_infos(self) -> list[Mapping[str, Any]]:
        """Returns the info of each agent, as arrays over worlds."""
        info = self.environment.info()
        agents = self.environment.agents
        return [own_info(info, agents, agent) for agent in agents]

    def _flat(self, observation: tuple[Any, ...]) -> Any:
        """Returns the observations of all slots."""
        return leafwise(lambda part: part.reshape(self.num_envs, *part.shape[2:]), observation[0])

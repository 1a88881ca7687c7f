# SPDX-License-Identifier: Apache-2.0
"""Every agent of every world as a slot of SB3's `VecEnv`: one policy learns from all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np
from gymnasium.vector.utils import concatenate, create_empty_array

from deepsim_envs.environment import Environment
from deepsim_envs.many_worlds import close_all, made_all, same_agents
from deepsim_envs.step_result import StepResult
from deepsim_envs.viewing import info_of

from .slots_vec_env import SlotsVecEnv, Steps, spaces_of


class AgentsVecEnv(SlotsVecEnv):
    """All agents of some worlds, each in a slot of its own; the worlds are stepped in turn.

    The slots are those of world 0 in its area's order, then those of world 1, and so on.

    A world is reset within the step that ends its episode. Agents may be done before: with
    ``game_over="all"``, their slots then wait until all are. A slot that waits earns nothing,
    ignores its actions, sees its last observation again, and has ``info["waiting"]``; where
    the world is reset, it is done once more, without ``info["episode"]``. With
    ``game_over="any"``, the first agent that is done ends the episode; all others are truncated.

    Args:
        makers: Make the environment of each world.
        game_over: Whether an episode is over when all agents are done, or when any is.

    Attributes:
        environments: That of each world.
        slots: World and agent of each slot.

    Raises:
        ValueError: There is no world, agents differ in their spaces or worlds in their agents, or
            `game_over` is neither.
    """

    def __init__(
        self,
        makers: Iterable[Callable[[], Environment]],
        *,
        game_over: Literal["all", "any"] = "all",
    ) -> None:
        if game_over not in ("all", "any"):
            raise ValueError(f"game_over must be 'all' or 'any', got {game_over!r}")
        with made_all(makers, "AgentsVecEnv") as self.environments:
            self._agents = same_agents(self.environments)
            self.slots = [
                (world, agent) for world in range(len(self.environments)) for agent in self._agents
            ]
            seen = spaces_of(self._spaces("observation_space"), "observation")
            acted = spaces_of(self._spaces("action_space"), "action")
        self._game_over = game_over
        super().__init__([self.environments[world] for world, _ in self.slots], seen, acted)
        self._seen: list[Any] = [None] * self.num_envs

    def step_wait(self) -> Steps:
        """Steps all worlds once; see `VecEnv.step`.

        Returns:
            Observations, rewards, dones and infos, each of all slots.
        """
        rewards = np.zeros(self.num_envs, dtype=np.float32)
        dones = np.zeros(self.num_envs, dtype=np.bool_)
        infos: list[dict[str, Any]] = []
        for world, environment in enumerate(self.environments):
            slots = dict(zip(self._agents, self._slots_of(world), strict=True))
            live = environment.live_agents
            result = environment.step({name: self._actions[slots[name]] for name in live})
            over = not environment.live_agents or (
                self._game_over == "any" and any(result.done.values())
            )
            for name, slot in slots.items():
                if name in result.observation:
                    rewards[slot] = result.reward[name]
                    dones[slot] = over or result.done[name]
                    infos.append(self._acted(name, slot, environment, result, dones[slot]))
                else:
                    dones[slot] = over
                    infos.append({"waiting": True, "TimeLimit.truncated": False})
                    if over:
                        infos[slot]["terminal_observation"] = self._seen[slot]
            if over:
                self._begin(world)
        return self._batch(), rewards, dones, infos

    def close(self) -> None:
        """Closes all worlds; closing twice does no harm."""
        close_all(self.environments)

    def _acted(
        self, name: str, slot: int, environment: Environment, result: StepResult, ends: bool
    ) -> dict[str, Any]:
        """Takes note of an agent's step; returns the info of its slot."""
        self._seen[slot] = result.observation[name]
        self._count(slot, result.reward[name])
        info = info_of(name, environment, result.info)
        info["TimeLimit.truncated"] = False
        if ends:
            truncated = not result.info["deepsim"]["terminated"][name]
            self._end(slot, info, self._seen[slot], truncated)
        return info

    def _reset_slots(self, seeds: list[int | None]) -> Any:
        for world in range(len(self.environments)):
            self._begin(world, seeds[self._slots_of(world)[0]])
        return self._batch()

    def _begin(self, world: int, seed: int | None = None) -> None:
        environment = self.environments[world]
        observation, info = environment.reset(seed)
        for name, slot in zip(self._agents, self._slots_of(world), strict=True):
            self._seen[slot] = observation[name]
            self.reset_infos[slot] = info_of(name, environment, info)

    def _batch(self) -> Any:
        """What is seen in all slots, as fresh arrays."""
        empty: Any = create_empty_array(self.observation_space, self.num_envs)
        return concatenate(self.observation_space, self._seen, empty)

    def _slots_of(self, world: int) -> range:
        return range(world * len(self._agents), (world + 1) * len(self._agents))

    def _spaces(self, attribute: str) -> list[tuple[str, Any]]:
        return [
            (f"{agent!r} in world {world}", getattr(self.environments[world], attribute)[agent])
            for world, agent in self.slots
        ]

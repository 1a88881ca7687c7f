# SPDX-License-Identifier: Apache-2.0
"""Agents of all worlds as the slots of a `VecEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.area import Agents
from deepsim_envs.environment import Environment
from deepsim_envs.joined_environment import JoinedEnvironment
from deepsim_envs.spaces import leafwise
from deepsim_envs.viewing import entries_of

from .auto_reset import Infos, Outcome
from .slots_vec_env import SlotsVecEnv, Steps


class AgentSlots(SlotsVecEnv):
    """Some agents of all worlds, each in its own slot.

    Args:
        environment: The task; closing the `VecEnv` closes it.
        agents: Names of the agents.
        spaces: A group with the spaces of these agents.

    Attributes:
        environment: The task.
        slots: World and agent of each slot: the agents of world 0, then those of world 1, ...
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        agents: Sequence[str],
        spaces: Agents,
    ) -> None:
        self.environment = environment
        self.slots = [(world, agent) for world in range(len(environment)) for agent in agents]
        super().__init__(
            environment,
            len(self.slots),
            deepcopy(spaces.observation_space),
            deepcopy(spaces.action_space),
        )
        self._shape = (len(environment), len(agents))
        self._columns = [environment.agents.index(agent) for agent in agents]
        places = [
            (number, row)
            for number, group in enumerate(environment.groups)
            for row in range(len(group))
        ]
        self._places = [places[column] for column in self._columns]

    def _finish(self, outcome: Outcome) -> Steps:
        """Returns observations, rewards, dones and infos of the slots, and counts the step."""
        step = outcome.step
        live = outcome.live[:, self._columns].ravel()
        terminated = step.terminated[:, self._columns].ravel()
        done = terminated | step.truncated[:, self._columns].ravel()
        reward = step.reward[:, self._columns].ravel()
        self._returns += reward
        self._lengths += live
        infos: list[dict[str, Any]] = [{"TimeLimit.truncated": False} for _ in self.slots]
        for slot in np.flatnonzero(~live).tolist():
            infos[slot]["waiting"] = True
        dones = done | np.repeat(outcome.over, self._shape[1])
        if dones.any():
            seen = self._flat(step.observation)
            for slot in np.flatnonzero(dones).tolist():
                world, row = divmod(slot, self._shape[1])
                final = leafwise(lambda part, slot=slot: part[slot].copy(), seen)
                if live[slot]:
                    infos[slot].update(entries_of(outcome.infos[self._columns[row]], world))
                    if outcome.diverged[world]:
                        infos[slot]["diverged"] = True
                    self._end(slot, infos[slot], final, not terminated[slot])
                else:
                    infos[slot]["terminal_observation"] = final
        if outcome.over.any():
            self._keep_infos(np.flatnonzero(outcome.over), outcome.first_infos)
        return self._flat(outcome.seen), reward.astype(np.float32), dones, infos

    def _keep_infos(self, worlds: NDArray[np.intp], infos: Infos) -> None:
        """Sets `reset_infos` for the slots of some worlds."""
        for world in worlds.tolist():
            for row, column in enumerate(self._columns):
                self.reset_infos[world * self._shape[1] + row] = entries_of(infos[column], world)

    def _flat(self, observation: Sequence[Any]) -> Any:
        """Returns the observations of all slots."""
        group, rows = self._places[0][0], [row for _, row in self._places]
        if {number for number, _ in self._places} == {group} and rows == [
            *range(len(self.environment.groups[group]))
        ]:
            return leafwise(
                lambda part: part.reshape(self.num_envs, *part.shape[2:]), observation[group]
            )
        parts = [
            leafwise(lambda part, row=row: part[:, row], observation[number])
            for number, row in self._places
        ]
        return leafwise(
            lambda *own: np.stack(own, axis=1).reshape(self.num_envs, *own[0].shape[1:]), *parts
        )

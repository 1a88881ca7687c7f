# SPDX-License-Identifier: Apache-2.0
"""Policies of several agents, each of which follows its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from deepsim_envs import ArrayPolicy, Policy
from deepsim_train.task_code import TaskError

from .slot_policy import begin_episode
from .trained_policy import MemoryPolicy, RecurrentPolicy, TrainedPolicy


@dataclass(frozen=True, slots=True)
class TeamPolicy(ArrayPolicy):
    """A policy on arrays for several agents; each agent uses one of the named policies.

    Attributes:
        policies: The policies by name.
        owners: The name of the policy of each agent.
    """

    policies: Mapping[str, ArrayPolicy]
    owners: Mapping[str, str]

    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Any,
        rngs: Sequence[np.random.Generator],
    ) -> Any:
        """Returns the actions of the agent's own policy."""
        own = self.policies[_owner(self.owners, agent)]
        return own.act(agent, observations, action_space, rngs)


@dataclass(frozen=True, slots=True)
class RecurrentTeam(MemoryPolicy):
    """A recurrent policy for several agents; each agent uses one of the named policies.

    Attributes:
        policies: The policies by name.
        owners: The name of the policy of each agent.
    """

    policies: Mapping[str, MemoryPolicy]
    owners: Mapping[str, str]

    def step(
        self, agent: str, observations: Any, action_space: Any, memory: Any
    ) -> tuple[Any, Any]:
        """Returns the result of the agent's own policy; see `MemoryPolicy`."""
        own = self.policies[_owner(self.owners, agent)]
        return own.step(agent, observations, action_space, memory)


def _owner(owners: Mapping[str, str], agent: str) -> str:
    """Returns the name of an agent's policy.

    Raises:
        TaskError: The agent has none.
    """
    if agent not in owners:
        known = ", ".join(owners)
        raise TaskError(f"no policy was trained for agent {agent!r}, but for {known}")
    return owners[agent]


def team_of(
    policies: Mapping[str, TrainedPolicy | RecurrentPolicy], owners: Mapping[str, str]
) -> TeamPolicy | RecurrentTeam:
    """Combines policies into one, which gives each agent the actions of its own policy.

    The result is an `ArrayPolicy`, or a `MemoryPolicy` if the policies have a memory.

    Args:
        policies: The policies by name; either all have a memory, or none has.
        owners: The name of the policy of each agent.
    """
    recurrent = {name: each for name, each in policies.items() if isinstance(each, MemoryPolicy)}
    if recurrent:
        return RecurrentTeam(recurrent, owners)
    return TeamPolicy(
        {name: each for name, each in policies.items() if isinstance(each, ArrayPolicy)}, owners
    )


class AgentsPolicy:
    """The policy of one world, in which each agent has its own policy.

    Args:
        policies: The policy of each agent; several may share one.
        rest: The policy of all agents not in `policies`, or None.
    """

    def __init__(self, policies: Mapping[str, Policy], rest: Policy | None) -> None:
        self._policies, self._rest = policies, rest

    def begin_episode(self) -> None:
        """Calls ``begin_episode()`` of each policy that has this method."""
        for policy in {id(each): each for each in self._policies.values()}.values():
            begin_episode(policy)

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the action of an agent.

        Raises:
            TaskError: The agent has no policy.
        """
        policy = self._policies.get(agent, self._rest)
        if policy is None:
            raise TaskError(f"no policy was trained for agent {agent!r}")
        return policy(agent, observation)

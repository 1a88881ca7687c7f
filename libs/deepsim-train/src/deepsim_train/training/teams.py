# SPDX-License-Identifier: Apache-2.0
"""Assigns the agents of a task to the policies of a training run, and to past ones in self-play."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import cycle
from typing import Any

import numpy as np

from deepsim_envs import ArrayPolicy, Environment, JoinedEnvironment, Policy, PolicyMaker
from deepsim_train.policies.slot_policy import begin_episode
from deepsim_train.policies.trained_policy import MemoryPolicy, RecurrentPolicy, TrainedPolicy
from deepsim_train.task_code import TaskError

from .config import Policies

_FIT_FOR_A_FILE = re.compile(r"\w[\w.-]*")


def teams_of(
    environment: Environment | JoinedEnvironment, policies: Policies
) -> dict[str, tuple[str, ...]]:
    """Returns the agents of each policy, by the policy's name.

    A policy of one agent is named after the agent, a policy of a group after its first agent.

    Raises:
        TaskError: A pattern matches no agent, a policy has the name of an agent of another policy,
            or a name is not fit for a file name.
    """
    agents = environment.agents
    teams: dict[str, tuple[str, ...]]
    if policies == "agent":
        teams = {agent: (agent,) for agent in agents}
    elif policies == "group":
        teams = {group.names[0]: tuple(group.names) for group in environment.groups}
    elif isinstance(policies, str):
        teams = {"all": agents}
    else:
        teams = {name: _fitting(name, own, agents) for name, own in policies.items()}
    for name, own in teams.items():
        if not _FIT_FOR_A_FILE.fullmatch(name):
            raise TaskError(
                "the name of a policy must be fit for a file name (letters, digits, _ - .), "
                f"got {name!r}: name policies by --policies NAME=AGENT"
            )
        if name in agents and name not in own:
            raise TaskError(f"policy {name!r} has the name of an agent that is not its own")
    return teams


def owners_of(
    teams: Mapping[str, Sequence[str]], agents: Sequence[str], *, past: bool
) -> dict[str, str]:
    """Returns the name of the policy of each learning agent, and with `past` of the others too.

    Args:
        teams: The agents of each policy.
        agents: All agents.
        past: Whether the agents that do not learn also get a policy: the first gets that of the
            first learning agent, and so on in turn.
    """
    learning = {agent: name for name, own in teams.items() for agent in own}
    owners = {agent: learning[agent] for agent in agents if agent in learning}
    if past:
        left = [agent for agent in agents if agent not in learning]
        owners |= dict(zip(left, cycle([*owners.values()])))
    return owners


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
        return self.policies[self.owners[agent]].act(agent, observations, action_space, rngs)


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
        return self.policies[self.owners[agent]].step(agent, observations, action_space, memory)


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


class League:
    """The past policies of the learners; each episode of each world draws one.

    Calling the league makes the policy of an episode for all agents that do not learn.

    Args:
        size: The number of policies to keep; the oldest are dropped.
        every: Updates between two policies.
    """

    def __init__(self, size: int, every: int) -> None:
        self._size, self._every = size, every
        self._policies: list[PolicyMaker] = []
        self._next = 0  # the update at which to add the next policy

    def wants(self, update: int) -> bool:
        """Returns whether the policy of this update should be added."""
        return update >= self._next

    def add(self, policy: PolicyMaker, update: int) -> None:
        """Adds the learners' policy after a number of updates."""
        self._policies = [*self._policies, policy][-self._size :]
        self._next = update + self._every

    def __call__(self, environment: Environment, rng: np.random.Generator) -> Policy:
        """Returns a policy, drawn with equal probability."""
        return self._policies[int(rng.integers(len(self._policies)))](environment, rng)

    def get_state(self) -> dict[str, Any]:
        """Returns all policies as a state that can be pickled, for `set_state`."""
        return {"policies": list(self._policies), "next": self._next}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores the policies returned by `get_state`."""
        self._policies, self._next = list(state["policies"]), state["next"]


def _fitting(name: str, patterns: Sequence[str], agents: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for pattern in patterns:
        fitting = [agent for agent in agents if fnmatchcase(agent, pattern)]
        if not fitting:
            raise TaskError(
                f"policy {name!r} names {pattern!r}, but agents are {', '.join(agents)}"
            )
        found |= dict.fromkeys(fitting)
    return tuple(found)

# SPDX-License-Identifier: Apache-2.0
"""Assigns the agents of a task to the policies of a training run, and to past ones in self-play."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import cycle
from typing import Any

import numpy as np

from deepsim_envs import Environment, JoinedEnvironment, Policy, PolicyMaker
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

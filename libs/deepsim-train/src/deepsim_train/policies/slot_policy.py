# SPDX-License-Identifier: Apache-2.0
"""Policies of several agents or slots; a slot is one agent in one world."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from deepsim_envs import ArrayPolicy, Environment, Policy, PolicyMaker
from deepsim_envs.policy import one_world
from deepsim_envs.spaces import leafwise
from deepsim_train.task_code import TaskError

from .trained_policy import MemoryPolicy, RecurrentPolicy, TrainedPolicy

SlotPolicy: TypeAlias = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Takes observations by slot, and returns an action for each slot."""


def slot_policy(maker: PolicyMaker, environment: Environment, seed: int) -> SlotPolicy:
    """Returns a policy for all slots.

    Args:
        maker: A policy on arrays, or a function that makes the policy of one world. If that policy
            has a method ``begin_episode()``, it is called at the start of each episode.
        environment: Environment of the task.
        seed: The policy of world w draws from a generator seeded with ``seed + w``.
    """
    places = places_of(environment)
    rngs = [np.random.default_rng(seed + world) for world in range(len(environment))]
    if isinstance(maker, ArrayPolicy):
        spaces = {name: group.action_space for group in environment.groups for name in group.names}

        def act_on_arrays(observations: Mapping[str, Any]) -> dict[str, Any]:
            actions: dict[str, Any] = {}
            for agent, space in spaces.items():
                slots = [slot for slot in observations if places[slot][1] == agent]
                if not slots:
                    continue
                seen = leafwise(lambda *parts: np.stack(parts), *map(observations.get, slots))
                own = [rngs[places[slot][0]] for slot in slots]
                acted = maker.act(agent, seen, space, own)
                for row, slot in enumerate(slots):
                    actions[slot] = leafwise(lambda part, row=row: part[row], acted)
            return actions

        return act_on_arrays
    one = one_world(environment, 0)
    policies = [maker(one, rng) for rng in rngs]

    def act(observations: Mapping[str, Any]) -> dict[str, Any]:
        for world in np.flatnonzero(environment.steps == 0).tolist():
            begin_episode(policies[world])
        return {
            slot: policies[places[slot][0]](places[slot][1], seen)
            for slot, seen in observations.items()
        }

    return act


def begin_episode(policy: Policy) -> None:
    """Calls a policy's method ``begin_episode()`` if it has one."""
    begin = getattr(policy, "begin_episode", None)
    if begin is not None:
        begin()


def places_of(environment: Environment) -> dict[str, tuple[int, str]]:
    """Returns the world number and the agent of each slot."""
    agents = environment.agents
    return {
        slot: (index // len(agents), agents[index % len(agents)])
        for index, slot in enumerate(environment.slots)
    }


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

# SPDX-License-Identifier: Apache-2.0
"""Makes one policy for all slots; a slot is one agent in one world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from deepsim_envs import ArrayPolicy, Environment, Policy, PolicyMaker
from deepsim_envs.policy import one_world
from deepsim_envs.spaces import leafwise

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

# SPDX-License-Identifier: Apache-2.0
"""The agents that no trainer steers: policies act for them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.environment import Environment
from deepsim_envs.errors import ActionError
from deepsim_envs.joined_environment import JoinedEnvironment, located
from deepsim_envs.policy import ArrayPolicy, Policy, PolicyMaker
from deepsim_envs.spaces import batch_of, leafwise


class Others:
    """Acts for agents in all worlds, by an `ArrayPolicy`, or by a policy of its own in each.

    Args:
        environment: The task.
        policy: The policy, or its maker, which is called for each episode of each world.
        rngs: The generator of each world; a later one may take its place in the list.
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        policy: PolicyMaker,
        rngs: Sequence[np.random.Generator],
    ) -> None:
        self._policy = policy
        self._rngs = rngs
        self._groups = environment.groups
        self._worlds = len(environment)
        self._voids = [batch_of(group.action_space, 1, 1).void for group in self._groups]
        self._batches = [
            batch_of(group.observation_space, self._worlds, len(group)) for group in self._groups
        ]
        self._made: dict[int, Policy] = {}
        if not isinstance(policy, ArrayPolicy):
            self._tasks = [one_world(environment, world) for world in range(self._worlds)]

    def begin(self, worlds: NDArray[np.intp]) -> None:
        """Begins new episodes in some worlds."""
        if not isinstance(self._policy, ArrayPolicy):
            for world in worlds.tolist():
                self._made[world] = self._policy(self._tasks[world], self._rngs[world])

    def actions(
        self, agent: str, own: Sequence[Any], live: NDArray[np.bool_], seen: Sequence[Any]
    ) -> list[Any]:
        """Returns the actions of all agents: for each group, a list of them for each world.

        Args:
            agent: The agent that a trainer steers.
            own: Its action in each world.
            live: (W, A) bool, the agents that act.
            seen: The latest observations, a batch for each group.

        Raises:
            ActionError: An `ArrayPolicy` returned more or fewer actions.
        """
        columns = iter(live.T.tolist())
        groups = []
        for number, group in enumerate(self._groups):
            rows = [[self._voids[number]] * len(group) for _ in range(self._worlds)]
            for row, (name, acts) in enumerate(zip(group.names, columns)):  # noqa: B905 (goes on)
                worlds = [world for world, here in enumerate(acts) if here]
                if name == agent:
                    acted = [own[world] for world in worlds]
                else:
                    acted = self._act(number, row, seen[number], worlds)
                for world, action in zip(worlds, acted, strict=True):
                    rows[world][row] = action
            groups.append(rows)
        return groups

    def _act(self, number: int, row: int, observations: Any, worlds: list[int]) -> list[Any]:
        """Returns the actions of one agent of a group in some worlds."""
        group = self._groups[number]
        name = group.names[row]
        if not isinstance(self._policy, ArrayPolicy):
            get = self._batches[number].get
            return [self._made[world](name, get(observations, world, row)) for world in worlds]
        seen = leafwise(lambda part: part[worlds, row], observations)
        rngs = [self._rngs[world] for world in worlds]
        acted = self._policy.act(name, seen, group.action_space, rngs)

        def require_all(part: Any) -> None:
            if np.shape(part)[:1] != (len(worlds),):
                raise ActionError(
                    name,
                    f"{type(self._policy).__name__}.act must return {len(worlds)} actions of "
                    f"agent {name!r}, got an array of shape {np.shape(part)}",
                )

        leafwise(require_all, acted)
        return [
            leafwise(lambda part, number=number: part[number], acted)
            for number in range(len(worlds))
        ]


def one_world(environment: Environment | JoinedEnvironment, world: int) -> Environment:
    """Returns what the policy of one world is made from.

    It is the environment of the world, if that has no other worlds, and else something with the
    same agents and spaces.
    """
    found, _ = located(environment, world)
    if len(found) == 1:
        return found
    groups = {name: group for group in found.groups for name in group.names}
    task = SimpleNamespace(
        groups=found.groups,
        agents=found.agents,
        slots=found.agents,
        observation_space={n: deepcopy(group.observation_space) for n, group in groups.items()},
        action_space={n: deepcopy(group.action_space) for n, group in groups.items()},
    )
    return cast("Environment", task)

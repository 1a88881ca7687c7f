# SPDX-License-Identifier: Apache-2.0
"""Acts for the agents that a view leaves to a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .area import Bools
from .environment import Environment
from .errors import ActionError
from .joined_environment import JoinedEnvironment
from .policy import ArrayPolicy, KeptPolicy, OneWorldPolicy, Policy, PolicyMaker, one_world
from .spaces import batch_of, leafwise, shown


class OtherAgents:
    """Acts for agents in all worlds, with a policy that is made for each episode of each world.

    Args:
        environment: The task.
        policy: Makes the policy of one world; or an `ArrayPolicy`, which acts in all worlds.
        rngs: The generator of each world; the caller may replace generators in this list.
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        policy: PolicyMaker,
        rngs: Sequence[np.random.Generator],
    ) -> None:
        worlds = len(environment)
        self._groups = environment.groups
        self._batches = [batch_of(g.observation_space, worlds, len(g)) for g in self._groups]
        self._voids = [batch_of(group.action_space, 1, 1).void for group in self._groups]
        self._policy, self._rngs = policy, rngs
        self._made: dict[int, Policy] = {}
        self._began: dict[int, Any] = {}
        on_arrays = isinstance(policy, ArrayPolicy)
        self._tasks = [] if on_arrays else [one_world(environment, w) for w in range(worlds)]

    def begin(self, worlds: Sequence[int]) -> None:
        """Makes the policies of new episodes in some worlds."""
        if self._tasks:
            for world in worlds:
                self._began[world] = self._rngs[world].bit_generator.state
                self._made[world] = self._policy(self._tasks[world], self._rngs[world])

    def get_state(self) -> tuple[dict[int, Any], dict[int, tuple[PolicyMaker, Any]]]:
        """Returns the states that the generators had when the policies were made, by world.

        For each `KeptPolicy`, the result also has its maker and its memory.
        """
        made = self._made.items()
        kept = {w: (own.policy, own.get_state()) for w, own in made if isinstance(own, KeptPolicy)}
        return dict(self._began), kept

    def set_state(self, state: tuple[dict[int, Any], dict[int, tuple[PolicyMaker, Any]]]) -> None:
        """Makes the policies again from the kept generator states; this changes the generators."""
        began, kept = state
        for world, then in began.items():
            self._rngs[world].bit_generator.state = then
            if world not in kept:
                self.begin([world])
                continue
            policy, memory = kept[world]
            made = policy(self._tasks[world], self._rngs[world])
            if isinstance(made, KeptPolicy):
                made.set_state(memory)
            self._began[world], self._made[world] = then, made

    def completed(
        self, own: Mapping[str, Sequence[Any]], live: Bools, seen: Sequence[Any]
    ) -> list[list[list[Any]]]:
        """Returns the actions of all agents, by group, world and agent.

        Args:
            own: The actions of all agents for which the policy does not act, one for each world.
            live: Whether each agent acts, (W, A).
            seen: The latest observations, a batch (W, A_g, ...) for each group.
        """
        columns = iter(live.T.tolist())
        groups = []
        for number, group in enumerate(self._groups):
            rows = [[self._voids[number]] * len(group) for _ in range(len(live))]
            for row, (name, acts) in enumerate(zip(group.names, columns)):  # noqa: B905 (shared iterator)
                worlds = [world for world, here in enumerate(acts) if here]
                if name in own:
                    acted = [own[name][world] for world in worlds]
                else:
                    acted = self._actions(number, row, seen[number], worlds)
                for world, action in zip(worlds, acted, strict=True):
                    rows[world][row] = action
            groups.append(rows)
        return groups

    def _actions(self, number: int, row: int, observations: Any, worlds: list[int]) -> list[Any]:
        """Returns the actions of one agent in some worlds.

        Args:
            number: The number of the agent's group.
            row: The number of the agent within its group.
            observations: The latest observations of the group.
            worlds: The worlds in which the agent acts.

        Raises:
            ActionError: An `ArrayPolicy` returned too few actions.
        """
        if not self._tasks:
            return self._on_arrays(self._policy, number, row, observations, worlds)
        acted: dict[int, Any] = {}
        name, get = self._groups[number].names[row], self._batches[number].get
        together: dict[int, tuple[ArrayPolicy, list[int]]] = {}
        for world in worlds:
            made = self._made[world]
            if isinstance(made, OneWorldPolicy):
                together.setdefault(id(made.policy), (made.policy, []))[1].append(world)
            else:
                acted[world] = made(name, get(observations, world, row))
        for policy, own in together.values():
            actions = self._on_arrays(policy, number, row, observations, own)
            acted.update(zip(own, actions, strict=True))
        return [acted[world] for world in worlds]

    def _on_arrays(
        self, policy: Any, number: int, row: int, observations: Any, worlds: list[int]
    ) -> list[Any]:
        group, rngs = self._groups[number], [self._rngs[world] for world in worlds]
        seen = leafwise(lambda part: part[worlds, row], observations)
        acted = policy.act(group.names[row], seen, group.action_space, rngs)
        try:
            return [leafwise(lambda part, n=n: part[n], acted) for n in range(len(worlds))]
        except (IndexError, TypeError):
            raise ActionError(
                group.names[row],
                f"{type(policy).__name__}.act must return {len(worlds)} actions of agent "
                f"{group.names[row]!r}, got {shown(acted)}",
            ) from None

# SPDX-License-Identifier: Apache-2.0
"""One agent's side of an environment: policies act for all others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.environment import Environment
from deepsim_envs.joined_environment import JoinedEnvironment
from deepsim_envs.other_agents import OtherAgents
from deepsim_envs.policy import PolicyMaker
from deepsim_envs.spaces import batch_of, leafwise


class OneAgent:
    """The observations of one agent in all worlds, and the actions of all agents.

    The arguments are those of `GymnasiumEnv`, and the generator of each world, for the policy;
    other generators may take their places in the list.

    Attributes:
        name: The agent's name.
        column: The agent's number among all agents.
        group: Number of the agent's group.
        row: Number of the agent within it.
        spaces: The group, with its spaces.
        batch: The group's batches of observations.
    """

    def __init__(
        self,
        environment: Environment | JoinedEnvironment,
        agent: str | None,
        others: PolicyMaker | None,
        rngs: Sequence[np.random.Generator],
    ) -> None:
        names, worlds = environment.agents, len(environment)
        if agent is None and len(names) > 1:
            raise ValueError(f"say which agent: agent= one of {list(names)}")
        if agent is not None and agent not in names:
            raise ValueError(f"agent must be one of {list(names)}, got {agent!r}")
        if others is None and len(names) > 1:
            raise ValueError(f"{len(names)} agents need a policy for all but one: others=")
        self.name = names[0] if agent is None else agent
        self.column = names.index(self.name)
        self._groups = environment.groups
        self.group, self.row = next(
            (number, group.names.index(self.name))
            for number, group in enumerate(self._groups)
            if self.name in group.names
        )
        self.spaces = self._groups[self.group]
        self._batches = [batch_of(g.observation_space, worlds, len(g)) for g in self._groups]
        self.batch = self._batches[self.group]
        self._voids = [batch_of(group.action_space, 1, 1).void for group in self._groups]
        self._rngs = rngs
        self._environment = environment
        self._others = None if others is None else OtherAgents(environment, others, rngs)

    def begin(self, worlds: Sequence[int]) -> None:
        """Makes the policies of new episodes in some worlds."""
        if self._others is not None:
            self._others.begin(worlds)

    def get_state(self) -> tuple[list[Any], Any]:
        """Returns the states of the generators, and of the policy of the others."""
        others = None if self._others is None else self._others.get_state()
        return [rng.bit_generator.state for rng in self._rngs], others

    def set_state(self, state: tuple[list[Any], Any]) -> None:
        """Sets the generators and the policy of the others."""
        now, others = state
        if self._others is not None:
            self._others.set_state(others)
        for rng, own in zip(self._rngs, now, strict=True):
            rng.bit_generator.state = own

    def left_out(self) -> NDArray[np.bool_]:
        """Returns (W,) bool, the worlds whose episode is over before the agent has joined it."""
        environment = self._environment
        left_out: NDArray[np.bool_] = environment.waiting[:, self.column] & ~environment.live.any(
            axis=1
        )
        return left_out

    def observations(self, batches: Sequence[Any]) -> Any:
        """Returns the agent's observations (W, ...), as Gymnasium batches them."""

        def own(part: NDArray[Any]) -> Any:
            column = part[:, self.row]
            return tuple(column) if column.dtype == object else np.ascontiguousarray(column)

        return leafwise(own, batches[self.group])

    def actions(
        self, own: Sequence[Any], live: NDArray[np.bool_], seen: Sequence[Any]
    ) -> list[Any]:
        """Returns the actions of all agents: for each group, a list of them for each world.

        Args:
            own: The agent's action in each world.
            live: (W, A) bool, the agents that act.
            seen: The latest observations, a batch for each group.
        """
        if self._others is None:
            return [[[action] for action in own]]
        columns = iter(live.T.tolist())
        groups = []
        for number, group in enumerate(self._groups):
            rows = [[self._voids[number]] * len(group) for _ in own]
            for row, (name, acts) in enumerate(zip(group.names, columns)):  # noqa: B905 (goes on)
                worlds = [world for world, here in enumerate(acts) if here]
                if name == self.name:
                    acted = [own[world] for world in worlds]
                else:
                    acted = self._others.actions(number, row, seen[number], worlds)
                for world, action in zip(worlds, acted, strict=True):
                    rows[world][row] = action
            groups.append(rows)
        return groups

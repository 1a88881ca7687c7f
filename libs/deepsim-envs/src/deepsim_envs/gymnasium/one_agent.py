# SPDX-License-Identifier: Apache-2.0
"""The part that views of one agent share: its observations, and the actions of all agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.construction import JoinedEnvironment
from deepsim_envs.environment import Environment
from deepsim_envs.policy import OtherAgents, PolicyMaker
from deepsim_envs.spaces import batch_of, leafwise
from deepsim_envs.viewing import place_of


class OneAgent:
    """Extracts one agent's observations in all worlds, and completes the actions of all agents.

    The first three arguments are as in `GymnasiumEnv`.

    Args:
        environment: The task.
        agent: Name of the agent; optional if there is only one.
        others: Makes the policy of all other agents; optional if there is only one agent.
        rngs: The generator of each world, for the policy; the caller may replace generators in this
            list.

    Attributes:
        name: The agent's name.
        column: The agent's number among all agents.
        group: The number of the agent's group.
        row: The agent's number within its group.
        spaces: The agent's group, which has its spaces.
        batch: Handles batches of the group's observations.
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
        self.group, self.row = place_of(self.name, environment.groups)
        self.spaces = environment.groups[self.group]
        self.batch = batch_of(self.spaces.observation_space, worlds, len(self.spaces))
        self._rngs = rngs
        self._environment = environment
        self._others = None if others is None else OtherAgents(environment, others, rngs)

    def begin(self, worlds: Sequence[int]) -> None:
        """Makes the policies of the other agents for new episodes in some worlds."""
        if self._others is not None:
            self._others.begin(worlds)

    def get_state(self) -> tuple[list[Any], Any]:
        """Returns the states of the generators and of the policies of the other agents."""
        others = None if self._others is None else self._others.get_state()
        return [rng.bit_generator.state for rng in self._rngs], others

    def set_state(self, state: tuple[list[Any], Any]) -> None:
        """Restores a state returned by `get_state`."""
        now, others = state
        if self._others is not None:
            self._others.set_state(others)
        for rng, own in zip(self._rngs, now, strict=True):
            rng.bit_generator.state = own

    def left_out(self) -> NDArray[np.bool_]:
        """Returns in which worlds the episode ended before the agent had joined, (W,) bool."""
        environment = self._environment
        left_out: NDArray[np.bool_] = environment.waiting[:, self.column] & ~environment.live.any(
            axis=1
        )
        return left_out

    def observations(self, batches: Sequence[Any]) -> Any:
        """Returns the agent's observations, (W, ...), in the form of Gymnasium's batches."""

        def own(part: NDArray[Any]) -> Any:
            column = part[:, self.row]
            return tuple(column) if column.dtype == object else np.ascontiguousarray(column)

        return leafwise(own, batches[self.group])

    def actions(self, own: Any, live: NDArray[np.bool_], seen: Sequence[Any]) -> Sequence[Any]:
        """Returns the actions of all agents, a batch for each group.

        Args:
            own: The agent's actions: a batch (W, ...) in arrays, or a list of one for each world.
            live: Whether each agent acts, (W, A) bool.
            seen: The latest observations, a batch for each group.
        """
        if self._others is None:
            if isinstance(own, list):
                return [[[action] for action in own]]
            return [leafwise(lambda part: part[:, None], own)]
        return self._others.completed({self.name: own}, live, seen)

# SPDX-License-Identifier: Apache-2.0
"""One agent's place in the arrays of an environment, and its values as Gymnasium batches them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium.vector.utils import batch_space, iterate
from numpy.typing import NDArray

from deepsim_envs.environment import Environment
from deepsim_envs.errors import ActionError
from deepsim_envs.joined_environment import JoinedEnvironment
from deepsim_envs.spaces import batch_of, leafwise, shown


class OneAgent:
    """The observations and actions of one agent in all worlds.

    Args:
        environment: The task.
        agent: The agent's name; not needed where there is one only.
        alone: Whether nobody acts for other agents.

    Attributes:
        name: The agent's name.
        column: The agent's number among all agents.
        observation_space: A copy of the agent's observation space, of one world.
        action_space: A copy of the agent's action space, of one world.

    Raises:
        ValueError: There is no such agent, or it is not clear which one of several is meant or
            who acts for the others.
    """

    def __init__(
        self, environment: Environment | JoinedEnvironment, agent: str | None, *, alone: bool
    ) -> None:
        self.name = chosen_agent(environment.agents, agent, alone=alone)
        self.column = environment.agents.index(self.name)
        self._worlds = len(environment)
        self._group, self._row = next(
            (number, group.names.index(self.name))
            for number, group in enumerate(environment.groups)
            if self.name in group.names
        )
        group = environment.groups[self._group]
        self.observation_space = deepcopy(group.observation_space)
        self.action_space = deepcopy(group.action_space)
        self._batch = batch_of(self.observation_space, self._worlds, len(group))
        self._batched_actions = batch_space(self.action_space, self._worlds)

    def observations(self, batches: Sequence[Any]) -> Any:
        """Returns the agent's observations, (W, ...), from those of all agents."""

        def own(part: NDArray[Any]) -> Any:
            column = part[:, self._row]
            return tuple(column) if column.dtype == object else np.ascontiguousarray(column)

        return leafwise(own, batches[self._group])

    def observation(self, batches: Sequence[Any]) -> Any:
        """Returns a copy of the agent's observation in world 0."""
        return self._batch.get(batches[self._group], 0, self._row)

    def actions(self, given: Any) -> list[Any]:
        """Returns the action of each world, of a batch in Gymnasium's form.

        Raises:
            ActionError: There are more or fewer actions than worlds, or none at all; spaces are
                not checked.
        """
        worlds = self._worlds
        try:
            members = list(iterate(self._batched_actions, given))
        except (KeyError, IndexError, TypeError):
            members = []
        if len(members) != worlds:
            got = len(members) or shown(given)
            raise ActionError(self.name, f"{worlds} worlds take {worlds} actions, got {got}")
        return members


def chosen_agent(names: Sequence[str], agent: str | None, *, alone: bool) -> str:
    """Returns the name of the agent that a view shows.

    Args:
        names: All agents.
        agent: The one asked for, if any.
        alone: Whether nobody acts for the others.

    Raises:
        ValueError: There is no such agent, or it is not clear which one of several is meant or
            who acts for the others.
    """
    if agent is None and len(names) > 1:
        raise ValueError(f"say which agent: agent= one of {list(names)}")
    if agent is not None and agent not in names:
        raise ValueError(f"agent must be one of {list(names)}, got {agent!r}")
    if alone and len(names) > 1:
        raise ValueError(f"{len(names)} agents need a policy for all but one: others=")
    return names[0] if agent is None else agent

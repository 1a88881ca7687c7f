# SPDX-License-Identifier: Apache-2.0
"""All agents along one axis of arrays, for trainers with one policy for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium.spaces import Space

from .environment import Environment
from .joined_environment import JoinedEnvironment
from .spaces import leafwise


class EqualAgents:
    """Joins the groups of agents into one, if all of them have equal spaces.

    Args:
        environment: The task.
        why: The reason why spaces must be equal, for the message.

    Attributes:
        observation_space: A copy of the space of one agent's observation.
        action_space: A copy of the space of one agent's action.

    Raises:
        ValueError: Agents differ in their spaces.
    """

    def __init__(self, environment: Environment | JoinedEnvironment, why: str) -> None:
        first, *others = environment.groups
        for what in ("observation", "action"):
            wanted = getattr(first, f"{what}_space")
            for group in others:
                space = getattr(group, f"{what}_space")
                if space != wanted:
                    raise ValueError(
                        f"{why}, so their spaces must be equal: the {what} space of "
                        f"{first.names[0]!r} is {wanted}, that of {group.names[0]!r} is {space}"
                    )
        self.observation_space: Space[Any] = deepcopy(first.observation_space)
        self.action_space: Space[Any] = deepcopy(first.action_space)
        sizes = [len(group) for group in environment.groups]
        self._columns = [slice(sum(sizes[:g]), sum(sizes[: g + 1])) for g in range(len(sizes))]

    def joined(self, batches: Sequence[Any]) -> Any:
        """Returns one batch (W, A, ...) of those of all groups, (W, A_g, ...)."""
        if len(batches) == 1:
            return batches[0]
        return leafwise(lambda *parts: np.concatenate(parts, axis=1), *batches)

    def split(self, batch: Any) -> list[Any]:
        """Returns a batch for each group, (W, A_g, ...), of one batch (W, A, ...)."""
        return [leafwise(lambda part, own=own: part[:, own], batch) for own in self._columns]

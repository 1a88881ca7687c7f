# SPDX-License-Identifier: Apache-2.0
"""Self-play: learners play against their own past policies."""

from __future__ import annotations

from typing import Any

import numpy as np

from deepsim_envs import Environment, Policy, PolicyMaker


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

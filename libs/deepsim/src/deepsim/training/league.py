# SPDX-License-Identifier: Apache-2.0
"""Self-play: past policies of a learner as its opponents."""

from __future__ import annotations

from typing import Any

import numpy as np

from deepsim_envs import Environment, Policy, PolicyMaker


class League:
    """Keeps the latest policies of a learner; each episode of each world draws one.

    Calling it makes the policy of an episode, which acts for all agents that do not learn.

    Args:
        size: The most policies to keep; the oldest are dropped.
        every: Updates between two policies.
    """

    def __init__(self, size: int, every: int) -> None:
        self._size, self._every = size, every
        self._policies: list[PolicyMaker] = []
        self._next = 0  # the update at which the next one joins

    def wants(self, update: int) -> bool:
        """Returns whether to add the policy of this update."""
        return update >= self._next

    def add(self, policy: PolicyMaker, update: int) -> None:
        """Adds the policy of the learner after a number of updates."""
        self._policies = [*self._policies, policy][-self._size :]
        self._next = update + self._every

    def __call__(self, environment: Environment, rng: np.random.Generator) -> Policy:
        """Returns a policy, drawn with equal probability."""
        return self._policies[int(rng.integers(len(self._policies)))](environment, rng)

    def get_state(self) -> dict[str, Any]:
        """Returns all policies, for `set_state`; it can be pickled."""
        return {"policies": list(self._policies), "next": self._next}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores these policies."""
        self._policies, self._next = list(state["policies"]), state["next"]

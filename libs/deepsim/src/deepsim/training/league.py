# SPDX-License-Identifier: Apache-2.0
"""Self-play: the policies that a learner had before, as its opponents."""

from __future__ import annotations

from typing import Any

import numpy as np

from deepsim_envs import Environment, Policy, PolicyMaker


class League:
    """The latest policies of a learner, of which each episode of each world draws one.

    Calling it makes the policy of an episode, which acts for all agents that do not learn.

    Args:
        size: The most policies that are kept; the oldest ones go first.
        every: Updates between two of them.
    """

    def __init__(self, size: int, every: int) -> None:
        self._size, self._every = size, every
        self._policies: list[PolicyMaker] = []
        self._next = 0  # the update at which the next one joins

    def wants(self, update: int) -> bool:
        """Returns whether the policy of this update is to join."""
        return update >= self._next

    def add(self, policy: PolicyMaker, update: int) -> None:
        """Adds the policy that the learner has after so many updates."""
        self._policies = [*self._policies, policy][-self._size :]
        self._next = update + self._every

    def __call__(self, environment: Environment, rng: np.random.Generator) -> Policy:
        """Returns any of the policies, evenly."""
        return self._policies[int(rng.integers(len(self._policies)))](environment, rng)

    def get_state(self) -> dict[str, Any]:
        """Returns all policies, for `set_state`; it can be pickled."""
        return {"policies": list(self._policies), "next": self._next}

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes back to these policies."""
        self._policies, self._next = list(state["policies"]), state["next"]

# SPDX-License-Identifier: Apache-2.0
"""A fragment of experience."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.area import Bools


class Fragment(NamedTuple):
    """The experience of some worlds in a fixed number of steps, in NumPy arrays.

    Each array has the axes (length, worlds); those of observations and actions go on as their space
    does, and are dicts or tuples of arrays where that is nested. Row t of world w is one step: the
    agent saw ``observations[agent][t, w]``, did ``actions[agent][t, w]``, and then saw
    ``next_observations[agent][t, w]``. Two fragments are equal bit for bit if their
    `deepsim_envs.digest` is.
    """

    number: int
    """Of the fragment in its pool, from 0."""
    observations: dict[str, Any]
    """By agent."""
    actions: dict[str, Any]
    """By agent."""
    rewards: dict[str, NDArray[np.float64]]
    """By agent."""
    terminations: dict[str, Bools]
    """Whether the step ended the agent's episode."""
    truncations: dict[str, Bools]
    """Whether the step cut it off; for the end of the fragment, see `unfinished`."""
    next_observations: dict[str, Any]
    """By agent; after its last step, the last observation of its episode."""
    live: dict[str, Bools]
    """Whether the agent took part in the step; rows in which it did not are zeros."""
    starts: Bools
    """Whether the step is the first one of an episode of its world."""
    seeds: NDArray[np.uint64]
    """Seed of the episode that the step belongs to."""
    weights: int = 0
    """The number of times that weights were set before the fragment was begun."""
    memory: dict[str, Any] = {}  # noqa: RUF012 (never changed)
    """The memory of a `RecurrentPolicy` before the first step, by agent: (worlds, ...)."""

    @property
    def unfinished(self) -> dict[str, Bools]:
        """(worlds,) whether the agent's episode goes on after the last step, by agent.

        There, neither `terminations` nor `truncations` mark an end, and the return goes on with the
        value of the last of `next_observations`.
        """
        return {
            agent: live[-1] & ~self.terminations[agent][-1] & ~self.truncations[agent][-1]
            for agent, live in self.live.items()
        }

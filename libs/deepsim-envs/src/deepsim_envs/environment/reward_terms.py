# SPDX-License-Identifier: Apache-2.0
"""The parts of rewards by name: of a step, and of an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import WorldNumbers

STEP, EPISODE = "reward/", "return/"
"""Prefixes of a term's name in an agent's info: its value in the step, its sum in the episode."""

Floats = NDArray[np.float64]


class RewardTerms:
    """Keeps the value of each term for each agent in the latest step, and its sum in the episode.

    Args:
        owner: The name of the area's class, for messages.
        names: The names of the terms, which become the attribute `names`.
        agents: The names of all agents.
        worlds: W.

    Raises:
        TypeError: The names are not strings.
        ValueError: One is empty, or occurs twice.
    """

    def __init__(self, owner: str, names: Any, agents: Sequence[str], worlds: int) -> None:
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise TypeError(f"{owner}.reward_terms must be a sequence of names, got {names!r}")
        self.names = tuple(names)
        if len(set(self.names)) < len(self.names) or "" in self.names:
            raise ValueError(f"{owner}.reward_terms must be names, each once, got {names!r}")
        self._owner, self._agents = owner, agents
        # By step and episode, term, world and agent.
        self._values = np.zeros((2, len(self.names), worlds, len(agents)))

    def begin(self, worlds: WorldNumbers) -> None:
        """Begins the episodes of some worlds."""
        self._values[:, :, worlds] = 0.0

    def begin_step(self, worlds: WorldNumbers) -> None:
        """Begins a step of some worlds."""
        self._values[0][:, worlds] = 0.0

    def earn(self, terms: Floats) -> None:
        """Adds the terms of a step, (T, W, A); 0 where an agent takes no part."""
        self._values += terms

    def add_to(self, info: Mapping[str, Any]) -> dict[str, Any]:
        """Returns an area's info with the values of all terms for each agent, as arrays (W,).

        Raises:
            ValueError: The info has such a name itself, or another value under an agent's name.
        """
        named = dict(info)
        for column, agent in enumerate(self._agents):
            own = named.get(agent, {})
            terms = {
                f"{kind}{name}": self._values[number, row, :, column]
                for number, kind in enumerate((STEP, EPISODE))
                for row, name in enumerate(self.names)
            }
            if not isinstance(own, Mapping) or own.keys() & terms.keys():
                raise ValueError(
                    f"info {agent!r} of {self._owner} must be a dict and leave "
                    f"{', '.join(terms)} to the environment, got {own!r}"
                )
            named[agent] = {**own, **terms}
        return named

    def get_state(self) -> Floats:
        """Returns all values, for `set_state`."""
        return self._values.copy()

    def set_state(self, state: Floats | None) -> None:
        """Restores all values; None stands for zeros."""
        self._values[:] = 0.0 if state is None else state

# SPDX-License-Identifier: Apache-2.0
"""The parts of rewards by name: of a step, and of an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_sync import WorldNumbers

STEP = "reward/"
"""Begins the name of a term's value in a step, in the info of an agent."""
EPISODE = "return/"
"""Begins the name of a term's sum over the episode so far."""

Floats = NDArray[np.float64]


class RewardTerms:
    """Keeps what each term gave to each agent in the latest step, and in the episode so far.

    Args:
        owner: The name of the area's class, for messages.
        names: The terms that the area declares.
        agents: The names of all agents.
        worlds: W.

    Attributes:
        names: The names of the terms.

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
        """Begins the episodes of some worlds, in which nothing is earned yet."""
        self._values[:, :, worlds] = 0.0

    def begin_step(self, worlds: WorldNumbers) -> None:
        """Begins a step of some worlds."""
        self._values[0][:, worlds] = 0.0

    def earn(self, terms: Floats) -> None:
        """Adds what the terms (T, W, A) give in the step; 0 where an agent takes no part."""
        self._values += terms

    def add_to(self, info: Mapping[str, Any]) -> dict[str, Any]:
        """Returns an area's info with the values of all terms for each agent, as arrays (W,).

        Raises:
            ValueError: The info has such a name itself, or another value under an agent's name.
        """
        told = dict(info)
        for column, agent in enumerate(self._agents):
            own = told.get(agent, {})
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
            told[agent] = {**own, **terms}
        return told

    def get_state(self) -> Floats:
        """Returns all values, for `set_state`."""
        return self._values.copy()

    def set_state(self, state: Floats | None) -> None:
        """Goes back to these values; None stands for those of a state without any."""
        self._values[:] = 0.0 if state is None else state

# SPDX-License-Identifier: Apache-2.0
"""Rewards in weighted terms: their sum, and what each has earned."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.spaces import shown
from deepsim_sync import WorldNumbers

STEP, EPISODE = "reward/", "return/"
"""Prefixes in an agent's info, for the value of a term in the step and its sum in the episode."""

Floats = NDArray[np.float64]


class RewardTerms:
    """The value of each term for each agent in the latest step, and its sum in the episode.

    Args:
        owner: The name of the area's class, for messages.
        names: The names of the terms, or their weights by name.
        agents: The names of all agents.
        worlds: The number of worlds, W.

    Attributes:
        names: The names of the T terms.
        weights: The factor of each term; empty if terms are summed as they are.

    Raises:
        TypeError: The names are not strings.
        ValueError: A name is empty, or occurs twice; or a weight is not a finite number.
    """

    def __init__(self, owner: str, names: Any, agents: Sequence[str], worlds: int) -> None:
        if isinstance(names, str) or not all(isinstance(name, str) for name in names):
            raise TypeError(f"{owner}.reward_terms must be a sequence of names, got {names!r}")
        self.names = tuple(names)
        if len(set(self.names)) < len(self.names) or "" in self.names:
            raise ValueError(f"{owner}.reward_terms must be names, each once, got {names!r}")
        self.weights: dict[str, Any] = dict(names) if isinstance(names, Mapping) else {}
        for name, weight in self.weights.items():
            if not isinstance(weight, Real) or not math.isfinite(weight):
                raise ValueError(
                    f"the weight of {name!r} in {owner}.reward_terms must be a finite number, "
                    f"got {weight!r}"
                )
        self._owner, self._agents = owner, agents
        # By step and episode, term, world and agent.
        self._values = np.zeros((2, len(self.names), worlds, len(agents)))

    def begin(self, worlds: WorldNumbers) -> None:
        """Begins episodes in some worlds: clears all values."""
        self._values[:, :, worlds] = 0.0

    def begin_step(self, worlds: WorldNumbers) -> None:
        """Begins a step in some worlds: clears the values of the last step."""
        self._values[0][:, worlds] = 0.0

    def weighted(
        self, values: Any, table: Callable[[str, Any, type[np.float64]], Floats]
    ) -> dict[str, Floats]:
        """Returns copies of the terms of a step times their weights, (W, A) each.

        Args:
            values: What the area returned: a dict of the terms by name.
            table: Checks and copies a term, given its name for messages, its value and its dtype.

        Raises:
            ValueError: The terms have other names.
        """
        if not isinstance(values, Mapping) or set(values) != set(self.names):
            raise ValueError(
                f"reward of {self._owner} must be a dict of its reward_terms {list(self.names)}, "
                f"got {shown(values)}"
            )
        terms = {name: table(f"reward {name!r}", values[name], np.float64) for name in self.names}
        for name, weight in self.weights.items():
            terms[name] *= weight
        return terms

    def total(self, terms: Mapping[str, Floats]) -> Floats:
        """Returns the rewards, (W, A): the sum of the weighted terms."""
        first, *others = terms.values()
        return sum(others, first)

    def earn(self, terms: Floats) -> None:
        """Adds the terms of a step, (T, W, A); 0 for agents that do not take part."""
        self._values += terms

    def add_to(self, info: Mapping[str, Any]) -> dict[str, Any]:
        """Returns an area's info, extended by the values of all terms for each agent, (W,) each.

        Raises:
            ValueError: The info of an agent is not a dict, or already has the name of a term.
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
        """Restores all values; None sets them to 0."""
        self._values[:] = 0.0 if state is None else state

# SPDX-License-Identifier: Apache-2.0
"""Who acts in a rollout."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Protocol

import numpy as np
from gymnasium.spaces import Space
from numpy.typing import NDArray

from .columns import allocated, put_batch


class Policy(Protocol):
    """Acts for the agents of all worlds of a fragment.

    A worker makes its policy by calling the spec's function with ``observation_space`` and
    ``action_space``, each a dict of spaces by agent, and with the spec's own arguments. What it
    does may follow from the weights, the observations and the generator, and from nothing else: a
    worker uses one policy for many fragments.
    """

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        """Actions of one agent in n worlds.

        Args:
            agent: Its name.
            observations: A batch of them, (n, ...); for dict and tuple spaces, dicts and tuples of
                such arrays.
            rng: The fragment's own random numbers.

        Returns:
            A batch of actions, (n, ...).
        """
        ...

    def set_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Takes on new weights; the arrays are its own."""
        ...


class RandomPolicy:
    """Any action of the agent's space, as the space samples it; it has no weights."""

    def __init__(
        self,
        observation_space: Mapping[str, Space[Any]],
        action_space: Mapping[str, Space[Any]],
    ) -> None:
        self._spaces = {agent: deepcopy(space) for agent, space in action_space.items()}

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        """A sample for each row of the observations."""
        rows = len(_first_array(observations))
        space = self._spaces[agent]
        space.seed(int(rng.integers(2**31)))
        actions = allocated(space, (rows,), f"action of agent {agent!r}")
        for row in range(rows):
            put_batch(actions, row, space.sample(), "sample")
        return actions

    def set_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Accepts no weights.

        Raises:
            ValueError: There are some.
        """
        if weights:
            raise ValueError(f"a RandomPolicy has no weights, got {list(weights)}")


def _first_array(tree: Any) -> NDArray[Any]:
    while not isinstance(tree, np.ndarray):
        tree = next(iter(tree.values() if isinstance(tree, dict) else tree))
    return tree

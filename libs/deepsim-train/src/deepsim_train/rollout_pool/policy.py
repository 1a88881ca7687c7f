# SPDX-License-Identifier: Apache-2.0
"""The policies that collect experience."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from gymnasium.spaces import Space
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from deepsim_envs.spaces import MASK, sample_allowed


class Policy(Protocol):
    """Acts for the agents of all worlds of a fragment.

    A worker makes its policy by calling the function that the spec names. The function gets
    ``observation_space`` and ``action_space``, each a dict of spaces by agent, and the arguments in
    the spec. Actions must depend only on the weights, the observations and the generator, because a
    worker uses one policy for many fragments.

    Example:
        A policy that always does action 0:

        >>> class Still:
        ...     def __init__(self, observation_space, action_space):
        ...         pass
        ...
        ...     def act(self, agent, observations, rng):
        ...         return np.zeros(len(observations), int)
        ...
        ...     def set_weights(self, weights):
        ...         pass
        >>> Still({}, {}).act("agent", np.zeros((3, 4)), np.random.default_rng(0))
        array([0, 0, 0])
    """

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        """Returns the actions of one agent in n worlds, (n, ...).

        Args:
            agent: Name of the agent.
            observations: Its observations, (n, ...); dicts or tuples of such arrays if the space is
                nested.
            rng: The random number generator of the fragment.
        """
        ...

    def set_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Replaces the weights; the policy may keep and change the arrays."""
        ...


@runtime_checkable
class RecurrentPolicy(Protocol):
    """Acts with a memory of the episode; otherwise like a `Policy`.

    A memory consists of arrays of numbers, or dicts and tuples of them. The pool keeps it, because
    a memory inside the policy would be lost if its worker died.

    Example:
        The memory of this policy counts the steps of the episode:

        >>> class Pulse:
        ...     def __init__(self, observation_space, action_space):
        ...         self._spaces = action_space
        ...
        ...     def initial_memory(self, agent):
        ...         return np.array(0)
        ...
        ...     def act(self, agent, observations, rng, memory):
        ...         actions = (memory % 2).astype(self._spaces[agent].dtype)
        ...         return actions, memory + 1
        ...
        ...     def set_weights(self, weights):
        ...         pass
        >>> policy = Pulse({}, {"agent": Discrete(2)})
        >>> policy.act("agent", np.zeros((3, 4)), np.random.default_rng(0), np.array([0, 1, 5]))
        (array([0, 1, 1]), array([1, 2, 6]))
    """

    def initial_memory(self, agent: str) -> Any:
        """Returns the memory of an agent in one world at the beginning of an episode."""
        ...

    def act(
        self, agent: str, observations: Any, rng: np.random.Generator, memory: Any
    ) -> tuple[Any, Any]:
        """Returns the actions of one agent in n worlds, (n, ...), and its new memory.

        Args:
            agent: Name of the agent.
            observations: Its observations, (n, ...); dicts or tuples of such arrays if the space is
                nested.
            rng: The random number generator of the fragment.
            memory: Its memory in these worlds, (n, ...).
        """
        ...

    def set_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Replaces the weights; the policy may keep and change the arrays."""
        ...


class RandomPolicy:
    """Samples actions from the agent's space; it has no weights.

    If the observations have an ``"action_mask"``, the policy samples only the actions it allows.

    Example:
        >>> policy = RandomPolicy({}, {"agent": Discrete(2)})
        >>> policy.act("agent", np.zeros((3, 4)), np.random.default_rng(0)).shape
        (3,)
    """

    def __init__(
        self,
        observation_space: Mapping[str, Space[Any]],
        action_space: Mapping[str, Space[Any]],
    ) -> None:
        self._spaces = action_space
        self._batches: dict[tuple[str, int], Space[Any]] = {}

    def act(self, agent: str, observations: Any, rng: np.random.Generator) -> Any:
        """Returns a sample for each row of the observations."""
        if isinstance(observations, dict) and MASK in observations:
            space = self._spaces[agent]
            space.seed(int(rng.integers(2**31)))
            return np.array([sample_allowed(space, {MASK: row}) for row in observations[MASK]])
        while not isinstance(observations, np.ndarray):
            parts = observations.values() if isinstance(observations, dict) else observations
            observations = next(iter(parts))
        key = agent, len(observations)
        if key not in self._batches:
            self._batches[key] = batch_space(self._spaces[agent], key[1])
        self._batches[key].seed(int(rng.integers(2**31)))
        return self._batches[key].sample()

    def set_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        """Raises a ValueError if there are any weights."""
        if weights:
            raise ValueError(f"a RandomPolicy has no weights, got {list(weights)}")

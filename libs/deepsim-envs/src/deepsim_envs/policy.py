# SPDX-License-Identifier: Apache-2.0
"""Policies: of one world, and on arrays over many."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import deepcopy
from types import SimpleNamespace
from typing import Any, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
from gymnasium.spaces import Space

from .environment import Environment
from .joined_environment import JoinedEnvironment, located
from .spaces import leafwise

Policy: TypeAlias = Callable[[str, Any], Any]
"""Takes an agent's name and its observation, and returns its action."""
PolicyMaker: TypeAlias = Callable[[Environment, np.random.Generator], Policy]
"""Makes the policy of an environment's agents for one episode, which draws from the generator."""


@runtime_checkable
class KeptPolicy(Protocol):
    """A policy of one world that a snapshot of a view keeps; all others are made again there."""

    @property
    def policy(self) -> PolicyMaker:
        """Its maker."""

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the agent's action."""

    def get_state(self) -> Any:
        """Returns its memory of the episode, for `set_state`; it can be pickled."""

    def set_state(self, state: Any) -> None:
        """Goes back to a memory."""


class ArrayPolicy(ABC):
    """A policy without memory that acts in many worlds at once.

    It is a `PolicyMaker` too, so that it fits wherever policies do.

    Example:
        >>> class Uniform(ArrayPolicy):
        ...     def act(self, agent, observations, action_space, rngs):
        ...         drawn = np.array([rng.random(action_space.shape) for rng in rngs])
        ...         return action_space.low + (action_space.high - action_space.low) * drawn
        >>> rngs = [np.random.default_rng(seed) for seed in (0, 1)]
        >>> Uniform().act("car", np.zeros((2, 8)), Box(-1.0, 1.0, (1,)), rngs).round(2)
        array([[0.27],
               [0.02]])
    """

    @abstractmethod
    def act(
        self,
        agent: str,
        observations: Any,
        action_space: Space[Any],
        rngs: Sequence[np.random.Generator],
    ) -> Any:
        """Returns the actions of one agent in k worlds, (k, ...).

        Args:
            agent: The agent's name.
            observations: (k, ...), one for each world; dicts or tuples of such arrays where the
                observation space is nested.
            action_space: The space of one action.
            rngs: The generator of each world.
        """

    def __call__(self, environment: Environment, rng: np.random.Generator) -> Policy:
        """Returns this policy for an environment of one world."""
        return OneWorldPolicy(self, environment, rng)


class OneWorldPolicy:
    """An `ArrayPolicy` that acts in one world.

    Attributes:
        policy: As given; worlds with the same one can be played together.
    """

    def __init__(
        self, policy: ArrayPolicy, environment: Environment, rng: np.random.Generator
    ) -> None:
        self.policy = policy
        self._environment, self._rng = environment, rng

    def get_state(self) -> None:
        """Returns None: it has no memory."""

    def set_state(self, state: None) -> None:
        """Goes back to having no memory."""

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the agent's action."""
        batch = leafwise(lambda part: np.asarray(part)[None], observation)
        space = self._environment.action_space[agent]
        actions = self.policy.act(agent, batch, space, [self._rng])
        return leafwise(lambda part: part[0], actions)


def one_world(environment: Environment | JoinedEnvironment, world: int) -> Environment:
    """Returns the argument of a `PolicyMaker` for one world.

    It is the environment of the world, if that has no other worlds, and otherwise an object with
    the same agents and spaces.
    """
    found, _ = located(environment, world)
    if len(found) == 1:
        return found
    groups = {name: group for group in found.groups for name in group.names}
    task = SimpleNamespace(
        groups=found.groups,
        agents=found.agents,
        slots=found.agents,
        observation_space={n: deepcopy(group.observation_space) for n, group in groups.items()},
        action_space={n: deepcopy(group.action_space) for n, group in groups.items()},
    )
    return cast("Environment", task)

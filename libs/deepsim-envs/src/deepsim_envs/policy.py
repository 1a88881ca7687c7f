# SPDX-License-Identifier: Apache-2.0
"""The interfaces of policies: for one world, and on arrays for many."""

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
"""Makes the policy of an environment's agents for one episode; it draws from the generator."""


@runtime_checkable
class KeptPolicy(Protocol):
    """A policy of one world with a memory that snapshots of a view contain.

    A restored snapshot makes all other policies again, without their memory.
    """

    @property
    def policy(self) -> PolicyMaker:
        """The function that made this policy."""

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the agent's action."""

    def get_state(self) -> Any:
        """Returns the memory of the episode, for `set_state`; it can be pickled."""

    def set_state(self, state: Any) -> None:
        """Restores a memory returned by `get_state`."""


class ArrayPolicy(ABC):
    """A policy without memory that acts in many worlds at once.

    It is also a `PolicyMaker`, so it can be used wherever a function that makes policies can.

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
            observations: One for each world, (k, ...); for nested observation spaces, dicts or
                tuples of such arrays.
            action_space: The space of one action.
            rngs: The generator of each world.
        """

    def __call__(self, environment: Environment, rng: np.random.Generator) -> Policy:
        """Returns this policy for an environment of one world."""
        return OneWorldPolicy(self, environment, rng)


class OneWorldPolicy:
    """The policy of one world that an `ArrayPolicy` makes.

    Attributes:
        policy: The `ArrayPolicy`; worlds with the same one can act together.
    """

    def __init__(
        self, policy: ArrayPolicy, environment: Environment, rng: np.random.Generator
    ) -> None:
        self.policy = policy
        self._environment, self._rng = environment, rng

    def get_state(self) -> None:
        """Returns None, because the policy has no memory."""

    def set_state(self, state: None) -> None:
        """Does nothing, because the policy has no memory."""

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the agent's action."""
        batch = leafwise(lambda part: np.asarray(part)[None], observation)
        space = self._environment.action_space[agent]
        actions = self.policy.act(agent, batch, space, [self._rng])
        return leafwise(lambda part: part[0], actions)


def one_world(environment: Environment | JoinedEnvironment, world: int) -> Environment:
    """Returns the environment to pass to a `PolicyMaker` for one world.

    If the world's environment has several worlds, this is another object, which only has the same
    agents and spaces.
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

# SPDX-License-Identifier: Apache-2.0
"""Policies that act for an agent in many worlds at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from .batch_area import Chosen
from .environment import Environment
from .gymnasium_env import Act, PolicyMaker

if TYPE_CHECKING:
    from .batch_environment import BatchEnvironment


class BatchPolicy(Protocol):
    """Acts in many worlds at once."""

    def reset(self, chosen: Chosen) -> None:
        """Episodes begin in some worlds."""
        ...

    def __call__(self, agent: str, observations: NDArray[Any], chosen: Chosen) -> Any:
        """Actions of an agent in k worlds, (k, ...).

        Args:
            agent: Its name.
            observations: What it observes there, (k, ...).
            chosen: The worlds.
        """
        ...


BatchPolicyMaker: TypeAlias = Callable[
    ["BatchEnvironment", Sequence[np.random.Generator]], BatchPolicy
]
"""Makes a policy of an environment's agents, which draws from the generator of each world. A seeded
reset puts another generator in a world's place, so that it is asked for when it is needed."""


def in_each_world(make: PolicyMaker) -> BatchPolicyMaker:
    """A policy of one world as one of many, called for one world after the other.

    It is made anew for each episode, as `GymnasiumEnv` does, and gives the same actions there.

    Args:
        make: Makes the policy of one world. The environment that it gets is the one of all worlds:
            of it, the policy may use the agents' names and spaces.
    """
    return lambda environment, rngs: _InEachWorld(make, environment, rngs)


class _InEachWorld:
    def __init__(
        self, make: PolicyMaker, environment: BatchEnvironment, rngs: Sequence[np.random.Generator]
    ) -> None:
        self._make, self._rngs = make, rngs
        self._environment = cast("Environment", environment)
        self._acts: dict[int, Act] = {}

    def reset(self, chosen: Chosen) -> None:
        for number in chosen.tolist():
            self._acts[number] = self._make(self._environment, self._rngs[number])

    def __call__(self, agent: str, observations: NDArray[Any], chosen: Chosen) -> Any:
        return [
            self._acts[number](agent, seen)
            for number, seen in zip(chosen.tolist(), observations, strict=True)
        ]

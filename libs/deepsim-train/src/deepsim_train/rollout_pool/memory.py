# SPDX-License-Identifier: Apache-2.0
"""The memory of recurrent policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deepsim_envs.spaces import copied, leafwise

from .arrays import put_batch
from .policy import Policy, RecurrentPolicy


class PolicyMemory:
    """A policy with its memory of the episodes in all worlds; empty for a `Policy`.

    Args:
        policy: The policy.
        agents: The names of all agents.
        worlds: The number of worlds, W.
        memory: The memory so far, by agent: (W, ...); empty if all episodes are new.
    """

    def __init__(
        self,
        policy: Policy | RecurrentPolicy,
        agents: Sequence[str],
        worlds: int,
        memory: Mapping[str, Any],
    ) -> None:
        # This check of a protocol is slower than many policies, so `act` does not repeat it.
        self._recurrent = policy if isinstance(policy, RecurrentPolicy) else None
        self._policy: Any = policy
        self._initial: dict[str, Any] = {}
        self._memory = dict(memory)
        if self._recurrent is not None:
            for agent in agents:
                initial = leafwise(np.asarray, self._recurrent.initial_memory(agent))
                self._initial[agent] = initial
                self._memory.setdefault(
                    agent, leafwise(lambda part: np.repeat(part[None], worlds, axis=0), initial)
                )

    def copy(self) -> dict[str, Any]:
        """Returns a copy of the memory of each agent, (W, ...)."""
        copy: dict[str, Any] = copied(self._memory)
        return copy

    def begin(self, worlds: NDArray[np.intp]) -> None:
        """Resets the memory in some worlds, in which new episodes begin."""

        def put(memory: NDArray[Any], initial: NDArray[Any]) -> None:
            memory[worlds] = initial

        leafwise(put, self._memory, self._initial)

    def act(self, agent: str, observations: Any, worlds: Any, rng: np.random.Generator) -> Any:
        """Returns an agent's actions in some worlds, and updates its memory there."""
        if self._recurrent is None:
            return self._policy.act(agent, observations, rng)
        memory = leafwise(lambda part: part[worlds].copy(), self._memory[agent])
        actions, memory = self._recurrent.act(agent, observations, rng, memory)
        put_batch(self._memory[agent], worlds, memory, f"memory of agent {agent!r}")
        return actions

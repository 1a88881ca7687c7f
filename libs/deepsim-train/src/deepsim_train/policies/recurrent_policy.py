# SPDX-License-Identifier: Apache-2.0
"""Trained policies with a memory of the episode, which act without torch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from deepsim_envs import Environment
from deepsim_envs.spaces import leafwise

from .networks import Lstm, State
from .trained_policy import TrainedPolicy, read_arrays, write_arrays


class MemoryPolicy(ABC):
    """A policy maker for policies that keep a memory of each agent's episode."""

    __slots__ = ()

    @abstractmethod
    def step(
        self, agent: str, observations: Any, action_space: Any, memory: Any
    ) -> tuple[Any, Any]:
        """Returns the action for one observation, (1, ...), and the agent's new memory.

        Args:
            agent: The agent's name.
            observations: One observation, (1, ...), or a dict of such arrays.
            action_space: The space of one action.
            memory: The agent's memory, or None at the beginning of an episode.

        Raises:
            TaskError: The observation is not like those used in training.
        """

    def __call__(self, environment: Environment, rng: np.random.Generator) -> RememberingPolicy:
        """Returns the policy of one world; `rng` is not used."""
        return RememberingPolicy(self, environment)


class RememberingPolicy:
    """The policy of one world, with the memory of each agent.

    Args:
        policy: The trained policy.
        environment: The environment of the world, or another object with its ``action_space``.
    """

    def __init__(self, policy: MemoryPolicy, environment: Environment) -> None:
        self.policy = policy
        self._environment = environment
        self._memories: dict[str, Any] = {}

    def begin_episode(self) -> None:
        """Clears the memories of all agents."""
        self._memories = {}

    def get_state(self) -> dict[str, Any]:
        """Returns the memories by agent, for `set_state`."""
        return dict(self._memories)

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores the memories returned by `get_state`."""
        self._memories = dict(state)

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the agent's most likely action, and updates its memory.

        Raises:
            TaskError: The observation is not like those used in training.
        """
        batch = leafwise(lambda part: np.asarray(part)[None], observation)
        space, memory = self._environment.action_space[agent], self._memories.get(agent)
        actions, self._memories[agent] = self.policy.step(agent, batch, space, memory)
        return actions[0]


@dataclass(frozen=True, slots=True)
class RecurrentPolicy(MemoryPolicy):
    """A network with an LSTM as its memory.

    Attributes:
        network: Computes features from observations, and actions from the outputs of the LSTM.
        memory: The LSTM between features and actions.
    """

    network: TrainedPolicy
    memory: Lstm

    def step(
        self, agent: str, observations: Any, action_space: Any, memory: State | None
    ) -> tuple[Any, State]:
        """Returns the most likely action, and the agent's new memory; see `MemoryPolicy`."""
        state = self.memory.first_state() if memory is None else memory
        state = self.memory(self.network.features(observations), state)
        return self.network.actions(state[0], observations), state

    def save(self, file: Path) -> None:
        """Writes the policy as an NPZ file of plain arrays."""
        memory = {f"lstm_{name}": array for name, array in self.memory._asdict().items()}
        write_arrays(file, {**self.network.arrays(), **memory})


@dataclass(frozen=True, slots=True)
class RecurrentTeam(MemoryPolicy):
    """A recurrent policy for several agents; each agent uses one of the named policies.

    Attributes:
        policies: The policies by name.
        owners: The name of the policy of each agent.
    """

    policies: Mapping[str, MemoryPolicy]
    owners: Mapping[str, str]

    def step(
        self, agent: str, observations: Any, action_space: Any, memory: Any
    ) -> tuple[Any, Any]:
        """Returns the result of the agent's own policy; see `MemoryPolicy`."""
        return self.policies[self.owners[agent]].step(agent, observations, action_space, memory)


def load_policy(file: Path) -> TrainedPolicy | RecurrentPolicy:
    """Reads the file of a policy with or without memory.

    Raises:
        TaskError: The file cannot be read, or holds no policy.
    """

    def make(arrays: dict[str, Any]) -> TrainedPolicy | RecurrentPolicy:
        network = TrainedPolicy.of_arrays(arrays)
        if "lstm_weights_in" not in arrays:
            return network
        return RecurrentPolicy(network, Lstm(*(arrays[f"lstm_{name}"] for name in Lstm._fields)))

    return read_arrays(file, make)

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
    """Makes policies with a memory of the episode for each agent."""

    __slots__ = ()

    @abstractmethod
    def step(
        self, agent: str, observations: Any, action_space: Any, memory: Any
    ) -> tuple[Any, Any]:
        """Returns the action for one observation, (1, ...), and the memory afterwards.

        Args:
            agent: The agent's name.
            observations: (1, ...), or a dict of such arrays.
            action_space: The space of one action.
            memory: The agent's memory, or None at the beginning of an episode.

        Raises:
            TaskError: The observation is not like those of the training.
        """

    def __call__(self, environment: Environment, rng: np.random.Generator) -> RememberingPolicy:
        """Returns the policy of one world."""
        return RememberingPolicy(self, environment)


class RememberingPolicy:
    """The policy of one world, with the memory of each agent.

    Args:
        policy: The trained policy.
        environment: The environment of the world, or another object with its agents and spaces.
    """

    def __init__(self, policy: MemoryPolicy, environment: Environment) -> None:
        self.policy = policy
        self._environment = environment
        self._memories: dict[str, Any] = {}

    def begin_episode(self) -> None:
        """Forgets the last episode."""
        self._memories = {}

    def get_state(self) -> dict[str, Any]:
        """Returns the memories by agent, for `set_state`."""
        return dict(self._memories)

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores memories."""
        self._memories = dict(state)

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the agent's most likely action, and remembers the observation.

        Raises:
            TaskError: The observation is not like those of the training.
        """
        batch = leafwise(lambda part: np.asarray(part)[None], observation)
        space, memory = self._environment.action_space[agent], self._memories.get(agent)
        actions, self._memories[agent] = self.policy.step(agent, batch, space, memory)
        return actions[0]


@dataclass(frozen=True, slots=True)
class RecurrentPolicy(MemoryPolicy):
    """A network with an LSTM as its memory.

    Attributes:
        network: Computes features of observations, and actions from the outputs of the memory.
        memory: The LSTM between the two.
    """

    network: TrainedPolicy
    memory: Lstm

    def step(
        self, agent: str, observations: Any, action_space: Any, memory: State | None
    ) -> tuple[Any, State]:
        """Returns the most likely action, and the memory afterwards; see `MemoryPolicy`."""
        state = self.memory.first_state() if memory is None else memory
        state = self.memory(self.network.features(observations), state)
        return self.network.actions(state[0], observations), state

    def save(self, file: Path) -> None:
        """Writes plain arrays, as NPZ."""
        memory = {f"lstm_{name}": array for name, array in self.memory._asdict().items()}
        write_arrays(file, {**self.network.arrays(), **memory})


@dataclass(frozen=True, slots=True)
class RecurrentTeam(MemoryPolicy):
    """A policy of several agents that gives each its own policy.

    Attributes:
        policies: The policies by name.
        owners: The name of each agent's policy.
    """

    policies: Mapping[str, MemoryPolicy]
    owners: Mapping[str, str]

    def step(
        self, agent: str, observations: Any, action_space: Any, memory: Any
    ) -> tuple[Any, Any]:
        """Returns the result of the agent's own policy; see `MemoryPolicy`."""
        return self.policies[self.owners[agent]].step(agent, observations, action_space, memory)


def load_policy(file: Path) -> TrainedPolicy | RecurrentPolicy:
    """Reads the file of a policy of either kind.

    Raises:
        TaskError: The file cannot be read, or holds no policy.
    """

    def make(arrays: dict[str, Any]) -> TrainedPolicy | RecurrentPolicy:
        network = TrainedPolicy.of_arrays(arrays)
        if "lstm_weights_in" not in arrays:
            return network
        return RecurrentPolicy(network, Lstm(*(arrays[f"lstm_{name}"] for name in Lstm._fields)))

    return read_arrays(file, make)

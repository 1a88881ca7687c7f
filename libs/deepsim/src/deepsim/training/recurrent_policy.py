# SPDX-License-Identifier: Apache-2.0
"""A trained policy with a memory of the episode, which acts without torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from deepsim_envs import Environment
from deepsim_envs.spaces import leafwise

from .networks import Lstm, State
from .trained_policy import TrainedPolicy, read_arrays, write_arrays


@dataclass(frozen=True, slots=True)
class RecurrentPolicy:
    """A maker of policies that remember their episode by an LSTM, each agent its own.

    Attributes:
        network: Makes features of observations, and actions of the outputs of the memory.
        memory: The LSTM between the two.
    """

    network: TrainedPolicy
    memory: Lstm

    def __call__(self, environment: Environment, rng: np.random.Generator) -> RememberingPolicy:
        """Returns the policy of one world."""
        return RememberingPolicy(self)

    def save(self, file: Path) -> None:
        """Writes plain arrays, as NPZ."""
        memory = {f"lstm_{name}": array for name, array in self.memory._asdict().items()}
        write_arrays(file, {**self.network.arrays(), **memory})


class RememberingPolicy:
    """The policy of one world, with the memory of each agent.

    Args:
        policy: The trained policy.
    """

    def __init__(self, policy: RecurrentPolicy) -> None:
        self._policy = policy
        self._states: dict[str, State] = {}

    def begin_episode(self) -> None:
        """Forgets the last episode."""
        self._states = {}

    def __call__(self, agent: str, observation: Any) -> Any:
        """Returns the agent's most likely action, and remembers the observation.

        Raises:
            TaskError: The observation is not like those of the training.
        """
        network, memory = self._policy.network, self._policy.memory
        batch = leafwise(lambda part: np.asarray(part)[None], observation)
        state = self._states.get(agent, memory.first_state())
        self._states[agent] = state = memory(network.features(batch), state)
        return network.actions(state[0], batch)[0]


def load_policy(file: Path) -> TrainedPolicy | RecurrentPolicy:
    """Reads the file of a policy of either kind.

    Raises:
        TaskError: It cannot be read, or is something else.
    """

    def make(arrays: dict[str, Any]) -> TrainedPolicy | RecurrentPolicy:
        network = TrainedPolicy.of_arrays(arrays)
        if "lstm_weights_in" not in arrays:
            return network
        return RecurrentPolicy(network, Lstm(*(arrays[f"lstm_{name}"] for name in Lstm._fields)))

    return read_arrays(file, make)
